import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Log } from '../../base/log';
import { t } from '../../base/translate';
import { severities } from '../../tools/knowledge/editorKnowledge';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import { type CommandTable, registerCommands } from '../common/commands';
import { terminalSelection, problemOf } from '../knowledge/vscodeKnowledge';
import {
  aboutCode,
  aboutFiles,
  aboutProblems,
  aboutTerminal,
  type AskedAbout,
  type PointedAt,
  type QuotedCode,
} from './promptText';

/** Argument that a code action passes to its command. `startLine` and `endLine` count from 0, like the editor's;
 *  lines of the problems count from 1. */
const problemCall = v.object({
  uri: v.string(),
  startLine: v.number(),
  endLine: v.number(),
  problems: v.array(
    v.object({
      path: v.string(),
      line: v.number(),
      column: v.number(),
      severity: v.picklist(severities),
      message: v.string(),
      source: v.string(),
    }),
  ),
});

/** "Fix with Hermes" and "Explain with Hermes" on problems, listed after the language extensions' own fixes. They
 *  only fill the composer. */
class ProblemActions implements vscode.CodeActionProvider {
  provideCodeActions(
    { uri }: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics, only }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (diagnostics.length === 0 || (only !== undefined && !only.contains(vscode.CodeActionKind.QuickFix))) return [];
    const first = Math.min(...diagnostics.map((diagnostic) => diagnostic.range.start.line));
    const last = Math.max(range.start.line, ...diagnostics.map((diagnostic) => diagnostic.range.end.line));
    const call: v.InferOutput<typeof problemCall> = {
      uri: uri.toString(),
      startLine: first,
      endLine: last,
      problems: diagnostics.map((diagnostic) => problemOf(uri, diagnostic)),
    };
    return [
      action(t('Fix with Hermes'), 'hermes.fixProblem', call, diagnostics),
      action(t('Explain with Hermes'), 'hermes.explainProblem', call, diagnostics),
    ];
  }
}

function action(
  title: string,
  command: string,
  call: v.InferOutput<typeof problemCall>,
  diagnostics: readonly vscode.Diagnostic[],
): vscode.CodeAction {
  const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  made.command = { title, command, arguments: [call] };
  made.diagnostics = [...diagnostics];
  return made;
}

interface EntryWindow {
  readonly files: WorkspaceFiles;
  readonly activeChat: {
    readonly surface: { insertPrompt(text: string, parts: AskedAbout['parts']): void };
    focus(): Promise<void>;
  };
  readonly log: Log;
}

/** Registers the commands and the code actions on problems. */
export function registerEntryPoints(window: EntryWindow): vscode.Disposable {
  const actions = vscode.languages.registerCodeActionsProvider('*', new ProblemActions(), {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
  return vscode.Disposable.from(registerCommands(entryPointCommands(window), window.log), actions);
}

/** Commands that add the user's current selection, problem, file or terminal output to the composer. */
export function entryPointCommands({ files, activeChat }: EntryWindow): CommandTable {
  const paths = new WorkspacePaths(files);
  /** Inserts text and parts into the composer that the user currently sees, and puts the cursor after them. */
  const insert = async ({ text, parts }: AskedAbout): Promise<void> => {
    const { surface } = activeChat;
    await activeChat.focus();
    surface.insertPrompt(text, parts);
  };
  const quoted = (
    document: vscode.TextDocument,
    first: number,
    last: number,
    range: vscode.Range | null,
  ): QuotedCode => ({
    shown: document.isUntitled ? document.fileName : paths.display(document.uri.fsPath),
    startLine: first + 1,
    endLine: last + 1,
    text: document.getText(
      range ?? new vscode.Range(document.lineAt(first).range.start, document.lineAt(last).range.end),
    ),
    language: document.languageId === 'plaintext' ? '' : document.languageId,
  });
  const aboutSelection = (lead: string) => async (): Promise<void> => {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined)
      return void vscode.window.showInformationMessage(t('Open a file and select the code for Hermes to look at.'));
    const { start, end, isEmpty } = editor.selection;
    // A selection of whole lines ends at the start of the next line; leave that line out.
    const lastLine = end.line > start.line && end.character === 0 ? end.line - 1 : end.line;
    await insert(aboutCode(lead, quoted(editor.document, start.line, lastLine, isEmpty ? null : editor.selection)));
  };
  const aboutProblem =
    (lead: string) =>
    async (call: unknown): Promise<void> => {
      const asked = v.safeParse(problemCall, call);
      if (!asked.success) return;
      const { uri, startLine, endLine, problems } = asked.output;
      const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
      await insert(
        aboutProblems(lead, quoted(document, startLine, Math.min(endLine, document.lineCount - 1), null), problems),
      );
    };
  const aboutClicked = async (clicked: unknown, chosen: unknown): Promise<void> => {
    const uris = [
      ...(Array.isArray(chosen) ? chosen : []),
      clicked,
      vscode.window.activeTextEditor?.document.uri,
    ].filter((uri) => uri instanceof vscode.Uri);
    const named = Array.isArray(chosen) && chosen.length > 0 ? uris.slice(0, chosen.length) : uris.slice(0, 1);
    if (named.length > 0) await insert(aboutFiles(await Promise.all(named.map((uri) => pointedAt(uri, paths)))));
  };
  return {
    askAboutSelection: aboutSelection(''),
    explainSelection: aboutSelection(t('Explain')),
    fixSelection: aboutSelection(t('Fix')),
    fixProblem: aboutProblem(t('Fix this problem in')),
    explainProblem: aboutProblem(t('Explain this problem in')),
    askAboutFile: aboutClicked,
    askAboutFolder: aboutClicked,
    askAboutTerminalSelection: async () => {
      const text = await terminalSelection(randomUUID());
      if (text === null) return void vscode.window.showInformationMessage(t('Select text in a terminal first.'));
      await insert(aboutTerminal(t('Terminal {name}', { name: vscode.window.activeTerminal?.name ?? '' }), text));
    },
  };
}

async function pointedAt(uri: vscode.Uri, paths: WorkspacePaths): Promise<PointedAt> {
  const shown = paths.display(uri.fsPath);
  const isFolder = ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
  return {
    shown: isFolder && !shown.endsWith('/') ? `${shown}/` : shown,
    isFolder,
    isInside: vscode.workspace.getWorkspaceFolder(uri) !== undefined,
  };
}

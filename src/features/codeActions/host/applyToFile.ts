import * as vscode from 'vscode';
import type { Disposable } from '../../../base/disposable';
import { t } from '../../../base/translate';
import { AccessPaths } from '../../../tools/accessPaths';
import { CannotWrite, FileChanged, NotAText, type TextFile } from '../../../tools/files/fileEditor';
import type { WorkspaceFiles } from '../../../tools/workspaceFiles';
import { PathRefused, WorkspacePaths } from '../../../tools/workspacePaths';
import { uriOfPath } from '../../../host/workspace/editorPaths';
import type { WindowContext } from '../../../host/window/windowContext';
import { proposal, type Proposal } from '../core/codeFit';
import { editorLanguage, fileNamedInCode, readFence } from '../core/fence';
import type { LastEditor } from './insertion';
import type { ReferenceService } from './referenceService';

/** File that receives the code: absolute path, and path as shown to the user. */
interface Target {
  readonly path: string;
  readonly shown: string;
}

/** Puts code into a file as a change that the user has reviewed: shows the editor's diff, asks, and only then
 *  writes. */
export class ApplyToFile {
  private readonly paths: AccessPaths;
  private readonly proposed: ProposedDocuments;

  constructor(
    private readonly window: WindowContext,
    private readonly references: ReferenceService,
    private readonly lastEditor: LastEditor,
  ) {
    this.paths = new AccessPaths(window.files);
    this.proposed = window.own(new ProposedDocuments());
  }

  async apply(code: string, info: string): Promise<void> {
    if (this.window.files.roots().length === 0)
      return warn(t('No folder is open, so there is no file to apply this to. Use New File or Insert at Cursor.'));
    try {
      const fence = readFence(info);
      const target = await this.target(code, fence.path ?? pathInDiff(code, fence.language), fence.language);
      if (target === null) return;
      const before = await this.window.fileEditor.open(target.path, new AbortController().signal);
      await this.propose(target, before, proposal(before?.text ?? null, code, fence.language), code);
    } catch (error) {
      warn(refusal(error));
    }
  }

  /** Resolves to null when the user picked no file. */
  private async target(code: string, named: string | null, language: string): Promise<Target | null> {
    const written = named ?? fileNamedInCode(code)?.path ?? null;
    if (written !== null)
      return this.inside(
        (await this.references.files()).find(written.replaceAll('\\', '/').replace(/^\.\//, '')) ?? written,
      );
    const active = this.lastEditor.current?.document;
    const here = active === undefined || vscode.workspace.getWorkspaceFolder(active.uri) === undefined ? null : active;
    if (here !== null && (language === '' || here.languageId === (await languageOf(language))))
      return this.inside(here.uri.fsPath);
    const picked = await pickFile(this.window.files, here?.uri.fsPath ?? null);
    return picked === null ? null : this.inside(picked);
  }

  private async inside(written: string): Promise<Target> {
    const { path, shown, isInside } = await this.paths.resolveAccess(written);
    if (!isInside)
      throw new PathRefused(t('{file} is outside the open folders. Nothing was changed.', { file: written }));
    return { path, shown };
  }

  private async propose(target: Target, before: TextFile | null, change: Proposal, code: string): Promise<void> {
    const file = target.shown;
    if (change.kind === 'same')
      return void vscode.window.showInformationMessage(
        t('{file} already contains this code. Nothing was changed.', { file }),
      );
    if (change.kind === 'misfit')
      return this.offerInsertion(
        t('Hermes couldn’t tell where this code belongs in {file}. Nothing was changed.', { file }),
        code,
      );
    const { proposed } = this;
    const after = proposed.keep(file, change.text);
    const now = before === null ? proposed.keep(file, '') : uriOfPath(target.path);
    await vscode.commands.executeCommand('vscode.diff', now, after, t('{file} (now ↔ proposed)', { file }), {
      preview: true,
    });
    const apply = t('Apply');
    const question =
      before === null
        ? t('Create {file} with this code? Nothing is written until you apply it.', { file })
        : t('Apply the proposed change to {file}? Nothing is written until you apply it.', { file });
    const answer = await vscode.window.showInformationMessage(question, apply, t('Discard'));
    // A closed notification decides nothing, but the question is not repeated either.
    await proposed.release(after);
    if (before === null) await proposed.release(now);
    if (answer === apply) await this.write(target, before, change.text);
  }

  private async write({ path }: Target, before: TextFile | null, after: string): Promise<void> {
    // Load the document, so that the change becomes a step in the file's undo history.
    if (before !== null) await vscode.workspace.openTextDocument(uriOfPath(path));
    await this.window.fileEditor.apply([{ path, before, after }], new AbortController().signal);
    await vscode.window.showTextDocument(uriOfPath(path), { preview: false });
  }

  private async offerInsertion(sentence: string, code: string): Promise<void> {
    const insert = t('Insert at Cursor');
    if ((await vscode.window.showWarningMessage(sentence, insert)) === insert) await this.lastEditor.insert(code);
  }
}

function pathInDiff(code: string, language: string): string | null {
  if (language !== 'diff' && language !== 'patch') return null;
  const header = /^\+\+\+ (?:b\/)?([^\t\n]+)/m.exec(code)?.[1] ?? /^\*\*\* (?:Update|Add) File: (.+)$/m.exec(code)?.[1];
  return header === undefined || header.trim() === '/dev/null' ? null : header.trim();
}

/** Translates file errors into sentences for the user: those of the file port are written for the model. */
function refusal(error: unknown): string {
  if (error instanceof FileChanged)
    return t(
      'The file changed while you were reviewing, so nothing was applied. Apply the code again to review it against the current file.',
    );
  if (error instanceof CannotWrite)
    return t('Couldn’t write the file: it is read-only, or VS Code couldn’t save it. Nothing was changed.');
  if (error instanceof NotAText)
    return t('Code can’t be applied to a folder or a file that isn’t text. Nothing was changed.');
  if (error instanceof PathRefused) return error.message;
  throw error;
}

function warn(sentence: string): void {
  void vscode.window.showWarningMessage(sentence);
}

/** Maximum number of files offered, most recently modified first: code most likely concerns a recently modified
 *  file. */
const mostFiles = 5000;

/** Lets the user pick a file of the open folders; `first` comes before the others. Resolves to the absolute path.
 *  Null: none was picked. */
async function pickFile(files: WorkspaceFiles, first: string | null): Promise<string | null> {
  const paths = new WorkspacePaths(files);
  const items = files
    .findFiles({ pattern: '**/*', order: 'modified', maxFiles: mostFiles }, AbortSignal.timeout(20_000))
    .then((found) =>
      [...new Set([...(first === null ? [] : [first]), ...found.paths])].map((path) => ({
        label: paths.display(path),
        path,
      })),
    );
  const picked = await vscode.window.showQuickPick(items, {
    title: t('Apply to File'),
    placeHolder: t('The file this code belongs to. You see the change before it is made.'),
  });
  return picked?.path ?? null;
}

/** The editor's id for the language of a fence. Null: this window does not know it. */
export async function languageOf(written: string): Promise<string | null> {
  const language = editorLanguage(written);
  return (await vscode.languages.getLanguages()).includes(language) ? language : null;
}

const proposedScheme = 'hermes-code';

/** Read-only documents with proposed texts for the editor's diff. Each is kept until it is released. */
class ProposedDocuments implements vscode.TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(proposedScheme, this);
  private made = 0;

  /** `name`: a path; the editor detects the language by its end. */
  keep(name: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({
      scheme: proposedScheme,
      path: name.startsWith('/') ? name : `/${name}`,
      query: String(++this.made),
    });
    this.texts.set(uri.toString(), text);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  /** Closes the diff that shows the document, and drops its text. */
  async release(uri: vscode.Uri): Promise<void> {
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
    this.texts.delete(uri.toString());
  }

  dispose(): void {
    this.registration.dispose();
    this.texts.clear();
  }
}

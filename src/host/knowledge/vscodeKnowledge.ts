import * as vscode from 'vscode';
import {
  type CodePlace,
  type CodeSymbol,
  type EditorKnowledge,
  type OpenEditor,
  type OpenEditors,
  type Problem,
  severities,
} from '../../tools/knowledge/editorKnowledge';
import { uriOfPath } from '../workspace/editorPaths';

/** Knowledge of VS Code and its language extensions, through the editor's built-in commands. */
export class VscodeKnowledge implements EditorKnowledge {
  problems(path: string | null): readonly Problem[] {
    if (path !== null) {
      const uri = uriOfPath(path);
      return vscode.languages.getDiagnostics(uri).map((problem) => problemOf(uri, problem));
    }
    return vscode.languages
      .getDiagnostics()
      .flatMap(([uri, problems]) => problems.map((problem) => problemOf(uri, problem)));
  }

  async documentSymbols(path: string): Promise<readonly CodeSymbol[] | null> {
    const uri = await opened(path);
    const symbols = await vscode.commands.executeCommand<
      readonly (vscode.DocumentSymbol | vscode.SymbolInformation)[] | undefined
    >('vscode.executeDocumentSymbolProvider', uri);
    return symbols?.map((symbol) => symbolOf(symbol, uri)) ?? null;
  }

  async workspaceSymbols(query: string): Promise<readonly CodeSymbol[]> {
    const symbols = await vscode.commands.executeCommand<readonly vscode.SymbolInformation[] | undefined>(
      'vscode.executeWorkspaceSymbolProvider',
      query,
    );
    return (symbols ?? []).map((symbol) => symbolOf(symbol, symbol.location.uri));
  }

  async references(at: CodePlace): Promise<readonly CodePlace[] | null> {
    const found = await vscode.commands.executeCommand<readonly vscode.Location[] | undefined>(
      'vscode.executeReferenceProvider',
      await opened(at.path),
      positionOf(at),
    );
    return found?.map(({ uri, range }) => placeOf(uri, range.start)) ?? null;
  }

  async definitions(at: CodePlace): Promise<readonly CodePlace[] | null> {
    const found = await vscode.commands.executeCommand<readonly (vscode.Location | vscode.LocationLink)[] | undefined>(
      'vscode.executeDefinitionProvider',
      await opened(at.path),
      positionOf(at),
    );
    return (
      found?.map((each) =>
        'targetUri' in each
          ? placeOf(each.targetUri, (each.targetSelectionRange ?? each.targetRange).start)
          : placeOf(each.uri, each.range.start),
      ) ?? null
    );
  }

  async hover(at: CodePlace): Promise<readonly string[] | null> {
    const found = await vscode.commands.executeCommand<readonly vscode.Hover[] | undefined>(
      'vscode.executeHoverProvider',
      await opened(at.path),
      positionOf(at),
    );
    return found?.map(({ contents }) => contents.map(textOf).join('\n\n')) ?? null;
  }

  openEditors(): OpenEditors {
    const seen = new Map<string, OpenEditor>();
    for (const group of vscode.window.tabGroups.all) {
      for (const tab of group.tabs) {
        const uri = uriOf(tab.input);
        const path = uri === null ? tab.label : pathOf(uri);
        const isActive = (tab.isActive && group.isActive) || (seen.get(path)?.isActive ?? false);
        seen.set(path, { path, isFile: uri !== null, isActive, hasUnsavedChanges: tab.isDirty });
      }
    }
    return { editors: [...seen.values()], selection: selected() };
  }
}

/** Resolves when the problems of one of the files change or the signal aborts. */
export function problemsChanged(paths: readonly string[], signal: AbortSignal): Promise<void> {
  const files = new Set(paths.map((path) => uriOfPath(path).toString()));
  return new Promise((resolve) => {
    const listener = vscode.languages.onDidChangeDiagnostics(
      ({ uris }) => void (uris.some((uri) => files.has(uri.toString())) && done()),
    );
    if (signal.aborted) done();
    else signal.addEventListener('abort', done, { once: true });
    function done(): void {
      listener.dispose();
      resolve();
    }
  });
}

function selected(): OpenEditors['selection'] {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) return null;
  const { document, selection } = editor;
  // A log, an output channel and the like are not file editors.
  if (document.uri.scheme === 'output') return null;
  const isFile = document.uri.scheme !== 'untitled';
  return {
    path: isFile ? pathOf(document.uri) : document.fileName,
    isFile,
    startLine: selection.start.line + 1,
    endLine: selection.end.line + 1,
    text: document.getText(selection),
  };
}

/** Opens the document without showing it: language extensions answer only for open documents. */
async function opened(path: string): Promise<vscode.Uri> {
  return (await vscode.workspace.openTextDocument(uriOfPath(path))).uri;
}

export function problemOf(uri: vscode.Uri, { range, severity, message, source, code }: vscode.Diagnostic): Problem {
  const number = typeof code === 'object' ? code.value : code;
  return {
    ...placeOf(uri, range.start),
    severity: severities[severity] ?? 'hint',
    message,
    source: [source, number].filter((part) => part !== undefined && part !== '').join(' '),
  };
}

function symbolOf(symbol: vscode.DocumentSymbol | vscode.SymbolInformation, uri: vscode.Uri): CodeSymbol {
  const kind = (vscode.SymbolKind[symbol.kind] ?? 'symbol').toLowerCase();
  if (!('location' in symbol)) {
    const children = symbol.children.map((child) => symbolOf(child, uri));
    return {
      name: symbol.name,
      kind,
      place: placeOf(uri, symbol.selectionRange.start),
      endLine: symbol.range.end.line + 1,
      container: '',
      children,
    };
  }
  const { location, name, containerName } = symbol;
  return {
    name,
    kind,
    place: placeOf(location.uri, location.range.start),
    endLine: location.range.end.line + 1,
    container: containerName ?? '',
    children: [],
  };
}

/** Path of a file. Anything else (a definition inside an archive) keeps its URI, which never matches a path of the
 *  open folders. */
function pathOf(uri: vscode.Uri): string {
  const isOpen = vscode.workspace.getWorkspaceFolder(uri) !== undefined;
  return uri.scheme === 'file' || isOpen ? uri.fsPath : uri.toString(true);
}

function placeOf(uri: vscode.Uri, { line, character }: vscode.Position): CodePlace {
  return { path: pathOf(uri), line: line + 1, column: character + 1 };
}

function positionOf({ line, column }: CodePlace): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}

function uriOf(input: unknown): vscode.Uri | null {
  if (
    input instanceof vscode.TabInputText ||
    input instanceof vscode.TabInputCustom ||
    input instanceof vscode.TabInputNotebook
  )
    return input.uri;
  if (input instanceof vscode.TabInputTextDiff || input instanceof vscode.TabInputNotebookDiff) return input.modified;
  return null;
}

function textOf(content: vscode.MarkdownString | vscode.MarkedString): string {
  if (typeof content === 'string') return content;
  return 'language' in content ? `\`\`\`${content.language}\n${content.value}\n\`\`\`` : content.value;
}

/** Returns the text selected in the active terminal; null if nothing is selected. Extensions cannot read that
 *  selection, so this copies it and then restores the clipboard's text. `mark` is a unique text that shows that
 *  nothing was copied. */
export async function terminalSelection(mark: string): Promise<string | null> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  await clipboard.writeText(mark);
  try {
    await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
    const text = await clipboard.readText();
    return text === mark || text.trim() === '' ? null : text;
  } finally {
    await clipboard.writeText(before);
  }
}

import * as vscode from 'vscode';
import { systemClock } from '../../base/clock';
import {
  CannotWrite,
  FileChanged,
  NotAText,
  type FileEdit,
  type TextFile,
  type TextFormat,
} from '../../tools/files/fileEditor';

const formats: ReadonlyMap<string, TextFormat> = new Map([
  ['utf8', { encoding: 'utf8', hasBom: false }],
  ['utf8bom', { encoding: 'utf8', hasBom: true }],
  ['utf16le', { encoding: 'utf16le', hasBom: true }],
  ['utf16be', { encoding: 'utf16be', hasBom: true }],
]);

/** Milliseconds to wait for a save that the editor began. It gives each extension that takes part less than 2 s. */
const otherSaveMs = 4000;

/** Document of a file that the editor has loaded, in a tab or for another extension. */
export function loadedDocument(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(
    (document) => !document.isClosed && document.uri.toString() === uri.toString(),
  );
}

/** Format in which the editor will save a document. Throws `NotAText` for an encoding that is not Unicode. */
export function documentFormat(document: vscode.TextDocument): TextFormat {
  const format = formats.get(document.encoding);
  if (format === undefined)
    throw new NotAText(
      `${document.uri.fsPath} is open with unsaved changes in the encoding ${document.encoding}, which cannot be ` +
        'edited. Ask the person to save it as UTF-8.',
    );
  return format;
}

/** True when a clean document represents a file byte for byte, now and after an edit: same text, same encoding, one
 *  kind of line ending. */
export function textInDocument(document: vscode.TextDocument, before: TextFile, after: string): boolean {
  const format = formats.get(document.encoding);
  if (format === undefined || format.encoding !== before.encoding || format.hasBom !== before.hasBom) return false;
  return document.getText() === before.text && after.replace(/\r\n|\r|\n/g, lineEnd(document)) === after;
}

/** Changes a document in one undo step and saves it. Resolves to a function that reverts this. */
export async function editDocument(
  document: vscode.TextDocument,
  { path, before, after }: FileEdit,
): Promise<() => Promise<void>> {
  const [earlier, wanted] = [before?.text ?? '', after ?? ''];
  const tabsBefore = tabsOf(document.uri).length;
  const wasDirty = document.isDirty;
  if (!(await replaceText(document, earlier, wanted)))
    throw new FileChanged(
      path,
      `${path} was changed by someone else meanwhile. Read it again and repeat the edit on what it holds now; ` +
        'nothing was changed.',
    );
  const takeBack = async (): Promise<void> => {
    await replaceText(document, document.getText(), earlier);
    if (!wasDirty) await saveDocument(document);
  };
  if (!(await saveDocument(document))) {
    await takeBack();
    throw new CannotWrite(
      path,
      `The editor could not save ${path}: it is read-only, or it has changed on disk behind the unsaved text. ` +
        'The edit was taken back. Ask the person to save or reload it.',
    );
  }
  // Close the tab that the editor opens for a hidden document when saving takes long.
  if (tabsBefore === 0) await vscode.window.tabGroups.close(tabsOf(document.uri), true);
  return takeBack;
}

/** Saves a document; false if the editor could not. While formatters and other participants of an auto save run, the
 *  editor refuses every other save of the document, although the auto save will write the newest text. Then waits for
 *  that one, and asks again. */
export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  let cancel = (): void => undefined;
  let saved: vscode.Disposable | undefined;
  const otherSave = new Promise<void>((resolve) => {
    saved = vscode.workspace.onDidSaveTextDocument((other) => {
      if (other === document) resolve();
    });
    cancel = systemClock.after(otherSaveMs, resolve);
  });
  try {
    if (await document.save()) return true;
    if (document.isDirty) await otherSave;
    return await document.save();
  } finally {
    cancel();
    saved?.dispose();
  }
}

/** Replaces only the part that differs, so that the cursor, folds and marks around it stay. False when the document
 *  has changed in the meantime. */
async function replaceText(document: vscode.TextDocument, from: string, to: string): Promise<boolean> {
  if (document.getText() !== from) return false;
  const { start, end, text } = difference(from, to);
  const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
  // In the active editor, a workspace edit is minimized further, per code unit. That splits an emoji if half of it
  // stays the same.
  const visible = vscode.window.visibleTextEditors.find((editor) => editor.document === document);
  if (visible !== undefined) return visible.edit((builder) => builder.replace(range, text));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, text);
  return vscode.workspace.applyEdit(edit);
}

/** Range between the common beginning and the common end. Never splits a line ending or a surrogate pair. */
export function difference(
  from: string,
  to: string,
): { readonly start: number; readonly end: number; readonly text: string } {
  const most = Math.min(from.length, to.length);
  let start = 0;
  while (start < most && from[start] === to[start]) start++;
  while (start > 0 && (cuts(from, start) || cuts(to, start))) start--;
  let tail = 0;
  while (tail < most - start && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  while (tail > 0 && (cuts(from, from.length - tail) || cuts(to, to.length - tail))) tail--;
  return { start, end: from.length - tail, text: to.slice(start, to.length - tail) };
}

function cuts(text: string, at: number): boolean {
  return /^(?:\r\n|[\ud800-\udbff][\udc00-\udfff])$/.test(text.slice(at - 1, at + 1));
}

function lineEnd(document: vscode.TextDocument): string {
  return document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === uri.toString());
}

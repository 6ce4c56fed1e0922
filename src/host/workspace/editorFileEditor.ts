import { access, constants, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import * as vscode from 'vscode';
import { errorMessage } from '../../base/errorMessage';
import {
  CannotWrite,
  FileChanged,
  NotAText,
  type FileEdit,
  type FileEditor,
  type TextFile,
} from '../../tools/files/fileEditor';
import {
  assertUnchanged,
  bytesAfter,
  decodeTextFile,
  maxEditableBytes,
  textFile,
  tooLarge,
} from '../../tools/files/textFormat';
import { documentFormat, editDocument, loadedDocument, saveDocument, textInDocument } from './documentEdits';
import { uriOfPath, isMissingFile } from './editorPaths';

/** A function that reverts a completed step. */
type Undo = () => Promise<void>;

/** Edits files through the editor. Changes and saves an open document in place, so that undo works and the user sees
 *  the change. Writes any other file as bytes, so that no editor opens and its line endings and encoding stay.
 *  Creates and deletes files by workspace edits, so that other extensions are notified. Runs one edit after the
 *  other. */
export class EditorFileEditor implements FileEditor {
  private last: Promise<unknown> = Promise.resolve();

  /** `onWrite`: called with the content of each file before it is written. */
  constructor(private readonly onWrite: (path: string, bytes: Uint8Array) => void = () => undefined) {}

  async open(path: string, signal: AbortSignal): Promise<TextFile | null> {
    signal.throwIfAborted();
    const uri = uriOfPath(path);
    const document = loadedDocument(uri);
    if (document?.isDirty === true) return textFile(path, document.getText(), documentFormat(document));
    const found = await statOf(uri);
    if (found === null) return null;
    if ((found.type & vscode.FileType.File) === 0) throw notAFile(path, found);
    if (found.size > maxEditableBytes) throw tooLarge(path, found.size);
    return decodeTextFile(path, await vscode.workspace.fs.readFile(uri));
  }

  async bytesOnDisk(path: string): Promise<Uint8Array | null> {
    const uri = uriOfPath(path);
    try {
      const found = await vscode.workspace.fs.stat(uri);
      if ((found.type & vscode.FileType.Directory) !== 0) return null;
      if ((found.type & vscode.FileType.File) === 0) throw notAFile(path, found);
      return await vscode.workspace.fs.readFile(uri);
    } catch (error) {
      if (isMissingFile(error)) return null;
      throw error;
    }
  }

  apply(edits: readonly FileEdit[], signal: AbortSignal): Promise<void> {
    const turn = this.last.then(() => this.applyNow(edits, signal));
    this.last = turn.catch(() => undefined); // the caller gets the error; the next edit runs anyway
    return turn;
  }

  private async applyNow(edits: readonly FileEdit[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const written = edits.map((edit) => ({ edit, uri: uriOfPath(edit.path), bytes: bytesAfter(edit) }));
    for (const { edit, uri } of written) await this.check(edit, uri, signal);
    const done: Undo[] = [];
    try {
      for (const { edit, uri, bytes } of written) done.push(await this.write(edit, uri, bytes));
    } catch (error) {
      for (const undo of done.reverse()) await undo();
      throw error;
    }
  }

  /** Refuses every edit that is known to fail, before anything is written. */
  private async check(edit: FileEdit, uri: vscode.Uri, signal: AbortSignal): Promise<void> {
    assertUnchanged(edit, await this.open(edit.path, signal));
    await refuseOtherEditor(edit, uri);
    if (edit.before === null) await refuseFileInTheWay(edit, uri);
    if (edit.before !== null && (await isReadOnly(uri)))
      throw new CannotWrite(
        edit.path,
        `${edit.path} is read-only. Nothing was changed. Ask the person to make it writable.`,
      );
    if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) === false)
      throw new CannotWrite(edit.path, `${edit.path} lies on a file system that is read-only. Nothing was changed.`);
  }

  private async write(edit: FileEdit, uri: vscode.Uri, bytes: Uint8Array | null): Promise<Undo> {
    const { before, after } = edit;
    if (bytes === null || after === null) return remove(edit, uri);
    this.onWrite(uri.fsPath, bytes);
    if (before === null) return create(edit, uri, bytes);
    const document = loadedDocument(uri);
    // A document holds one kind of line ending. Text that it would not save byte for byte is written directly to the
    // file; the document then reloads.
    if (document !== undefined && (document.isDirty || textInDocument(document, before, after)))
      return editDocument(document, edit);
    const earlier = bytesAfter({ ...edit, after: before.text }) ?? new Uint8Array();
    await writeBytes(edit.path, uri, bytes);
    return () => writeBytes(edit.path, uri, earlier);
  }
}

async function create(edit: FileEdit, uri: vscode.Uri, bytes: Uint8Array): Promise<Undo> {
  const making = new vscode.WorkspaceEdit();
  making.createFile(uri, { overwrite: false, ignoreIfExists: false, contents: bytes });
  if (!(await vscode.workspace.applyEdit(making))) {
    if ((await statOf(uri)) !== null)
      throw new FileChanged(edit.path, `${edit.path} exists by now. Read it first; nothing was changed.`);
    throw new CannotWrite(edit.path, `The editor could not create ${edit.path}.`);
  }
  return () => Promise.resolve(vscode.workspace.fs.delete(uri));
}

async function remove(edit: FileEdit, uri: vscode.Uri): Promise<Undo> {
  const earlier = bytesAfter({ ...edit, after: edit.before?.text ?? '' }) ?? new Uint8Array();
  const document = loadedDocument(uri);
  // Save unsaved text first, so that it is deleted with the file; otherwise the editor would keep it open as a file
  // that no longer exists.
  if (document?.isDirty === true && !(await saveDocument(document)))
    throw new CannotWrite(
      edit.path,
      `${edit.path} has unsaved changes that the editor could not save, so it was not deleted.`,
    );
  const removing = new vscode.WorkspaceEdit();
  removing.deleteFile(uri, { recursive: false, ignoreIfNotExists: false });
  if (!(await vscode.workspace.applyEdit(removing)))
    throw new CannotWrite(edit.path, `The editor could not delete ${edit.path}.`);
  return () => writeBytes(edit.path, uri, earlier);
}

async function writeBytes(path: string, uri: vscode.Uri, bytes: Uint8Array): Promise<void> {
  try {
    await vscode.workspace.fs.writeFile(uri, bytes);
  } catch (error) {
    throw new CannotWrite(path, `${path} could not be written: ${errorMessage(error)}`);
  }
}

/** Refuses files with unsaved changes that are not visible from here: in notebooks and custom editors, or under a
 *  second name of the same file. */
async function refuseOtherEditor({ path }: FileEdit, uri: vscode.Uri): Promise<void> {
  const dirtyTabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter((tab) => tab.isDirty);
  for (const { input } of dirtyTabs) {
    if (!(input instanceof vscode.TabInputCustom) && !(input instanceof vscode.TabInputNotebook)) continue;
    if (input.uri.toString() === uri.toString())
      throw new CannotWrite(
        path,
        `${path} is open with unsaved changes in an editor that is not a text editor. Nothing was changed. Ask ` +
          'the person to save it.',
      );
  }
  if (uri.scheme !== 'file') return;
  const here = await fileIdentity(uri);
  for (const document of vscode.workspace.textDocuments) {
    if (
      !document.isDirty ||
      document.uri.scheme !== 'file' ||
      document.uri.toString() === uri.toString() ||
      here === null
    )
      continue;
    if ((await fileIdentity(document.uri)) === here)
      throw new CannotWrite(
        path,
        `${path} is open with unsaved changes under another name (${document.uri.fsPath}). Nothing was changed. ` +
          'Ask the person to save it.',
      );
  }
}

async function fileIdentity(uri: vscode.Uri): Promise<string | null> {
  const found = await stat(uri.fsPath).catch(() => null);
  return found === null || found.ino === 0 ? null : `${found.dev} ${found.ino}`;
}

async function refuseFileInTheWay({ path }: FileEdit, uri: vscode.Uri): Promise<void> {
  for (let parent = uri; ;) {
    const above = parent.with({ path: posix.dirname(parent.path) });
    if (above.path === parent.path) return;
    const found = await statOf(above);
    if (found !== null && (found.type & vscode.FileType.Directory) === 0)
      throw new CannotWrite(path, `${above.fsPath} is a file, so ${path} cannot be created. Nothing was changed.`);
    if (found !== null) return;
    parent = above;
  }
}

async function isReadOnly(uri: vscode.Uri): Promise<boolean> {
  const found = await statOf(uri);
  if (found?.permissions !== undefined && (found.permissions & vscode.FilePermission.Readonly) !== 0) return true;
  if (uri.scheme !== 'file') return false;
  // An administrator can write everything; still leave a file alone that is marked read-only.
  const mode = await stat(uri.fsPath).then(
    ({ mode }) => mode,
    () => null,
  );
  if (mode !== null && (mode & 0o222) === 0) return true;
  return access(uri.fsPath, constants.W_OK).then(
    () => false,
    () => true,
  );
}

/** A pipe or a device may never end. */
function notAFile(path: string, { type }: vscode.FileStat): NotAText {
  return new NotAText(
    `${path} is ${(type & vscode.FileType.Directory) === 0 ? 'a pipe, a device' : 'a folder'}, not a file.`,
  );
}

async function statOf(uri: vscode.Uri): Promise<vscode.FileStat | null> {
  try {
    return await vscode.workspace.fs.stat(uri);
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw error;
  }
}

import { realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import {
  type DirectoryEntry,
  type FileKind,
  type FileSearch,
  type FileSearchResult,
  type TextSearch,
  type TextSearchResult,
  type WorkspaceFiles,
  type WorkspaceRoot,
  FileNotFound,
} from '../../tools/workspaceFiles';
import { uriOfPath, isMissingFile } from './editorPaths';
import type { EditorTextSearch } from './editorTextSearch';

interface OpenFolder extends WorkspaceRoot {
  readonly uri: vscode.Uri;
}

/** The open folders through the editor: works with any file system it can open. Reads a file with unsaved changes as
 *  its editor shows it. */
export class EditorWorkspaceFiles implements WorkspaceFiles {
  constructor(private readonly textSearch: EditorTextSearch) {}

  roots(): readonly OpenFolder[] {
    const taken = new Map<string, number>();
    return (vscode.workspace.workspaceFolders ?? []).map((folder) => {
      const count = (taken.get(folder.name) ?? 0) + 1;
      taken.set(folder.name, count);
      return {
        name: count === 1 ? folder.name : `${folder.name} (${count})`,
        path: folder.uri.fsPath,
        uri: folder.uri,
      };
    });
  }

  async kindOf(path: string): Promise<FileKind | null> {
    try {
      return fileKind((await vscode.workspace.fs.stat(uriOfPath(path))).type);
    } catch (error) {
      if (isMissingFile(error)) return null;
      throw error;
    }
  }

  async realPath(path: string): Promise<string> {
    // Only a disk has links that can lead outside; other file systems use their own paths.
    return uriOfPath(path).scheme === 'file' ? realpath(path) : path;
  }

  async size(path: string): Promise<number> {
    const unsaved = unsavedBytes(uriOfPath(path));
    if (unsaved !== null) return unsaved.length;
    return (await this.existing(path, (uri) => vscode.workspace.fs.stat(uri))).size;
  }

  async read(path: string, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted();
    return unsavedBytes(uriOfPath(path)) ?? (await this.existing(path, (uri) => vscode.workspace.fs.readFile(uri)));
  }

  async list(path: string, signal: AbortSignal): Promise<readonly DirectoryEntry[]> {
    signal.throwIfAborted();
    const entries = await this.existing(path, (uri) => vscode.workspace.fs.readDirectory(uri));
    return entries.map(([name, type]) => ({ name, kind: fileKind(type) }));
  }

  async searchText(search: TextSearch, signal: AbortSignal): Promise<TextSearchResult> {
    return this.textSearch.search(this.searched(search.folder), search, signal);
  }

  async findFiles(search: FileSearch, signal: AbortSignal): Promise<FileSearchResult> {
    return this.textSearch.findFiles(this.searched(search.folder), search, signal);
  }

  private searched(folder: string | undefined): readonly OpenFolder[] {
    if (folder === undefined) return this.roots();
    const uri = uriOfPath(folder);
    return [{ name: basename(folder), path: uri.fsPath, uri }];
  }

  private async existing<T>(path: string, ask: (uri: vscode.Uri) => Thenable<T>): Promise<T> {
    try {
      return await ask(uriOfPath(path));
    } catch (error) {
      if (isMissingFile(error)) throw new FileNotFound(path);
      throw error;
    }
  }
}

/** Text that the editor shows for a file with unsaved changes. Null: the file on disk is current. */
function unsavedBytes(uri: vscode.Uri): Uint8Array | null {
  const document = vscode.workspace.textDocuments.find(
    (open) => open.isDirty && open.uri.toString() === uri.toString(),
  );
  return document === undefined ? null : new TextEncoder().encode(document.getText());
}

function fileKind(type: vscode.FileType): FileKind {
  // A symbolic link carries the kind of its target in addition to its own bit.
  if ((type & vscode.FileType.File) !== 0) return 'file';
  if ((type & vscode.FileType.Directory) !== 0) return 'directory';
  return 'other';
}

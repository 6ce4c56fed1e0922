import { promises as fs } from 'node:fs';
import * as path from 'node:path';
import { globMatcher } from '../../src/host/workspace/folderWalk';
import {
  type DirectoryEntry,
  type FileKind,
  FileNotFound,
  type FileSearch,
  type FileSearchResult,
  type TextSearch,
  type TextSearchResult,
  type WorkspaceFiles,
  type WorkspaceRoot,
} from '../../src/tools/workspaceFiles';

/** The open folders of a test: real folders on disk, searched line by line. */
export class FolderOnDisk implements WorkspaceFiles {
  constructor(private readonly folders: readonly WorkspaceRoot[]) {}

  roots(): readonly WorkspaceRoot[] {
    return this.folders;
  }

  async kindOf(file: string): Promise<FileKind | null> {
    try {
      const stat = await fs.stat(file);
      return stat.isDirectory() ? 'directory' : stat.isFile() ? 'file' : 'other';
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
        return null;
      throw error;
    }
  }

  realPath(file: string): Promise<string> {
    return fs.realpath(file);
  }

  async size(file: string): Promise<number> {
    return (await fs.stat(file)).size;
  }

  async read(file: string): Promise<Uint8Array> {
    if ((await this.kindOf(file)) === null) throw new FileNotFound(file);
    return fs.readFile(file);
  }

  async list(folder: string): Promise<readonly DirectoryEntry[]> {
    const entries = await fs.readdir(folder, { withFileTypes: true });
    return entries.map((entry) => ({
      name: entry.name,
      kind: entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : 'other',
    }));
  }

  async searchText(search: TextSearch, signal: AbortSignal): Promise<TextSearchResult> {
    const escaped = search.isRegularExpression ? search.query : search.query.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const expression = new RegExp(escaped, search.caseSensitive ? '' : 'i');
    const matches: { path: string; line: number; text: string }[] = [];
    for (const root of this.searched(search.folder)) {
      for (const name of (await fs.readdir(root.path, { recursive: true })).sort()) {
        signal.throwIfAborted();
        const file = path.join(root.path, name);
        if ((await this.kindOf(file)) !== 'file') continue;
        const lines = (await fs.readFile(file, 'utf8')).split('\n');
        for (const [index, text] of lines.entries())
          if (expression.test(text)) matches.push({ path: file, line: index + 1, text });
      }
    }
    return { matches: matches.slice(0, search.maxMatches), limited: matches.length > search.maxMatches };
  }

  async findFiles(search: FileSearch, signal: AbortSignal): Promise<FileSearchResult> {
    signal.throwIfAborted();
    const matches = globMatcher(search.pattern);
    const found: { path: string; modifiedAt: number }[] = [];
    for (const root of this.searched(search.folder)) {
      for (const name of await fs.readdir(root.path, { recursive: true })) {
        const file = path.join(root.path, name);
        if ((await this.kindOf(file)) !== 'file' || !matches(name.split(path.sep).join('/'))) continue;
        found.push({ path: file, modifiedAt: (await fs.stat(file)).mtimeMs });
      }
    }
    found.sort(
      (left, right) =>
        (search.order === 'modified' ? right.modifiedAt - left.modifiedAt : 0) || (left.path < right.path ? -1 : 1),
    );
    return { paths: found.slice(0, search.maxFiles).map((file) => file.path), limited: found.length > search.maxFiles };
  }

  private searched(folder: string | undefined): readonly WorkspaceRoot[] {
    return folder === undefined ? this.folders : [{ name: path.basename(folder), path: folder }];
  }
}

import { promises as fs } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { globMatcher, diskReader, walkFolder } from '../../../host/workspace/folderWalk';
import { Pace } from '../../../host/workspace/pace';
import { scanFolder } from '../../../host/workspace/scanSearch';
import { CannotWrite, type FileEdit, type FileEditor, NotAText, type TextFile } from '../../../tools/files/fileEditor';
import {
  assertUnchanged,
  bytesAfter,
  decodeTextFile,
  encodeText,
  maxEditableBytes,
  textFile,
  tooLarge,
} from '../../../tools/files/textFormat';
import {
  type DirectoryEntry,
  type FileKind,
  FileNotFound,
  type FileSearch,
  type FileSearchResult,
  type TextMatch,
  type TextSearch,
  type TextSearchResult,
  type WorkspaceFiles,
  type WorkspaceRoot,
} from '../../../tools/workspaceFiles';

/** Files as the client has them, with unsaved text. A method is absent where the client does not offer it. */
export interface ClientEditor {
  readText?(path: string): Promise<string>;
  writeText?(path: string, text: string): Promise<void>;
}

/** Folders of a session: files on the disk, and the client's text of those that it has open. */
export class ClientFiles implements WorkspaceFiles, FileEditor {
  constructor(
    private readonly folders: readonly WorkspaceRoot[],
    private readonly client: ClientEditor,
  ) {}

  roots(): readonly WorkspaceRoot[] {
    return this.folders;
  }

  async kindOf(path: string): Promise<FileKind | null> {
    const found = await fs.stat(path).catch(missing);
    return found === null ? null : kindOf(found);
  }

  realPath(path: string): Promise<string> {
    return fs.realpath(path);
  }

  async size(path: string): Promise<number> {
    return (await fs.stat(path)).size;
  }

  async read(path: string): Promise<Uint8Array> {
    const bytes = await fs.readFile(path).catch(missing);
    if (bytes === null) throw new FileNotFound(path);
    const text = decodedOrNull(path, bytes);
    return text === null ? bytes : encodeText(path, (await this.current(text)).text, text);
  }

  async list(path: string): Promise<readonly DirectoryEntry[]> {
    return (await fs.readdir(path, { withFileTypes: true })).map((entry) => ({
      name: entry.name,
      kind: kindOf(entry),
    }));
  }

  async searchText(search: TextSearch, signal: AbortSignal): Promise<TextSearchResult> {
    const accepts = search.include === null ? () => true : globMatcher(search.include);
    const matches: TextMatch[] = [];
    for (const root of this.searched(search.folder)) {
      const limit = search.maxMatches + 1 - matches.length;
      matches.push(
        ...(await scanFolder({ root, reader: diskReader, excludes: [], signal, search, accepts, limit }, new Pace())),
      );
    }
    return { matches: matches.slice(0, search.maxMatches), limited: matches.length > search.maxMatches };
  }

  async findFiles(search: FileSearch, signal: AbortSignal): Promise<FileSearchResult> {
    const matches = globMatcher(search.pattern);
    const found: { readonly path: string; readonly modifiedAt: number }[] = [];
    for (const root of this.searched(search.folder))
      for await (const name of walkFolder({ root, reader: diskReader, excludes: [], signal, pace: new Pace() })) {
        if (!matches(name)) continue;
        const path = join(root, name);
        const modifiedAt = search.order === 'modified' ? ((await fs.stat(path).catch(missing))?.mtimeMs ?? 0) : 0;
        found.push({ path, modifiedAt });
      }
    found.sort((one, other) => other.modifiedAt - one.modifiedAt || (one.path < other.path ? -1 : 1));
    return { paths: found.slice(0, search.maxFiles).map(({ path }) => path), limited: found.length > search.maxFiles };
  }

  async open(path: string): Promise<TextFile | null> {
    const found = await fs.stat(path).catch(missing);
    if (found === null) return null;
    if (!found.isFile()) throw new NotAText(`${path} is not a file.`);
    if (found.size > maxEditableBytes) throw tooLarge(path, found.size);
    return this.current(decodeTextFile(path, await fs.readFile(path)));
  }

  async bytesOnDisk(path: string): Promise<Uint8Array | null> {
    const found = await fs.stat(path).catch(missing);
    if (found === null || found.isDirectory()) return null;
    if (!found.isFile()) throw new NotAText(`${path} is not a file.`);
    return fs.readFile(path).catch(missing);
  }

  async apply(edits: readonly FileEdit[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (const edit of edits) {
      bytesAfter(edit);
      assertUnchanged(edit, await this.open(edit.path));
      await assertWritable(edit);
    }
    const done: FileEdit[] = [];
    try {
      for (const edit of edits) {
        await this.write(edit);
        done.push(edit);
      }
    } catch (error) {
      for (const edit of done.reverse())
        await this.write({
          ...edit,
          before: null,
          after: edit.before?.text ?? null,
          ...(edit.before === null ? {} : { format: edit.before }),
        });
      throw error;
    }
  }

  /** The client's text of a file, where it offers one. A client that cannot tell has none. */
  private async current(onDisk: TextFile): Promise<TextFile> {
    const text = await this.client.readText?.(onDisk.path).catch(() => undefined);
    return text === undefined || text === onDisk.text ? onDisk : textFile(onDisk.path, text, onDisk);
  }

  private async write(edit: FileEdit): Promise<void> {
    const bytes = bytesAfter(edit);
    if (bytes === null || edit.after === null) return fs.rm(edit.path);
    const { encoding, hasBom } = edit.before ?? edit.format ?? { encoding: 'utf8', hasBom: false };
    await fs.mkdir(dirname(edit.path), { recursive: true });
    if (this.client.writeText !== undefined && encoding === 'utf8' && !hasBom) {
      await this.client.writeText(edit.path, edit.after).catch(() => undefined);
      const written = await this.bytesOnDisk(edit.path);
      if (written !== null && Buffer.compare(written, bytes) === 0) return;
    }
    // The client has refused the text, or has taken it and not saved it.
    await fs.writeFile(edit.path, bytes);
  }

  private searched(folder: string | undefined): readonly string[] {
    return folder === undefined ? this.folders.map(({ path }) => path) : [folder];
  }
}

/** The folders of a session, each with a name of its own. */
export function rootsOf(folders: readonly string[]): readonly WorkspaceRoot[] {
  const names = folders.map((path) => basename(path) || path);
  return folders.map((path, index) => ({
    path,
    name: names.indexOf(names[index] ?? '') === index ? (names[index] ?? path) : `${names[index]} ${index + 1}`,
  }));
}

function kindOf(found: { isFile(): boolean; isDirectory(): boolean }): FileKind {
  return found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other';
}

function decodedOrNull(path: string, bytes: Uint8Array): TextFile | null {
  try {
    return decodeTextFile(path, bytes);
  } catch {
    return null;
  }
}

async function assertWritable({ path, before }: FileEdit): Promise<void> {
  if (before !== null && ((await fs.stat(path)).mode & 0o222) === 0)
    throw new CannotWrite(path, `${path} is read-only. Nothing was changed.`);
}

function missing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
  throw error;
}

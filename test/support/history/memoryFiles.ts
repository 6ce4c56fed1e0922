import type {
  ByteRange,
  FileFacts,
  FolderEntry,
  HistoryFiles,
} from '../../../src/features/history/core/sources/reading/historyFiles';

/** Files in memory, by their paths. Reads in small pieces, so that every border is met. */
export class MemoryFiles implements HistoryFiles {
  private readonly files: ReadonlyMap<string, Uint8Array>;

  constructor(
    files: { readonly [path: string]: string | Uint8Array },
    private readonly pieceBytes = 1000,
  ) {
    this.files = new Map(
      Object.entries(files).map(([path, content]) => [
        path,
        typeof content === 'string' ? new TextEncoder().encode(content) : content,
      ]),
    );
  }

  list(folder: string): Promise<readonly FolderEntry[]> {
    const entries = new Map<string, FolderEntry>();
    for (const path of this.files.keys()) {
      if (!path.startsWith(`${folder}/`)) continue;
      const [name = '', ...below] = path.slice(folder.length + 1).split('/');
      entries.set(name, { name, kind: below.length === 0 ? 'file' : 'folder' });
    }
    return Promise.resolve([...entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)));
  }

  stat(path: string): Promise<FileFacts | null> {
    const file = this.files.get(path);
    return Promise.resolve(file === undefined ? null : { kind: 'file', size: file.length, modifiedAt: 1_700_000_000 });
  }

  async *read(path: string, { start = 0, end }: ByteRange = {}): AsyncGenerator<Uint8Array> {
    const bytes = this.files.get(path)?.subarray(start, end) ?? new Uint8Array();
    for (let at = 0; at < bytes.length; at += this.pieceBytes) {
      yield await Promise.resolve(bytes.subarray(at, at + this.pieceBytes));
    }
  }
}

import { t } from '../../base/translate';
import { decodeText } from '../../tools/readFile';
import { type ReadDenials, withheldFor } from '../../tools/secretFiles';
import { FileNotFound, type WorkspaceFiles } from '../../tools/workspaceFiles';
import { type FileOrigin, type LeftFile, leftSentence } from '../../transcript/contextFiles';
import { type AgentFolder, type FolderLayout, largestFile, mostEntries, type Use } from './agentFolder';

/** Takes each file that exists and is not read. */
export type Leave = (file: LeftFile) => void;

/** Reads the files for agents of one folder, each by itself: one that cannot be read is left out and reported. One
 *  that may define hooks rejects then, because a guard may be in it, and says why. */
export abstract class ReadableFolder implements AgentFolder {
  abstract readonly origin: FileOrigin;
  abstract readonly layout: FolderLayout;
  abstract readonly root: string | null;

  protected readonly files: WorkspaceFiles;

  constructor(
    private readonly denials: ReadDenials,
    protected readonly signal: AbortSignal,
    private readonly left: Leave,
  ) {
    this.files = denials.files;
  }

  abstract shown(path: string): string;
  abstract below(name: string): Promise<readonly string[]>;
  /** Absolute path. Null when there is nothing of this kind. Rejects with `LeftOut` when it must not be read. */
  protected abstract find(path: string, kind: 'file' | 'directory'): Promise<string | null>;

  async size(path: string): Promise<number | null> {
    return this.reading(path, async () => {
      const found = await this.find(path, 'file');
      return found === null ? null : this.files.size(found);
    });
  }

  async text(path: string, use: Use = 'model'): Promise<string | null> {
    return this.reading(
      path,
      async () => {
        const found = await this.find(path, 'file');
        if (found === null) return null;
        const reason = use === 'model' ? await withheldFor(this.denials, found) : null;
        if (reason !== null) throw new LeftOut(reason);
        if ((await this.files.size(found)) > largestFile) throw new LeftOut('size');
        const text = decodeText(await this.files.read(found, this.signal));
        if (text === null) throw new LeftOut('text');
        return text;
      },
      use,
    );
  }

  async names(path: string, kind: 'file' | 'directory', use: Use = 'model'): Promise<readonly string[]> {
    const found = await this.reading(
      path,
      async () => {
        const folder = await this.find(path, 'directory');
        if (folder === null) return null;
        const entries = await this.files.list(folder, this.signal);
        const kinds = await Promise.all(entries.map((entry) => this.kindOf(folder, entry)));
        return entries.filter((_, index) => kinds[index] === kind).map(({ name }) => name);
      },
      use,
    );
    return (found ?? []).toSorted().slice(0, mostEntries);
  }

  leave(path: string, reason: LeftFile['reason']): void {
    this.left({ path: this.shown(path), reason });
  }

  /** Kind of an entry. Null for one that is not followed. */
  protected kindOf(
    _folder: string,
    entry: Awaited<ReturnType<WorkspaceFiles['list']>>[number],
  ): Promise<string | null> {
    return Promise.resolve(entry.kind);
  }

  private async reading<T>(path: string, read: () => Promise<T | null>, use: Use = 'model'): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      this.signal.throwIfAborted();
      if (error instanceof FileNotFound) return null;
      const file = { path: this.shown(path), reason: error instanceof LeftOut ? error.reason : 'unreadable' } as const;
      // A link in a circle holds nothing.
      const isLoop = error instanceof Error && 'code' in error && error.code === 'ELOOP';
      if (use === 'hooks' && !isLoop) throw error instanceof LeftOut ? new Error(leftSentence(file, t)) : error;
      this.left(file);
      return null;
    }
  }
}

export class LeftOut extends Error {
  override readonly name = 'LeftOut';

  constructor(readonly reason: LeftFile['reason']) {
    super(reason);
  }
}

import * as nodePath from 'node:path';
import { contains } from '../../tools/accessPaths';
import { decodeText } from '../../tools/readFile';
import { holdsSecrets } from '../../tools/secretFiles';
import { FileNotFound, type WorkspaceFiles } from '../../tools/workspaceFiles';
import type { LeftFile, PersonalGroup } from '../../transcript/contextFiles';
import { type AgentFolder, largestFile, layouts, mostEntries } from './agentFolder';
import type { PersonalPlaces } from './personalPlaces';

/** Reads one group of the user's own files for agents. Follows links that stay in the home folder or in the group's
 *  folder: such files are often kept in a repository. Reports each file that exists and is not read. */
export class PersonalFolder implements AgentFolder {
  readonly layout;
  private readonly base: string;

  constructor(
    private readonly files: WorkspaceFiles,
    private readonly places: PersonalPlaces,
    readonly origin: PersonalGroup,
    private readonly signal: AbortSignal,
    private readonly left: (file: LeftFile) => void,
  ) {
    this.base = places.folders[origin];
    this.layout = layouts[origin];
  }

  shown(path: string): string {
    const absolute = nodePath.join(this.base, path);
    return contains(nodePath, this.places.home, absolute)
      ? `~/${nodePath.relative(this.places.home, absolute).split(nodePath.sep).join('/')}`
      : absolute;
  }

  async text(path: string): Promise<string | null> {
    return this.reading(path, async () => {
      const absolute = nodePath.join(this.base, path);
      if ((await this.files.kindOf(absolute)) !== 'file') return null;
      if (!(await this.staysInside(absolute))) return this.leave(path, 'link');
      if (await holdsSecrets(this.files, absolute)) return this.leave(path, 'secrets');
      if ((await this.files.size(absolute)) > largestFile) return this.leave(path, 'size');
      return decodeText(await this.files.read(absolute, this.signal)) ?? this.leave(path, 'text');
    });
  }

  async names(path: string, kind: 'file' | 'directory'): Promise<readonly string[]> {
    const found = await this.reading(path, async () => {
      const absolute = nodePath.join(this.base, path);
      if ((await this.files.kindOf(absolute)) !== 'directory') return null;
      if (!(await this.staysInside(absolute))) return this.leave(path, 'link');
      const entries = await this.files.list(absolute, this.signal);
      const kinds = await Promise.all(
        entries.map(async (entry) =>
          // The kind of a link is that of its target.
          entry.kind === 'other'
            ? this.files.kindOf(nodePath.join(absolute, entry.name)).catch(() => null)
            : entry.kind,
        ),
      );
      return entries.filter((_, index) => kinds[index] === kind).map(({ name }) => name);
    });
    return (found ?? []).toSorted().slice(0, mostEntries);
  }

  private async reading<T>(path: string, read: () => Promise<T | null>): Promise<T | null> {
    try {
      return await read();
    } catch (error) {
      this.signal.throwIfAborted();
      return error instanceof FileNotFound ? null : this.leave(path, 'unreadable');
    }
  }

  private async staysInside(absolute: string): Promise<boolean> {
    const real = await this.files.realPath(absolute);
    const allowed = await Promise.all([this.places.home, this.base].map((folder) => this.files.realPath(folder)));
    return allowed.some((folder) => contains(nodePath, folder, real));
  }

  private leave(path: string, reason: LeftFile['reason']): null {
    this.left({ path: this.shown(path), reason });
    return null;
  }
}

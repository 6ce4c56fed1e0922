import * as nodePath from 'node:path';
import { contains } from '../../tools/accessPaths';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { PersonalGroup } from '../../transcript/contextFiles';
import { layouts } from './agentFolder';
import type { PersonalPlaces } from './personalPlaces';
import { type Leave, LeftOut, ReadableFolder } from './readableFolder';

/** Reads one group of the user's own files for agents. Follows links that stay in the home folder or in the group's
 *  folder: such files are often kept in a repository. */
export class PersonalFolder extends ReadableFolder {
  readonly layout;
  private readonly base: string;

  constructor(
    files: WorkspaceFiles,
    private readonly places: PersonalPlaces,
    readonly origin: PersonalGroup,
    signal: AbortSignal,
    left: Leave,
  ) {
    super(files, signal, left);
    this.base = places.folders[origin];
    this.layout = layouts[origin];
  }

  override shown(path: string): string {
    const absolute = nodePath.join(this.base, path);
    return contains(nodePath, this.places.home, absolute)
      ? `~/${nodePath.relative(this.places.home, absolute).split(nodePath.sep).join('/')}`
      : absolute;
  }

  protected override async find(path: string, kind: 'file' | 'directory'): Promise<string | null> {
    const absolute = nodePath.join(this.base, path);
    if ((await this.files.kindOf(absolute)) !== kind) return null;
    if (!(await this.staysInside(absolute))) throw new LeftOut('link');
    return absolute;
  }

  /** The kind of a link is that of its target. */
  protected override async kindOf(
    folder: string,
    entry: Awaited<ReturnType<WorkspaceFiles['list']>>[number],
  ): Promise<string | null> {
    return entry.kind === 'other' ? this.files.kindOf(nodePath.join(folder, entry.name)).catch(() => null) : entry.kind;
  }

  private async staysInside(absolute: string): Promise<boolean> {
    const real = await this.files.realPath(absolute);
    const allowed = await Promise.all([this.places.home, this.base].map((folder) => this.files.realPath(folder)));
    return allowed.some((folder) => contains(nodePath, folder, real));
  }
}

import type { Log } from '../../base/log';
import { type RankedPath, rankedPath } from './mentionRank';

/** Names of files that are kept at most. */
export const mostNames = 50_000;

export interface FoundNames {
  /** As people read them; forward slashes. */
  readonly paths: readonly string[];
  /** There are more. */
  readonly limited: boolean;
}

export interface NameList {
  readonly files: readonly RankedPath[];
  /** Folders that hold files, with a slash behind them. */
  readonly folders: readonly RankedPath[];
  readonly limited: boolean;
}

const nothing: NameList = { files: [], folders: [], limited: false };

/** Names of the files in the open folders, without what is ignored or excluded. Listed when they are first asked for and, when something came or went
 *  since, again; meanwhile the list before answers. */
export class FileNames {
  private known: NameList = nothing;
  private isStale = true;
  private listing: Promise<NameList> | null = null;

  constructor(
    private readonly list: () => Promise<FoundNames>,
    private readonly log: Log,
  ) {}

  /** Files came or went, or other ones are left out. */
  changed(): void {
    this.isStale = true;
  }

  /** What is known now; listing begins where that is out of date. */
  get current(): NameList {
    if (this.isStale) void this.fresh();
    return this.known;
  }

  /** An up to date list, or the one before where the files cannot be listed. */
  fresh(): Promise<NameList> {
    if (!this.isStale && this.listing === null) return Promise.resolve(this.known);
    this.listing ??= this.listAgain().finally(() => (this.listing = null));
    return this.listing;
  }

  private async listAgain(): Promise<NameList> {
    this.isStale = false;
    try {
      const { paths, limited } = await this.list();
      const taken = paths.slice(0, mostNames);
      this.known = {
        files: taken.map(rankedPath),
        folders: foldersOf(taken).map(rankedPath),
        limited: limited || paths.length > mostNames,
      };
    } catch (error) {
      this.isStale = true;
      this.log.warn(
        `The files to mention could not be listed: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
    return this.known;
  }
}

function foldersOf(paths: readonly string[]): readonly string[] {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return [...folders];
}

import type { Log } from '../../base/log';
import { errorMessage } from '../../base/errorMessage';
import { type RankedPath, rankedPath } from './mentionRank';

/** Maximum number of file names that are kept. */
export const mostNames = 50_000;

interface FoundNames {
  /** Paths as shown to the user, with forward slashes. */
  readonly paths: readonly string[];
  /** True when there are more files. */
  readonly limited: boolean;
}

export interface NameList {
  readonly files: readonly RankedPath[];
  /** Folders that hold files, with a trailing slash. */
  readonly folders: readonly RankedPath[];
  readonly limited: boolean;
}

const nothing: NameList = { files: [], folders: [], limited: false };

/** Caches the names of files in the open folders, without ignored or excluded ones. Lists them at the first request,
 *  and again after files were created or deleted; until the new list is ready, the old one is used. */
export class FileNames {
  private known: NameList = nothing;
  private isStale = true;
  private listing: Promise<NameList> | null = null;

  constructor(
    private readonly list: () => Promise<FoundNames>,
    private readonly log: Log,
  ) {}

  /** Marks the list as stale: files were created or deleted, or exclusions changed. */
  changed(): void {
    this.isStale = true;
  }

  /** The cached list. Starts a new listing when it is stale. */
  get current(): NameList {
    if (this.isStale) void this.fresh();
    return this.known;
  }

  /** Resolves with an up-to-date list, or with the previous one if listing fails. */
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
      this.log.warn(`The files to mention could not be listed: ${errorMessage(error)}`);
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

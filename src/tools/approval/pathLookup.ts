import { contains } from '../workspacePaths';
import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import * as nodePath from 'node:path';
import type { AccessPath } from '../../transcript/approval';

/** Resolves the paths in a command. This is all that the policy reads from the disk. */
export interface PathLookup {
  readonly home: string;
  readonly path: nodePath.PlatformPath;
  /** Folder for temporary files, with links resolved, in which sandboxed commands may write. */
  readonly temporary: string;
  /** Names in a folder. Null when it is none, or cannot be read. */
  entries(folder: string): readonly string[] | null;
  /** Open folders, with links resolved. */
  roots(): readonly string[];
  /** Like `AccessPaths.locate`. Null when a link leads nowhere or the disk returns an error. */
  locate(absolute: string): AccessPath | null;
}

/** Reads the disk of this machine, which is where commands run. */
export class DiskPathLookup implements PathLookup {
  readonly path = nodePath;

  constructor(
    private readonly folders: () => readonly { readonly name: string; readonly path: string }[],
    readonly home: string,
    readonly temporary: string,
  ) {}

  entries(folder: string): readonly string[] | null {
    try {
      return readdirSync(folder);
    } catch {
      return null;
    }
  }

  roots(): readonly string[] {
    return this.folders().map((folder) => this.real(folder.path) ?? folder.path);
  }

  locate(absolute: string): AccessPath | null {
    const real = this.real(absolute);
    if (real === null) return null;
    const folders = this.folders();
    const roots = this.roots();
    const index = roots.findIndex((root) => contains(this.path, root, real));
    const [root, folder] = [roots[index], folders[index]];
    if (root === undefined || folder === undefined) return { path: real, shown: real, isInside: false };
    const relative = this.path.relative(root, real).split(this.path.sep).join('/');
    const shown = folders.length === 1 ? relative || '.' : relative === '' ? folder.name : `${folder.name}/${relative}`;
    return { path: real, shown, isInside: true };
  }

  /** Null when a link leads nowhere or the disk returns an error. */
  private real(absolute: string): string | null {
    const missing: string[] = [];
    let present = absolute;
    for (;;) {
      try {
        return this.path.join(realpathSync.native(present), ...missing);
      } catch (error) {
        if (!isMissing(error)) return null;
      }
      if (isLink(present)) return null;
      const parent = this.path.dirname(present);
      if (parent === present) return absolute;
      missing.unshift(this.path.basename(present));
      present = parent;
    }
  }
}

/** Places that every sandboxed command may read and none may change: the system's programs. */
const systemPlaces = /^\/(usr|bin|sbin|lib(32|64|x32)?|System|nix\/store)(\/|$)/;

/** The lookup for a command in the sandbox: its temporary folder and the system's programs are not elsewhere. */
export function sandboxedLookup(lookup: PathLookup): PathLookup {
  const { temporary } = lookup;
  return {
    home: lookup.home,
    path: lookup.path,
    temporary,
    roots: () => lookup.roots(),
    entries: (folder) => lookup.entries(folder),
    locate: (absolute) => {
      const found = lookup.locate(absolute);
      if (found === null || found.isInside) return found;
      const isOwn = found.path !== temporary && contains(lookup.path, temporary, found.path);
      return isOwn || systemPlaces.test(found.path) ? { ...found, isInside: true } : found;
    },
  };
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

import { contains } from '../workspacePaths';
import { existsSync, readdirSync } from 'node:fs';
import * as nodePath from 'node:path';
import { basename, delimiter, dirname, join, relative } from 'node:path';
import { privateFolder } from '../../base/privateFolder';
import { hiddenPlaces, homeCaches, homePrograms } from '../pathTable';
import { treatmentOf } from '../pathTreatment';
import type { Limits } from './helper/messages';
import { realPath } from '../../base/realPath';

interface LimitDeps {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  /** Open folders, with links resolved. */
  readonly folders: readonly string[];
  readonly temporary: string;
  /** Folders with data of the extension and the editor. */
  readonly own: readonly string[];
  /** Folders of their programs, which may be read. */
  readonly programs: readonly string[];
  /** In the open folders: files that need approval in every mode, and files with secrets. */
  readonly found: FoundFiles;
  /** PATH of commands. */
  readonly path: string;
  /** Default: the table's. */
  readonly places?: readonly string[];
}

export interface FoundFiles {
  readonly kept: readonly string[];
  readonly hidden: readonly string[];
  /** Outside of the open folders, but part of their repositories. */
  readonly writable: readonly string[];
}

/** Limits for a command that runs now. */
export function limitsOf(deps: LimitDeps): Limits {
  const { home, platform, folders, temporary, own, found, programs } = deps;
  const written = [...homeCaches.all, ...(platform === 'darwin' ? homeCaches.darwin : homeCaches.linux)];
  const below = (names: readonly string[]): readonly string[] =>
    names.map((name) => join(home, name)).filter((path) => existsSync(path));
  const others = othersPlaces(deps);
  // `.gitconfig` may include others of its name, with the name and address of the user.
  const git = pathsIn(home).filter((path) => basename(path).startsWith('.gitconfig'));
  const shown = [...git, ...below([...homePrograms, ...written]), ...programsOnPath(deps.path, [home, ...others])];
  return {
    writable: [...folders, temporary, ...found.writable, ...below(written)],
    kept: [...own, ...programs, ...found.kept],
    hidden: [...new Set([...own, ...found.hidden, ...others, ...personal(deps, shown), privateFolder(temporary)])],
    shown: [...new Set([...folders, temporary, ...found.writable, ...programs, ...shown, ...shown.map(realPath)])],
  };
}

/** All names of the home folder but those of programs, and secrets among these. */
function personal({ home, folders }: LimitDeps, programs: readonly string[]): readonly string[] {
  // If the home folder itself is open, everything in it is part of the work.
  if (folders.some((folder) => contains(nodePath, folder, home))) return [];
  const readable = new Set([...programs, ...folders]);
  const secrets = programs.flatMap(pathsIn).filter((path) => treatmentOf(relative(home, path)).isHidden);
  return [...pathsIn(home).filter((path) => !readable.has(path)), ...secrets];
}

const besideBin = ['lib', 'lib64', 'libexec', 'share', 'versions', 'node_modules', 'opt', 'Cellar'];

/** Folders on the PATH that would be hidden, with those that their programs need, and those to which links in them
 *  lead. */
function programsOnPath(path: string, hidden: readonly string[]): readonly string[] {
  const isHidden = (each: string): boolean => hidden.some((place) => place !== each && contains(nodePath, place, each));
  const onPath = path.split(delimiter).filter((each) => isHidden(each) && existsSync(each));
  const linked = onPath.flatMap(pathsIn).filter((each) => realPath(each) !== each);
  const folders = [...onPath, ...linked.map((each) => dirname(realPath(each))).filter(isHidden)];
  return [...new Set(folders)].flatMap((folder) =>
    /^s?bin$/.test(basename(folder))
      ? [folder, ...besideBin.map((name) => join(dirname(folder), name)).filter((each) => existsSync(each))]
      : [folder],
  );
}

/** Existing places of other people, folders and machines. */
function othersPlaces({ home, folders, places = hiddenPlaces }: LimitDeps): readonly string[] {
  const existing = places.flatMap((pattern) =>
    pattern
      .split('/')
      .slice(1)
      .reduce<readonly string[]>(
        (parents, name) => parents.flatMap((parent) => (name === '*' ? pathsIn(parent) : [join(parent, name)])),
        ['/'],
      ),
  );
  return existing
    .filter((place) => existsSync(place))
    .map(realPath)
    .filter(
      (place) => !contains(nodePath, place, home) && !folders.some((folder) => contains(nodePath, folder, place)),
    );
}

function pathsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Limits with further files that may be neither read nor changed (`hidden`), and files that may not be changed
 *  (`kept`). */
export function narrowed(limits: Limits, hidden: readonly string[], kept: readonly string[]): Limits {
  const isHidden = (path: string): boolean => hidden.some((each) => path === each || path.startsWith(`${each}/`));
  return {
    ...limits,
    kept: [...limits.kept, ...hidden, ...kept],
    hidden: [...limits.hidden, ...hidden],
    shown: limits.shown.filter((path) => !isHidden(path)),
  };
}

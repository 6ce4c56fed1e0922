import { basename, dirname, isAbsolute, join, relative } from 'node:path';
import type { Limits } from './helper/messages';
import { realPlace } from '../../base/realPath';

interface ShownFolders {
  readonly home: string;
  /** Folder in which the command ran. */
  readonly folder: string;
}

/** Blocked actions, in the words of a row: "write to ~/.npmrc", "connect to example.com". Returns the first `most`.
 *  The library reports every write, so writes that the limits allow are left out. */
export function stoppedActions(
  lines: readonly string[],
  limits: Pick<Limits, 'writable' | 'kept'>,
  folders: ShownFolders,
  most = 5,
): readonly string[] {
  const actions = lines.flatMap((line) => {
    const host = /^deny network-outbound (\S+?)(:\d+)?( \(.*\))?$/.exec(line)?.[1];
    if (host !== undefined) return [`connect to ${host}`];
    const written = /^deny (?!file-read)\S+ (\/.*)$/.exec(line)?.[1];
    if (written === undefined) return [];
    const file = realPlace(written);
    const isAllowed =
      limits.writable.some((place) => contains(place, file)) && !limits.kept.some((place) => contains(place, file));
    return isAllowed ? [] : [`write to ${shownPath(file, folders)}`];
  });
  const each = [...new Set(actions)];
  return most === Infinity ? each : joinedByFolder(each).slice(0, most);
}

/** Several writes below one folder become one action: "write to 3 files in ~/.npm". */
function joinedByFolder(actions: readonly string[]): readonly string[] {
  const verb = 'write to ';
  const writes = actions.flatMap((action) => (action.startsWith(verb) ? [action.slice(verb.length)] : []));
  // The home folder and the root say nothing.
  const folders = writes.map((path) => dirname(path)).filter((folder) => !['~', '/', '.'].includes(folder));
  const outer = folders.filter((folder) => !folders.some((other) => other !== folder && contains(other, folder)));
  const joined = actions.map((action) => {
    const folder = outer.find((each) => action.startsWith(`${verb}${each}/`));
    const count = writes.filter((path) => folder !== undefined && path.startsWith(`${folder}/`)).length;
    return folder === undefined || count < 2 ? action : `${verb}${count} files in ${folder}`;
  });
  return [...new Set(joined)];
}

/** Hidden files that a failed command mentions and could not read: "read .env". The library does not report reads,
 *  so the output must name the file. */
export function unreadableActions(output: string, hidden: readonly string[], folders: ShownFolders): readonly string[] {
  const isNamed = (path: string): boolean => {
    const shown = shownPath(path, folders);
    // Other folders of the home folder have common words as names.
    const names =
      isAbsolute(shown) || (shown.startsWith('~') && !basename(path).startsWith('.'))
        ? [path, shown]
        : [path, shown, basename(path)];
    return names.some((name) => mentions(output, name));
  };
  return hidden
    .filter(isNamed)
    .slice(0, 5)
    .map((path) => `read ${shownPath(path, folders)}`);
}

/** True when the name appears as a separate word, or as the start of a longer path. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before, after] = [text[at - 1] ?? ' ', text[at + name.length] ?? ' '];
    if (!/[\w.~-]/.test(before) && !/[\w-]/.test(after)) return true;
  }
  return false;
}

/** Readable path: relative to the folder, or to the home folder. */
export function shownPath(path: string, { home, folder }: ShownFolders): string {
  if (path !== folder && contains(folder, path)) return relative(folder, path);
  return contains(home, path) ? join('~', relative(home, path)) : path;
}

function contains(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside === '' || (!inside.startsWith('..') && !isAbsolute(inside));
}

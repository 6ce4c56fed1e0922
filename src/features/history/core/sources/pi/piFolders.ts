import { isAbsolute, join } from 'node:path';
import { parseJsonObject } from '../../../../../transcript/json';
import type { HistoryPlaces } from '../historyPlaces';
import { nameOf } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';

const mostBytes = 2 ** 20;

/** Folders that hold sessions of pi: its usual one, and those that the environment and its global settings name
 *  (`sessionDir` in settings.json). A relative `sessionDir` is below each project, and is not looked for. */
export async function piSessionFolders(
  files: HistoryFiles,
  { pi, piSessions, home }: HistoryPlaces,
): Promise<readonly string[]> {
  const named = [piSessions, await settingOf(files, `${pi}/settings.json`)].flatMap((path) =>
    path === null ? [] : [path.startsWith('~') ? join(home, path.slice(1)) : path],
  );
  return [...new Set([`${pi}/sessions`, ...named.filter((path) => isAbsolute(path))])];
}

async function settingOf(files: HistoryFiles, path: string): Promise<string | null> {
  const size = (await files.stat(path))?.size ?? 0;
  if (size === 0 || size > mostBytes) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path)) pieces.push(piece);
  const read = parseJsonObject(Buffer.concat(pieces).toString('utf8'));
  return read.kind === 'object' ? nameOf(read.value, 'sessionDir') : null;
}

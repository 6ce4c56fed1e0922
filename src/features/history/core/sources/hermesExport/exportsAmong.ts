import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { mayHoldSessions } from '../reading/sessionFileNames';
import { isExport } from './exportReading';

/** Chosen files and folders, divided by what reads them. */
export interface DividedFiles {
  /** Our own exports, also those in chosen folders. They are imported row by row, not converted. */
  readonly exports: readonly string[];
  /** Paths in which other sessions may be. A folder that holds nothing but exports is not among them. */
  readonly others: readonly string[];
}

/** Finds our own files among files and folders that the user chose. `isOwn`: of a chosen file. In a folder, only
 *  exports are looked for. */
export async function exportsAmong(
  files: HistoryFiles,
  chosen: readonly string[],
  isOwn: (files: HistoryFiles, path: string) => Promise<boolean> = isExport,
): Promise<DividedFiles> {
  const [exports, others] = [new Set<string>(), new Set<string>()];
  for (const place of chosen) {
    if ((await files.stat(place))?.kind !== 'folder') {
      ((await isOwn(files, place)) ? exports : others).add(place);
      continue;
    }
    let [found, hasOthers] = [0, false];
    for await (const path of filesBelow(files, place, 8)) {
      if (!mayHoldSessions(path)) continue;
      if (await isExport(files, path)) {
        exports.add(path);
        found++;
      } else hasOthers = true;
    }
    if (hasOthers || found === 0) others.add(place);
  }
  return { exports: [...exports], others: [...others] };
}

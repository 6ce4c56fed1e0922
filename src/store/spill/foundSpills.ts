import { join } from 'node:path';
import { errorMessage } from '../../base/errorMessage';
import { errnoOf, readWhole, type FileSystem } from '../engine/fileSystem';
import type { FoldedSpill, SpilledTurn } from '../sessionStore';
import { isOfOtherStore } from '../session/tables/storeUid';
import { formatVersion, isSpillName, laterSpill, readSpill } from './spillFormat';

/** Folders to search for spill files at an opening, and turns to skip. */
export interface SpillSearch {
  /** Folders to search in addition to the store's own. They may also hold spills of other stores. */
  readonly folders: readonly string[];
  /** Turns of this process: their spills are still being written, and they must not be settled as those of a dead
   *  process. */
  readonly liveTurns: readonly string[];
}

/** folded: all of it is in the store, the file is deleted · kept: a part could not be read or applied and the file
 *  stays, renamed · otherStore: it belongs to another history · laterVersion: a later version of the program wrote it
 *  and can read it, so it stays untouched · failed: it could not be tried this time. */
export interface FoundSpill {
  readonly path: string;
  readonly outcome: 'folded' | 'kept' | 'otherStore' | 'laterVersion' | 'failed';
  readonly sessionId: string | null;
  /** The reason for any outcome but `folded`, where it is empty. */
  readonly technical: string;
}

interface Folder {
  getMeta(key: string): string | null;
  foldSpill(spill: SpilledTurn): FoldedSpill;
}

/** Folds every spill file of this store into it. A file is removed only after its content is durable in the store,
 *  and the store records how far a spill was folded, so a crash in between changes nothing. An unreadable file never
 *  prevents the opening. */
export function foldFoundSpills(
  fileSystem: FileSystem,
  store: Folder,
  home: string,
  search: SpillSearch,
): readonly FoundSpill[] {
  const found: FoundSpill[] = [];
  for (const folder of new Set([home, ...search.folders])) {
    for (const name of namesIn(fileSystem, folder)) {
      const spill = foldOne(fileSystem, store, join(folder, name), search.liveTurns);
      // In shared folders, spills of other stores do not concern this one.
      if (spill !== null && (spill.outcome !== 'otherStore' || folder === home)) found.push(spill);
    }
  }
  return found;
}

function foldOne(fileSystem: FileSystem, store: Folder, path: string, liveTurns: readonly string[]): FoundSpill | null {
  let sessionId: string | null = null;
  try {
    const text = new TextDecoder().decode(readWhole(fileSystem, path));
    const later = laterSpill(text);
    if (later !== null) return leftForLater(path, later, store);
    const read = readSpill(text);
    if (read === null)
      return {
        path: setSpillAside(fileSystem, path),
        outcome: 'kept',
        sessionId,
        technical: 'it does not say which answer it belongs to',
      };
    const { spill, torn } = read;
    sessionId = spill.turn.sessionId;
    if (liveTurns.includes(spill.turn.uid)) return null;
    const folded = store.foldSpill(spill);
    if (folded.kind === 'otherStore')
      return {
        path,
        outcome: 'otherStore',
        sessionId,
        technical: ofStore(spill.storeUid),
      };
    if (folded.refused.length === 0 && !torn) {
      fileSystem.remove(path);
      return { path, outcome: 'folded', sessionId, technical: '' };
    }
    const technical = [...(torn ? ['its end is torn'] : []), ...folded.refused].join('; ');
    return { path: setSpillAside(fileSystem, path), outcome: 'kept', sessionId, technical };
  } catch (error) {
    return { path, outcome: 'failed', sessionId, technical: errorMessage(error) };
  }
}

function leftForLater(path: string, later: NonNullable<ReturnType<typeof laterSpill>>, store: Folder): FoundSpill {
  const file = { path, sessionId: null };
  if (isOfOtherStore(later.storeUid, (key) => store.getMeta(key)))
    return { ...file, outcome: 'otherStore', technical: ofStore(later.storeUid) };
  const technical = `its format has version ${later.version}, this program reads version ${formatVersion}`;
  return { ...file, outcome: 'laterVersion', technical };
}

function ofStore(uid: string | null): string {
  return `it belongs to the store ${uid ?? 'unknown'}`;
}

/** Renames a spill file that is finished but was not read completely, so that it is not found again. Returns the new
 *  path. */
export function setSpillAside(fileSystem: FileSystem, path: string): string {
  for (let attempt = 1; ; attempt++) {
    const kept = path.replace(/\.jsonl$/, `.kept${attempt === 1 ? '' : `-${attempt}`}.jsonl`);
    if (fileSystem.stat(kept) !== undefined) continue;
    fileSystem.rename(path, kept);
    return kept;
  }
}

function namesIn(fileSystem: FileSystem, folder: string): readonly string[] {
  try {
    return fileSystem.list(folder).filter(isSpillName).sort();
  } catch (error) {
    if (['ENOENT', 'EACCES', 'EPERM', 'ENOTDIR'].includes(errnoOf(error))) return [];
    throw error;
  }
}

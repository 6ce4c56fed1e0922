import { join } from 'node:path';
import { errnoOf, readWhole, type FileSystem } from '../engine/fileSystem';
import type { FoldedSpill, SpilledTurn } from '../sessionStore';
import { isSpillName, readSpill } from './spillFormat';

/** Where spill files are looked for at an opening, and what is left alone. */
export interface SpillSearch {
  /** Beside the store's own folder. Spills of other stores may lie there too. */
  readonly folders: readonly string[];
  /** Turns this process runs: their spills are still written to, and they are not to be settled as a dead process's. */
  readonly liveTurns: readonly string[];
}

/** folded: everything in it is in the store, the file is gone · kept: a part could not be read or done and the file stays, renamed ·
 *  otherStore: it belongs to another history · failed: this time it could not be tried. */
export interface FoundSpill {
  readonly path: string;
  readonly outcome: 'folded' | 'kept' | 'otherStore' | 'failed';
  readonly sessionId: string | null;
  /** What stood in the way; empty for one that was folded. */
  readonly technical: string;
}

interface Folder {
  foldSpill(spill: SpilledTurn): FoldedSpill;
}

/** Folds every spill file of this store into it. A file is removed only after what it says is durable in the store, and the store remembers
 *  how far a spill was folded, so a crash in between changes nothing. One that cannot be read never stands in the way of opening. */
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
      // Elsewhere spills of other folders' stores are no concern of this one.
      if (spill !== null && (spill.outcome !== 'otherStore' || folder === home)) found.push(spill);
    }
  }
  return found;
}

function foldOne(fileSystem: FileSystem, store: Folder, path: string, liveTurns: readonly string[]): FoundSpill | null {
  let sessionId: string | null = null;
  try {
    const read = readSpill(new TextDecoder().decode(readWhole(fileSystem, path)));
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
        technical: `it belongs to the store ${spill.storeUid ?? 'unknown'}`,
      };
    if (folded.refused.length === 0 && !torn) {
      fileSystem.remove(path);
      return { path, outcome: 'folded', sessionId, technical: '' };
    }
    const technical = [...(torn ? ['its end is torn'] : []), ...folded.refused].join('; ');
    return { path: setSpillAside(fileSystem, path), outcome: 'kept', sessionId, technical };
  } catch (error) {
    return { path, outcome: 'failed', sessionId, technical: error instanceof Error ? error.message : String(error) };
  }
}

/** Gives a spill file that is done with, but not wholly read, a name that is not looked for again. Returns the new path. */
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

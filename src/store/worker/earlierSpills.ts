import { join } from 'node:path';
import { errorMessage } from '../../base/errorMessage';
import { namesIn, readWhole, type FileSystem } from '../engine/fileSystem';
import { readEarlierSpill, type TakenInSpill, type EarlierSpill } from '../session/import/earlierSpill';

/** stored: all of it is in the store, and the file is deleted · kept: a part could not be read or stored, and the
 *  file stays, renamed · notHere: its turn is not in this store · failed: it could not be tried this time. */
export interface FoundSpill {
  readonly path: string;
  readonly outcome: 'stored' | 'kept' | 'notHere' | 'failed';
  /** The reason for `kept` and `failed`; otherwise empty. */
  readonly technical: string;
}

interface Store {
  takeInSpill(spill: EarlierSpill): TakenInSpill;
}

/** Files in which an earlier build kept an answer that its store could not take, `<session>.jsonl`. One that was read
 *  in part is renamed to `….kept.jsonl`. */
const spillName = /^(?!.*\.kept(?:-\d+)?\.jsonl$).+\.jsonl$/;

/** Stores the answers that an earlier build kept beside the store at `home`, or in `sharedFolders`. Removes a file
 *  only after its content is durable, so a crash in between changes nothing. Never prevents the opening. */
export function takeInEarlierSpills(
  fileSystem: FileSystem,
  store: Store,
  home: string,
  sharedFolders: readonly string[],
): readonly FoundSpill[] {
  return [...new Set([home, ...sharedFolders])].flatMap((folder) =>
    namesIn(fileSystem, folder)
      .filter((name) => spillName.test(name))
      .sort()
      .map((name) => takeIn(fileSystem, store, join(folder, name)))
      // In shared folders, the files of other stores do not concern this one.
      .filter(({ outcome }) => outcome !== 'notHere' || folder === home),
  );
}

function takeIn(fileSystem: FileSystem, store: Store, path: string): FoundSpill {
  try {
    const spill = readEarlierSpill(new TextDecoder().decode(readWhole(fileSystem, path)));
    if (spill === null) return { path: keep(fileSystem, path), outcome: 'kept', technical: 'it names no answer' };
    const taken = store.takeInSpill(spill);
    if (taken.kind === 'notHere') return { path, outcome: 'notHere', technical: '' };
    const technical = [...(spill.torn ? ['its end is torn'] : []), ...taken.refused].join('; ');
    if (technical !== '') return { path: keep(fileSystem, path), outcome: 'kept', technical };
    fileSystem.remove(path);
    return { path, outcome: 'stored', technical };
  } catch (error) {
    return { path, outcome: 'failed', technical: errorMessage(error) };
  }
}

/** Renames a file so that it is not found again. Returns its new path. */
function keep(fileSystem: FileSystem, path: string): string {
  for (let attempt = 1; ; attempt++) {
    const kept = path.replace(/\.jsonl$/, `.kept${attempt === 1 ? '' : `-${attempt}`}.jsonl`);
    if (fileSystem.stat(kept) !== undefined) continue;
    fileSystem.rename(path, kept);
    return kept;
  }
}

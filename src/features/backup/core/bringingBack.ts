import type { BroughtOver } from '../../../store/bringingOver';
import type { SessionStore } from '../../../store/sessionStore';
import type { WorkProgress } from '../../../store/slicedWork';
import type { SessionEntry } from './manifest';
import type { BackupCopy } from './restoring';

/** Sessions in one transaction. */
const batchSessions = 25;

/** Sessions of a backup that the present history lacks, or has with fewer messages. `present`: its sessions. Pure. */
export function missingFrom(
  present: readonly Pick<SessionEntry, 'id' | 'messages'>[],
  backup: readonly SessionEntry[],
): readonly SessionEntry[] {
  const known = new Map(present.map(({ id, messages }) => [id, messages]));
  return backup.filter(({ id, messages }) => messages > (known.get(id) ?? -1));
}

/** Imports sessions of a copy into the present history: what both have keeps the longer text. A stop leaves whole
 *  sessions, and doing it again continues. `onProgress` also gets the sums so far, before each batch. */
export async function bringBack(
  store: Pick<SessionStore, 'bringOver'>,
  copy: Pick<BackupCopy, 'folder' | 'sessionIds'>,
  signal?: AbortSignal,
  onProgress: (progress: WorkProgress, brought: BroughtOver) => void = () => undefined,
): Promise<BroughtOver> {
  const sum = { sessions: 0, messages: 0, skipped: 0 };
  for (let at = 0; at < copy.sessionIds.length; at += batchSessions) {
    onProgress({ done: at, total: copy.sessionIds.length }, { ...sum });
    signal?.throwIfAborted();
    const sessionIds = copy.sessionIds.slice(at, at + batchSessions);
    const { sessions, messages, skipped } = await store.bringOver({ folder: copy.folder, sessionIds, moves: false });
    sum.sessions += sessions;
    sum.messages += messages;
    sum.skipped += skipped;
  }
  return sum;
}

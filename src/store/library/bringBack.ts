import type { BroughtOver } from '../bringingOver';
import type { SessionStore } from '../sessionStore';
import type { WorkProgress } from '../slicedWork';

/** Sessions in one transaction. */
const batchSessions = 25;

/** Imports sessions of a copy into the present history: what both have keeps the longer text. A stop leaves whole
 *  sessions, and doing it again continues. `onProgress` also gets the sums so far, before each batch. */
export async function bringBack(
  store: Pick<SessionStore, 'bringOver'>,
  copy: { readonly folder: string; readonly sessionIds: readonly string[] },
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

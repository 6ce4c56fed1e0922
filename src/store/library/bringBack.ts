import { type CopiedSessions, copiedTogether, nothingCopied } from '../../store/sessionCopying';
import type { SessionStore } from '../session/sessionStore';
import type { WorkProgress } from '../../store/slicedWork';

/** Sessions in one transaction. */
const batchSessions = 25;

/** Imports sessions of a copy into the present history: what both have keeps the longer text. A stop leaves whole
 *  sessions, and doing it again continues. `onProgress` also gets the sums so far, before each batch. */
export async function bringBack(
  store: Pick<SessionStore, 'copyToThisFolder'>,
  copy: { readonly folder: string; readonly sessionIds: readonly string[] },
  signal?: AbortSignal,
  onProgress: (progress: WorkProgress, brought: CopiedSessions) => void = () => undefined,
): Promise<CopiedSessions> {
  let sum = nothingCopied;
  for (let at = 0; at < copy.sessionIds.length; at += batchSessions) {
    onProgress({ done: at, total: copy.sessionIds.length }, sum);
    signal?.throwIfAborted();
    const sessionIds = copy.sessionIds.slice(at, at + batchSessions);
    sum = copiedTogether(sum, await store.copyToThisFolder({ folder: copy.folder, sessionIds, moves: false }));
  }
  return sum;
}

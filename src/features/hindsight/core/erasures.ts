import { joinSentences } from '../../../base/messageText';
import { shownList, t } from '../../../base/translate';
import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import { errorMessage } from '../../../base/errorMessage';
import type { OutboxEntry } from '../../../store/outbox';
import { forgetSession } from './forgetSession';
import { forgetEntry, forgetName, workOf } from './outboxEntries';
import type { HindsightConnection, MemoryOutbox } from './ports';
import type { SessionRecords } from './sessionRecord';

const dueAtOnce = 100;
const longestPauseSeconds = 600;

interface ErasureDeps {
  readonly outbox: MemoryOutbox;
  readonly records: SessionRecords;
  readonly clock: Clock;
  readonly log: Log;
}

/** Sessions that the user had erased and that a server may still hold. Each request is in the outbox before the
 *  first attempt, with only the session's id, and stays there until the server has nothing left. */
export class Erasures {
  constructor(private readonly deps: ErasureDeps) {}

  /** Null when everything of these sessions is gone. Otherwise a sentence with the rest, and that erasing is
   *  retried. */
  async erase(
    connection: HindsightConnection,
    sessionIds: readonly string[],
    signal: AbortSignal,
  ): Promise<string | null> {
    const isKept = await this.keep(connection, sessionIds);
    const left: string[] = [];
    let reason = '';
    for (const sessionId of sessionIds) {
      const found = await forgetSession(this.deps, connection, sessionId, signal);
      if (found === null) await this.deps.outbox.outboxDone(forgetEntry(connection.place, sessionId, 0).uid);
      else {
        left.push(...found.left);
        reason = found.reason;
      }
    }
    if (left.length === 0) return null;
    const { host, bank } = connection.place;
    return joinSentences([
      t('Not erased at {host}, bank “{bank}”: {documents}.', { host, bank, documents: shownList(left) }),
      reason,
      isKept ? t('It is tried again until it is gone.') : '',
    ]);
  }

  /** Retries due erasures at this place. Stops at the first failure. */
  async eraseDue(connection: HindsightConnection, signal: AbortSignal): Promise<void> {
    const { outbox, clock, log } = this.deps;
    const { place } = connection;
    for (const entry of await outbox.outboxDue(forgetName, clock.now(), dueAtOnce)) {
      if (!isFor(entry, connection)) continue;
      const found = await forgetSession(this.deps, connection, entry.sessionId, signal);
      if (found === null) {
        await outbox.outboxDone(entry.uid);
        log.info(
          `Memory provider hindsight: what ${place.host} held of the forgotten session ${entry.sessionId} is erased.`,
        );
        continue;
      }
      if (!signal.aborted)
        await outbox.outboxFailed(
          entry.uid,
          found.reason,
          clock.now() + Math.min(2 ** Math.min(entry.attempts, 20), longestPauseSeconds),
        );
      return;
    }
  }

  /** Returns true when a failed erasure will be retried. If the request cannot be saved, the erasure is still
   *  attempted. */
  private async keep({ place }: HindsightConnection, sessionIds: readonly string[]): Promise<boolean> {
    const { outbox, clock, log } = this.deps;
    try {
      for (const sessionId of sessionIds) await outbox.outboxAdd(forgetEntry(place, sessionId, clock.now()));
      return true;
    } catch (error) {
      log.warn(
        `Memory provider hindsight: that a session is to be forgotten could not be noted: ${errorMessage(error)}`,
      );
      return false;
    }
  }
}

/** True when the entry is for this server and bank: a key is for one server only, so no other one gets a request. */
function isFor(entry: OutboxEntry, { place }: HindsightConnection): boolean {
  const work = workOf(entry);
  return work.kind === 'forget' && work.place.origin === place.origin && work.place.bank === place.bank;
}

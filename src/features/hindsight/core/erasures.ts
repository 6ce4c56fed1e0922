import { joinSentences } from '../../../base/messageText';
import { shownList, t } from '../../../base/translate';
import { errorMessage } from '../../../base/errorMessage';
import type { OutboxEntry } from '../../../store/outbox';
import { forgetEntry, forgetName, workOf } from './outboxEntries';
import type { HindsightConnection, HindsightServices } from './ports';
import { SessionRecords } from './sessionRecord';
import { pause } from '../../../base/pause';
import { sessionTag } from './documentContent';
import { failed, failureSentence, type HindsightAnswer } from './failure';
import type { OperationState } from './hindsightApi';

const timeoutMs = 6_000;
const pollMs = 500;

interface NotErased {
  /** Documents that are left, or the session if its documents could not be listed. */
  readonly left: readonly string[];
  readonly reason: string;
}

/** Deletes every document of a session: those in the record, and all others with its tag. First cancels or waits for
 *  a running write, which would otherwise bring its document back. Null when all is gone. */
async function forgetSession(
  { store, clock }: HindsightServices,
  { place, api }: HindsightConnection,
  sessionId: string,
  signal: AbortSignal,
): Promise<NotErased | null> {
  const records = new SessionRecords(store);
  const left = new Set<string>();
  let reason = '';
  const note = (documentId: string, answer: HindsightAnswer<unknown>): boolean => {
    if (answer.kind === 'ok') return true;
    left.add(documentId);
    reason = failureSentence(answer.failure, place.host);
    return false;
  };

  const record = await records.load(place, sessionId);
  for (const { id, operation } of record.documents) {
    if (operation !== null) note(id, await ended(operation.id));
  }
  const tagged = await api.documentsTagged(sessionTag(sessionId), signal);
  if (note(sessionId, tagged) && tagged.kind === 'ok') {
    const ids = new Set([...record.documents.map(({ id }) => id), ...tagged.value.map(({ id }) => id)]);
    let gone = true;
    for (const id of ids) gone = note(id, await api.deleteDocument(id, signal)) && gone;
    if (gone) await records.delete(place, sessionId);
  }
  return left.size === 0 ? null : { left: [...left], reason };

  async function ended(operationId: string | null): Promise<HindsightAnswer<unknown>> {
    if (operationId !== null) await api.cancelOperation(operationId, signal);
    const begun = clock.monotonicMs();
    for (;;) {
      const answer = operationId === null ? await api.openOperations(signal) : await api.operation(operationId, signal);
      if (answer.kind === 'failed' || isOver(answer.value)) return answer;
      if (clock.monotonicMs() - begun > timeoutMs) return failed('timeout', { uncertain: true });
      await pause(clock, pollMs);
    }
  }
}

function isOver(found: number | { readonly state: OperationState }): boolean {
  return typeof found === 'number' ? found === 0 : found.state !== 'pending' && found.state !== 'processing';
}

const dueAtOnce = 100;
const longestPauseSeconds = 600;

/** Sessions that the user had erased and that a server may still hold. Each request is in the outbox before the
 *  first attempt, with only the session's id, and stays there until the server has nothing left. */
export class Erasures {
  constructor(private readonly services: HindsightServices) {}

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
      const found = await forgetSession(this.services, connection, sessionId, signal);
      if (found === null) await this.services.store.outboxDone(forgetEntry(connection.place, sessionId, 0).uid);
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
    const { store, clock, log } = this.services;
    const { place } = connection;
    for (const entry of await store.outboxDue(forgetName, clock.now(), dueAtOnce)) {
      if (!isFor(entry, connection)) continue;
      const found = await forgetSession(this.services, connection, entry.sessionId, signal);
      if (found === null) {
        await store.outboxDone(entry.uid);
        log.info(
          `Memory provider hindsight: what ${place.host} held of the forgotten session ${entry.sessionId} is erased.`,
        );
        continue;
      }
      if (!signal.aborted)
        await store.outboxFailed(
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
    const { store, clock, log } = this.services;
    try {
      for (const sessionId of sessionIds) await store.outboxAdd(forgetEntry(place, sessionId, clock.now()));
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

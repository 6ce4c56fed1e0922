import { pause } from '../../../base/pause';
import { sessionTag } from './documentContent';
import { failureSentence, type HindsightAnswer } from './failure';
import type { OperationState } from './hindsightApi';
import type { HindsightConnection } from './ports';
import type { SessionRecords } from './sessionRecord';

const timeoutMs = 6_000;
const pollMs = 500;

interface NotErased {
  /** Documents that are left, or the session if its documents could not be listed. */
  readonly left: readonly string[];
  readonly reason: string;
}

/** Deletes every document of a session: those in the record, and all others with its tag. First cancels or waits for
 *  a running write, which would otherwise bring its document back. Null when all is gone. */
export async function forgetSession(
  {
    records,
    clock,
  }: {
    readonly records: SessionRecords;
    readonly clock: { monotonicMs(): number; after(ms: number, done: () => void): () => void };
  },
  { place, api }: HindsightConnection,
  sessionId: string,
  signal: AbortSignal,
): Promise<NotErased | null> {
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
      if (clock.monotonicMs() - begun > timeoutMs)
        return {
          kind: 'failed',
          failure: { cause: 'timeout', status: null, detail: '', uncertain: true, retryAfterMs: null },
        };
      await pause(clock, pollMs);
    }
  }
}

function isOver(found: number | { readonly state: OperationState }): boolean {
  return typeof found === 'number' ? found === 0 : found.state !== 'pending' && found.state !== 'processing';
}

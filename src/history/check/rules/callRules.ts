import { FreeIds, sameCall } from '../../../transcript/callIds';
import { callsIn } from '../../../transcript/joinedRows';
import type { CheckedSession, Found, SessionRule } from '../findings/checkedSession';
import { completedJson } from '../findings/completedJson';
import { doubledRows } from './doubledRows';

/** A call with an id that an earlier answer used: its result may be taken for that of the other call. */
const duplicateCallId: SessionRule = {
  id: 'duplicateCallId',
  find: (session) => {
    if (session.isContinued) return [];
    const doubled = doubledRows(session);
    const free = new FreeIds();
    return session.rows.flatMap(({ id, message }): readonly Found[] => {
      if (message.role !== 'assistant' || doubled.has(id) || message.turnUid === openTurn(session)) return [];
      // Two calls of one answer under one id are answered in order.
      const calls = callsIn(message.parts);
      const own = calls.filter(
        (call, index) => calls.findIndex((other) => sameCall(other.callId, call.callId)) === index,
      );
      return own.flatMap(({ callId }): readonly Found[] => {
        const to = free.take(callId);
        if (to === callId) return [];
        return [{ row: id, detail: callId, steps: [{ kind: 'renameCall', uid: id, callId, to }] }];
      });
    });
  },
};

/** A call whose arguments end in the middle. In our store such a call has a failed result that says so, unless
 *  something else wrote it. */
const cutArguments: SessionRule = {
  id: 'cutArguments',
  find: (session) =>
    session.rows.flatMap(({ id, cutCalls }, index) =>
      cutCalls
        .filter(({ callId }) => session.kind === 'hermes' || isAnsweredAsDone(session, index, callId))
        .map(({ callId, name, arguments: text }) => ({
          row: id,
          detail: name,
          steps: [{ kind: 'arguments', uid: id, callId, arguments: completedJson(text) }] as const,
        })),
    ),
};

export const callRules: readonly SessionRule[] = [duplicateCallId, cutArguments];

function openTurn({ openTurnUid }: CheckedSession): string | undefined {
  return openTurnUid ?? undefined;
}

function isAnsweredAsDone({ rows }: CheckedSession, index: number, callId: string): boolean {
  for (let next = rows[++index]; next?.message.role === 'tool'; next = rows[++index]) {
    const [result] = next.message.parts;
    if (sameCall(result.callId, callId)) return result.outcome === 'done';
  }
  return false;
}

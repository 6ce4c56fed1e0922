import type { SessionStore } from '../store/sessionStore';
import type { Approval } from '../transcript/approval';
import { matchResults } from '../transcript/callIds';
import type { ToolCallPart } from '../transcript/part';
import type { Turn } from '../transcript/turn';
import type { TurnRecorder } from './turnRecorder';

/** State of a turn that was waiting for the user. */
interface WaitingCalls {
  /** The row that holds the calls. */
  readonly messageUid: string;
  /** Calls without a result, in order. */
  readonly calls: readonly ToolCallPart[];
  /** Decisions by call id. */
  readonly decided: ReadonlyMap<string, Approval>;
  /** Number of model requests that the turn has made. */
  readonly requests: number;
}

/** Reads from the store how to continue a turn that was waiting. Until its calls run, all of them are recorded as
 *  never run. */
export async function waitingCalls(
  turn: Turn,
  store: Pick<SessionStore, 'activeMessages' | 'approvalsOf'>,
  recorder: TurnRecorder,
): Promise<WaitingCalls> {
  const rows = (await store.activeMessages(turn.sessionId)).filter((row) => row.turnUid === turn.uid);
  const assistantRows = rows.filter((row) => row.role === 'assistant');
  const last = assistantRows.at(-1);
  const results = rows
    .slice(last === undefined ? 0 : rows.indexOf(last))
    .flatMap((row) => (row.role === 'tool' ? [row.parts[0]] : []));
  const called = (last?.parts ?? []).filter((part): part is ToolCallPart => part.kind === 'toolCall');
  // In pairs: older versions stored calls of one answer under one id.
  const { answers } = matchResults(called, results);
  const calls = called.filter((call) => !answers.has(call));
  const messageUid = last?.uid ?? '';
  recorder.neverRan(messageUid, calls);
  const approvals = await store.approvalsOf(turn.uid);
  const decided = approvals.filter(({ state, messageUid: asked }) => state.kind === 'decided' && asked === messageUid);
  return {
    messageUid,
    calls,
    decided: new Map(decided.map((approval) => [approval.callId, approval])),
    requests: assistantRows.length,
  };
}

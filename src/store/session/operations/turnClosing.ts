import { closingResult, closingRow, endsTurn } from '../../../transcript/closingText';
import type { AssistantMessage, Message, NewMessage } from '../../../transcript/message';
import type { ToolCallPart } from '../../../transcript/part';
import type { StopReason } from '../../../transcript/stopReason';
import type { JsonObject } from '../../../transcript/json';
import { readInteger, readText, readTime } from '../tables/columns';
import { StorePart } from '../tables/storePart';

/** Completes a turn's rows so that every provider accepts the history after it. In order: folds chunks and makes
 *  messages final, removes rows without text, answers open calls, adds an assistant row at the end. Synthetic uids
 *  are derived from the row they close, so a repetition, or the merge of two copies of the store, makes one row. */
export class TurnClosing extends StorePart {
  /** Returns the turn's rows afterwards. */
  close(turn: { readonly uid: string }, reason: StopReason, at: number): readonly Message[] {
    const found = this.messages.ofTurn(turn.uid);
    // A call whose row never became final was not passed to a tool: calls are stored as final before they run.
    const unfinished = new Set(
      found.flatMap((row) => (row.role === 'assistant' && row.state === 'streaming' ? [row.uid] : [])),
    );
    for (const uid of unfinished) this.messages.finish(uid);
    const rows = unfinished.size === 0 ? found : this.messages.ofTurn(turn.uid);
    let changed = false;
    for (const row of rows) {
      if (row.role !== 'assistant' || row.visibility.kind !== 'shown') continue;
      if (isBlank(row)) {
        this.messages.remove(row.uid);
        changed = true;
      } else if (this.answerOpenCalls(row, unfinished.has(row.uid) ? 'cancelled' : 'interrupted', at)) {
        changed = true;
      }
    }
    const left = changed ? this.messages.ofTurn(turn.uid) : rows;
    return this.endWithAssistant(turn.uid, left, reason, at) ? this.messages.ofTurn(turn.uid) : left;
  }

  /** Returns true when a result was added. */
  private answerOpenCalls(row: AssistantMessage, usual: 'interrupted' | 'cancelled', at: number): boolean {
    const calls = row.parts.filter((part): part is ToolCallPart => part.kind === 'toolCall');
    if (calls.length === 0) return false;
    const results = this.resultsAfter(row);
    const answered = new Set(results.map(({ callId }) => callId));
    const open = calls.filter(
      (call, index) => !answered.has(call.callId) && calls.findIndex((other) => other.callId === call.callId) === index,
    );
    let after = results.at(-1)?.uid ?? row.uid;
    const notAllowed = this.firstNotAllowed(row, calls);
    for (const call of open) {
      const outcome = calls.indexOf(call) >= notAllowed ? 'cancelled' : usual;
      const result = closingResult(row, call, outcome, at);
      const parts = [{ ...result.parts[0], ...this.subAgentOf(row, call, at) }] as const;
      this.add({ ...result, parts }, after);
      after = result.uid;
    }
    return open.length > 0;
  }

  /** Details with which a surface can open the session of the sub-agent that worked on a call. */
  private subAgentOf(row: AssistantMessage, call: ToolCallPart, at: number): { readonly details?: JsonObject } {
    const found = this.database.get(
      `SELECT d.id, d.title, d.started_at, (SELECT count(*) FROM messages m JOIN sessions s ON s.id = m.session_id
         WHERE s.conversation_id = d.id AND m.role = 'assistant' AND m.active = 1 AND m.display_kind IS NULL
         AND m.carried_from IS NULL) AS turns
       FROM sessions d WHERE d.parent_session_id = ? AND d.parent_kind = 'delegate' AND d.delegated_by = ?
       ORDER BY d.rowid DESC LIMIT 1`,
      [row.sessionId, call.callId],
    );
    if (found === undefined) return {};
    const ms = Math.max(0, Math.round((at - readTime(found, 'started_at', at)) * 1000));
    return {
      details: {
        kind: 'delegate',
        sessionId: readText(found, 'id', ''),
        title: readText(found, 'title', null),
        turns: readInteger(found, 'turns', 0),
        ms,
      },
    };
  }

  /** Index of the first call that did not run: one that was not allowed, or that follows one which has begun and waits
   *  for the user's input. */
  private firstNotAllowed(row: AssistantMessage, calls: readonly ToolCallPart[]): number {
    const asked = this.database.all(
      `SELECT call_id, state, CASE WHEN json_valid(request) THEN json_extract(request, '$.access.kind') END IS 'input'
         AS has_begun FROM approvals WHERE turn_uid = ? AND message_uid = ? AND (state <> 'decided'
         OR CASE WHEN json_valid(decision) THEN json_extract(decision, '$.kind') END IS NOT 'allow')`,
      [row.turnUid, row.uid],
    );
    const indexes = asked.flatMap(({ call_id: id, state, has_begun: hasBegun }) => {
      const index = calls.findIndex(({ callId }) => callId === id);
      if (index === -1 || (hasBegun === 1 && state === 'decided')) return [];
      return [hasBegun === 1 ? index + 1 : index];
    });
    return Math.min(calls.length, ...indexes);
  }

  /** The results that directly follow a row: the only ones that a provider counts as answers to its calls. Does not
   *  read their texts, which may be long. */
  private resultsAfter(row: AssistantMessage): readonly { readonly uid: string; readonly callId: string }[] {
    const following = this.database.iterate(
      `SELECT uid, role, tool_call_id FROM messages
       WHERE session_id = ? AND active = 1 AND position > ? ORDER BY position`,
      [row.sessionId, row.position],
    );
    const results: { readonly uid: string; readonly callId: string }[] = [];
    for (const next of following) {
      if (next['role'] !== 'tool') break;
      results.push({ uid: readText(next, 'uid', ''), callId: readText(next, 'tool_call_id', '') });
    }
    return results;
  }

  /** Returns true when a row was added. */
  private endWithAssistant(turnUid: string, rows: readonly Message[], reason: StopReason, at: number): boolean {
    const last = rows.findLast((row) => row.visibility.kind !== 'hidden') ?? this.survivorOf(rows);
    if (last === undefined || endsTurn(last)) return false;
    this.add(closingRow(turnUid, last.sessionId, reason, at), last.uid);
    return true;
  }

  /** Damage, or another program, may have hidden this row, which is then shown again. */
  private add(row: NewMessage, after: string): void {
    if (this.messages.find(row.uid) === null)
      return this.messages.insert(row, this.messages.positionAfter(row.sessionId, after));
    const show = 'UPDATE messages SET active = 1, hidden_reason = NULL, absorbed_into = NULL WHERE uid = ?';
    this.database.run(show, [row.uid]);
  }

  /** The row that the turn's prompt was joined to, if the turn has no other row: the closing row comes after it. */
  private survivorOf(rows: readonly Message[]): Message | undefined {
    let row = rows.at(-1);
    const seen = new Set<string>();
    while (row?.visibility.kind === 'hidden' && row.visibility.absorbedInto !== null && !seen.has(row.uid)) {
      seen.add(row.uid);
      row = this.messages.find(row.visibility.absorbedInto)?.message;
    }
    return row?.visibility.kind === 'hidden' ? undefined : row;
  }
}

/** True when it contains no text and no tool call. */
function isBlank(message: AssistantMessage): boolean {
  return message.parts.every((part) => part.kind !== 'toolCall' && part.text === '');
}

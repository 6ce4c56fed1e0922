import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { SqlRow } from '../../engine/sqlDatabase';
import type { ApprovalOfTurn, NewApproval } from '../../requests';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalRequest,
  type Mode,
  approvalDecision,
  approvalRequest,
} from '../../../transcript/approval';
import { modes } from '../../../transcript/approvalChecks';
import type { Turn } from '../../../transcript/turn';
import { insertRow, oneOf, readText, readTime } from './columns';
import { invalid, notFound } from './refusal';
import { StorePart } from './storePart';

const decision = approvalDecision(v.string());

/** Approvals, and how freely a conversation's agent may act. Every method runs inside its caller's transaction. */
export class ApprovalTable extends StorePart {
  request(input: NewApproval): ApprovalOfTurn {
    const existing = this.find(input.id);
    const turn = this.turns.require(input.turnUid);
    if (existing !== null) {
      if (existing.turnUid !== input.turnUid || existing.callId !== input.callId)
        throw invalid(`approval ${input.id} exists and is of another call`);
      return { approval: existing, turn };
    }
    if (turn.state !== 'running')
      throw invalid(`turn ${turn.uid} is ${turn.state} and cannot wait for approval ${input.id}`);
    const session = this.sessions.require(input.sessionId);
    if (session.conversationId !== this.sessions.require(turn.sessionId).conversationId)
      throw invalid(`approval ${input.id} is for another conversation than turn ${turn.uid}`);
    insertRow(this.database, 'approvals', {
      id: input.id,
      session_id: input.sessionId,
      turn_uid: input.turnUid,
      message_uid: input.messageUid,
      call_id: input.callId,
      request: JSON.stringify(input.request),
      state: 'pending',
      requested_at: input.requestedAt,
    });
    this.turns.wait(turn.uid, input.id);
    return this.answered(input.id);
  }

  /** A mode that the decision chooses is set here, so that a crash cannot part the two. */
  decide(id: string, made: ApprovalDecision | null, at: number, modeOf?: string): ApprovalOfTurn {
    const { state, turnUid, sessionId } = this.require(id);
    if (state.kind === 'pending') {
      const { uid } = this.turnOf(id, turnUid);
      if (made === null)
        this.database.run("UPDATE approvals SET state = 'expired', turn_uid = ? WHERE id = ?", [uid, id]);
      else
        this.database.run(
          "UPDATE approvals SET state = 'decided', decision = ?, decided_at = ?, turn_uid = ? WHERE id = ?",
          [JSON.stringify(made), at, uid, id],
        );
      this.turns.resume(uid, id);
      if (made?.kind === 'allow' && made.scope === 'once' && made.mode !== undefined)
        this.setMode(modeOf ?? sessionId, made.mode);
    }
    return this.answered(id);
  }

  ofTurn(turnUid: string): readonly Approval[] {
    return this.database
      .all('SELECT * FROM approvals WHERE turn_uid = ? ORDER BY requested_at, rowid', [turnUid])
      .map(readApproval);
  }

  /** The approval that a session's conversation waits for; null for a session that does not exist. */
  pending(sessionId: string): Approval | null {
    const session = this.sessions.find(sessionId);
    const turn = session === null ? null : this.turns.openOf(session.conversationId);
    return turn?.state === 'waiting' ? this.find(turn.approvalId) : null;
  }

  rules(sessionId: string): readonly string[] {
    const rows = this.database.all(
      `WITH RECURSIVE callers (id) AS (
         SELECT conversation_id FROM sessions WHERE id = ?
         UNION SELECT p.conversation_id FROM callers
         JOIN sessions root ON root.id = callers.id AND root.parent_kind = 'delegate'
         JOIN sessions p ON p.id = root.parent_session_id
       ), together (id) AS (
         SELECT id FROM callers
         UNION SELECT d.conversation_id FROM together JOIN sessions c ON c.conversation_id = together.id
         JOIN sessions d ON d.parent_session_id = c.id AND d.parent_kind = 'delegate'
       )
       SELECT a.decision FROM approvals a JOIN sessions s ON s.id = a.session_id
       WHERE a.state = 'decided' AND s.conversation_id IN (SELECT id FROM together) ORDER BY a.decided_at, a.rowid`,
      [sessionId],
    );
    const rules = rows.flatMap((row) => {
      const made = decisionOf(row);
      return made?.kind === 'allow' && made.scope === 'session' ? made.rules : [];
    });
    return [...new Set(rules)];
  }

  mode(sessionId: string): Mode | null {
    const row = this.database.get('SELECT mode FROM sessions WHERE id = ?', [sessionId]);
    return row === undefined ? null : oneOf(row, 'mode', modes, null);
  }

  /** Sets it on every segment, because it applies to the conversation. */
  setMode(sessionId: string, mode: Mode | null): void {
    const { conversationId } = this.sessions.require(sessionId);
    this.database.run('UPDATE sessions SET mode = ? WHERE conversation_id = ?', [mode, conversationId]);
  }

  find(id: string): Approval | null {
    const row = this.database.get('SELECT * FROM approvals WHERE id = ?', [id]);
    return row === undefined ? null : readApproval(row);
  }

  private require(id: string): Approval {
    const approval = this.find(id);
    if (approval === null) throw notFound('approval', id);
    return approval;
  }

  private answered(id: string): ApprovalOfTurn {
    const approval = this.require(id);
    return { approval, turn: this.turnOf(id, approval.turnUid) };
  }

  /** In a damaged row the turn's uid may be lost; then the turn that waits for this approval is found. */
  private turnOf(id: string, turnUid: string): Turn {
    return this.turns.find(turnUid) ?? this.turns.waitingFor(id) ?? this.turns.require(turnUid);
  }
}

/** Reads a row of `approvals`. An unreadable request is shown as its raw text, and an unreadable decision allows
 *  nothing. */
export function readApproval(row: SqlRow): Approval {
  return {
    id: readText(row, 'id', ''),
    sessionId: readText(row, 'session_id', ''),
    turnUid: readText(row, 'turn_uid', ''),
    messageUid: readText(row, 'message_uid', ''),
    callId: readText(row, 'call_id', ''),
    request: requestOf(readText(row, 'request', '')),
    requestedAt: readTime(row, 'requested_at', 0),
    state: stateOf(row),
  };
}

function stateOf(row: SqlRow): Approval['state'] {
  const kind = oneOf(row, 'state', ['pending', 'decided', 'expired'], 'expired');
  if (kind !== 'decided') return { kind };
  const made: ApprovalDecision = decisionOf(row) ?? { kind: 'deny', reason: null };
  return { kind, decision: made, decidedAt: readTime(row, 'decided_at', 0) };
}

function decisionOf(row: SqlRow): ApprovalDecision | null {
  return parsedAs(decision, readText(row, 'decision', null));
}

function requestOf(stored: string): ApprovalRequest {
  return (
    parsedAs(approvalRequest, stored) ?? {
      tool: '?',
      access: { kind: 'editorTool', name: '?' },
      subject: stored.slice(0, 200),
      reasons: [],
      rules: [],
      preview: null,
    }
  );
}

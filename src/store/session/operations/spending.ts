import type { SqlRow } from '../../engine/sqlDatabase';
import type { SessionSpending } from '../../conversations';
import type { Cost } from '../../../transcript/usage';
import { StorePart } from '../tables/storePart';

// A usage with an unreadable cost counts as unpriced. A turn without usage counts only if a model answered it. The
// names of turns that a branch copied begin with the branch.
const sums = `total(cost) AS usd, count(*) - count(cost) AS unpriced FROM (
  SELECT iif(json_valid(usage), json_extract(usage, '$.costUsd'), NULL) AS cost FROM turns`;
const counted = `(usage IS NOT NULL OR outcome = 'complete')
  AND substr(uid, 1, length(session_id) + 1) <> session_id || '/'`;

/** Cost of sessions. Every method runs inside its caller's transaction. */
export class SpendingTable extends StorePart {
  of(sessionId: string): SessionSpending {
    const { conversationId } = this.sessions.require(sessionId);
    const cost = this.database.get(
      `WITH RECURSIVE working(id) AS (
         SELECT ?1
         UNION SELECT helper.conversation_id FROM working
           CROSS JOIN sessions caller ON caller.conversation_id = working.id
           CROSS JOIN sessions helper ON helper.parent_session_id = caller.id AND helper.parent_kind = 'delegate'
       )
       SELECT ${sums} WHERE conversation_id IN (SELECT id FROM working) AND ${counted})`,
      [conversationId],
    );
    const allowed = this.database.get('SELECT spending_allowed FROM sessions WHERE id = ?', [conversationId]);
    return { cost: costOf(cost), allowedUsd: readNumber(allowed?.['spending_allowed'], null) };
  }

  since(since: number): Cost {
    const [settled, open] = [
      this.database.get(`SELECT ${sums} WHERE settled_at >= ? AND state = 'settled' AND ${counted})`, [since]),
      this.database.get(`SELECT ${sums} INDEXED BY turns_slot WHERE state <> 'settled' AND ${counted})`),
    ].map(costOf);
    return { usd: (settled?.usd ?? 0) + (open?.usd ?? 0), unpriced: (settled?.unpriced ?? 0) + (open?.unpriced ?? 0) };
  }

  /** Kept with the conversation's first segment, which is never replaced. */
  allow(sessionId: string, usd: number): void {
    const { conversationId } = this.sessions.require(sessionId);
    this.database.run('UPDATE sessions SET spending_allowed = ? WHERE id = ?', [usd, conversationId]);
  }
}

function costOf(row: SqlRow | undefined): Cost {
  return { usd: readNumber(row?.['usd'], 0), unpriced: readNumber(row?.['unpriced'], 0) };
}

function readNumber<T>(value: unknown, otherwise: T): number | T {
  return typeof value === 'number' ? value : otherwise;
}

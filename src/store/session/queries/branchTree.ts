import type { SqlRow } from '../../engine/sqlDatabase';
import type { ConversationBranch } from '../../conversations';
import { readBoolean, readInteger, readText, readTime, texts, textIn } from '../tables/columns';
import { StorePart } from '../tables/storePart';

interface TreeRow extends ConversationBranch {
  readonly trashed: boolean;
}

/** The tree of conversations and the branches made from them. Every method runs inside its caller's transaction. */
export class BranchTree extends StorePart {
  of(sessionId: string, withTrash: boolean): readonly ConversationBranch[] {
    const root = this.rootOf(this.sessions.require(sessionId).conversationId);
    return this.below(root, null, new Set(), withTrash).map(({ trashed: _, ...branch }) => branch);
  }

  /** Titles of the other conversations of the tree, in lower case. */
  titlesBeside(conversationId: string): ReadonlySet<string> {
    const titles = new Set<string>();
    const walk = (id: string, seen: Set<string>): void => {
      if (seen.has(id)) return;
      seen.add(id);
      const title = id === conversationId ? null : this.row(id)?.['shown_title'];
      if (typeof title === 'string') titles.add(title.toLowerCase());
      for (const branch of this.branchesOfConversation(id)) walk(branch, seen);
    };
    walk(this.rootOf(conversationId), new Set());
    return titles;
  }

  /** Conversations branched from this one, oldest first. */
  branchesOfConversation(conversationId: string): readonly string[] {
    return texts(
      this.database,
      `SELECT b.conversation_id AS id FROM sessions s
         JOIN sessions b ON b.parent_session_id = s.id AND b.parent_kind = 'branch' AND b.pending IS NULL
         WHERE s.conversation_id = ? ORDER BY b.started_at, b.id`,
      [conversationId],
    );
  }

  /** Sessions of sub-agents that worked for these conversations, each below the one it worked for. */
  subAgentsOf(conversationIds: readonly string[]): readonly ConversationBranch[] {
    const below = (parent: string, seen: ReadonlySet<string>): readonly ConversationBranch[] =>
      texts(
        this.database,
        `SELECT d.conversation_id AS id FROM sessions s
           JOIN sessions d ON d.parent_session_id = s.id AND d.parent_kind = 'delegate'
           WHERE s.conversation_id = ? ORDER BY d.started_at, d.id`,
        [parent],
      )
        .filter((id) => !seen.has(id))
        .flatMap((id) => {
          const row = this.row(id);
          return row === undefined ? [] : [branchOf(row, id, parent), ...below(id, new Set([...seen, id]))];
        });
    return conversationIds.flatMap((id) => below(id, new Set(conversationIds)));
  }

  /** Follows branches upwards to a conversation that is not a branch, or whose origin is gone. */
  private rootOf(conversationId: string): string {
    const seen = new Set<string>();
    let current = conversationId;
    for (;;) {
      seen.add(current);
      const parent = this.parentOf(current);
      if (parent === null || seen.has(parent)) return current;
      current = parent;
    }
  }

  private parentOf(conversationId: string): string | null {
    return textIn(
      this.database,
      `SELECT p.conversation_id AS id FROM sessions s JOIN sessions p ON p.id = s.parent_session_id
       WHERE s.id = ? AND s.parent_kind = 'branch'`,
      [conversationId],
    );
  }

  /** A conversation and the branches below it. One in the trash is included only with `withTrash`, or when a branch
   *  below it is outside the trash. */
  private below(
    conversationId: string,
    parent: string | null,
    seen: Set<string>,
    withTrash: boolean,
  ): readonly TreeRow[] {
    const row = this.row(conversationId);
    if (row === undefined || seen.has(conversationId)) return [];
    seen.add(conversationId);
    const branches = this.branchesOfConversation(conversationId).flatMap((id) =>
      this.below(id, conversationId, seen, withTrash),
    );
    const self: TreeRow = { ...branchOf(row, conversationId, parent), trashed: readBoolean(row, 'is_trashed') };
    return self.trashed && !withTrash && branches.length === 0 ? [] : [self, ...branches];
  }

  private row(conversationId: string): SqlRow | undefined {
    return this.database.get(
      `SELECT s.id, s.last_activity_at, coalesce(s.title, root.title) AS shown_title, root.branched_from AS origin,
       s.trashed_at IS NOT NULL AS is_trashed,
         (SELECT CAST(total(turn_count) AS INTEGER) FROM sessions c WHERE c.conversation_id = root.id) AS turns
       FROM sessions root JOIN sessions s ON s.conversation_id = root.id
       WHERE root.id = ? AND NOT EXISTS (SELECT 1 FROM sessions c
         WHERE c.parent_session_id = s.id AND c.parent_kind = 'compression')`,
      [conversationId],
    );
  }
}

function branchOf(row: SqlRow, conversationId: string, parent: string | null): ConversationBranch {
  return {
    conversationId,
    tipId: readText(row, 'id', conversationId),
    title: readText(row, 'shown_title', null),
    parentConversationId: parent,
    branchedFrom: readText(row, 'origin', null),
    lastActiveAt: readTime(row, 'last_activity_at', 0),
    turnCount: readInteger(row, 'turns', 0),
  };
}

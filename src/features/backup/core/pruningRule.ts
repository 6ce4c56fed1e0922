/** A conversation, as far as removing old ones is concerned. */
export interface PrunedConversation {
  readonly id: string;
  /** Conversation that it was branched from or that delegated to it; null for none. */
  readonly parentId: string | null;
  readonly isPinned: boolean;
  /** Has a running or waiting turn, or a queued prompt. */
  readonly isLive: boolean;
  /** Seconds since 1970. */
  readonly lastActiveAt: number;
}

/** Conversations that may be removed: not active since `before`, neither pinned nor live, and not a parent, at any
 *  distance, of one that stays. Pure. */
export function prunableConversations(conversations: readonly PrunedConversation[], before: number): readonly string[] {
  const byId = new Map(conversations.map((conversation) => [conversation.id, conversation]));
  const kept = new Set<string>();
  for (const conversation of conversations) {
    if (!conversation.isPinned && !conversation.isLive && conversation.lastActiveAt < before) continue;
    // Stops at a parent that is already kept, so a cycle ends.
    for (let id: string | null = conversation.id; id !== null && !kept.has(id); id = byId.get(id)?.parentId ?? null)
      kept.add(id);
  }
  return conversations.flatMap(({ id }) => (kept.has(id) ? [] : [id]));
}

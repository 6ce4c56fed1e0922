import type { SearchHit, SearchSession } from '../../protocol/searchProtocol';

/** Hits of one session, under its title. */
export interface SearchGroup {
  readonly conversationId: string;
  /** Session to open when the user picks the group itself. */
  readonly sessionId: string;
  readonly title: string | null;
  /** Null for a session that could not be listed, for example one just moved to the trash. */
  readonly session: SearchSession | null;
  readonly hits: readonly SearchHit[];
}

/** Groups hits by session, in the order in which their sessions first appear. */
export function searchGroups(
  hits: readonly SearchHit[],
  sessions: ReadonlyMap<string, SearchSession>,
): readonly SearchGroup[] {
  const groups = new Map<string, SearchHit[]>();
  for (const hit of hits) groups.set(hit.conversationId, [...(groups.get(hit.conversationId) ?? []), hit]);
  return [...groups].map(([conversationId, own]) => {
    const session = sessions.get(conversationId) ?? null;
    const first = own[0];
    return {
      conversationId,
      sessionId: session?.id ?? first?.sessionId ?? conversationId,
      title: session?.title ?? first?.sessionTitle ?? null,
      session,
      hits: own,
    };
  });
}

/** Part of a snippet; `matched`: it matches the search text. */
export interface SnippetPiece {
  readonly text: string;
  readonly matched: boolean;
}

/** Splits a snippet at its matches. Joins overlapping ranges, and clips ranges to the text. */
export function snippetPieces({ snippet, matches }: Pick<SearchHit, 'snippet' | 'matches'>): readonly SnippetPiece[] {
  const pieces: SnippetPiece[] = [];
  let at = 0;
  for (const { start, end } of matches.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    const to = Math.min(snippet.length, end);
    if (to <= from) continue;
    if (from > at) pieces.push({ text: snippet.slice(at, from), matched: false });
    pieces.push({ text: snippet.slice(from, to), matched: true });
    at = to;
  }
  if (at < snippet.length) pieces.push({ text: snippet.slice(at), matched: false });
  return pieces;
}

import { groupedBy } from '../../../base/groupedBy';
import type { SearchResult, SearchSession } from '../protocol/searchProtocol';

/** Hits of one session, under its title. */
export interface SearchGroup {
  readonly conversationId: string;
  /** Session to open when the user picks the group itself. */
  readonly sessionId: string;
  readonly title: string | null;
  /** Null for a session that could not be listed, for example one just moved to the trash. */
  readonly session: SearchSession | null;
  readonly hits: readonly SearchResult[];
}

/** Groups hits by session, in the order in which their sessions first appear. In a group, what was said comes before
 *  what tools returned. */
export function searchGroups(
  hits: readonly SearchResult[],
  sessions: ReadonlyMap<string, SearchSession>,
): readonly SearchGroup[] {
  return [...groupedBy(hits, ({ conversationId }) => conversationId)].map(([conversationId, own]) => {
    const session = sessions.get(conversationId) ?? null;
    const first = own[0];
    return {
      conversationId,
      sessionId: session?.id ?? first?.sessionId ?? conversationId,
      title: session?.title ?? first?.sessionTitle ?? null,
      session,
      hits: [...own.filter(({ role }) => role !== 'tool'), ...own.filter(({ role }) => role === 'tool')],
    };
  });
}

type HitSnippet = Pick<SearchResult, 'snippet' | 'matches'>;

/** Part of a snippet; `matched`: it matches the search text. */
interface SnippetPiece {
  readonly text: string;
  readonly matched: boolean;
}

/** Marks of Markdown that a reader does not see: code fences and code marks, bold, headings, the ends of links. */
const markup = new RegExp(
  [
    /```[\w-]*|`+|\*\*|~~/,
    // A line break has become a space, and a blank line two.
    /(?<=^|…|\s\s)#{1,6}\s+|(?<=\s)#{2,6}\s+/,
    /!?(?<![\w\])])\[(?=[^\][]+\]\([^()\s]*\))/,
    /(?<=(?<![\w\])])\[[^\][]+)\]\([^()\s]*\)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/** Returns the snippet of an answer without the marks of Markdown, as the chat shows it. Keeps marks that match the
 *  search. */
export function plainSnippet({
  role,
  snippet,
  matches,
}: Pick<SearchResult, 'role' | 'snippet' | 'matches'>): HitSnippet {
  if (role !== 'assistant') return { snippet, matches };
  const marks = [...snippet.matchAll(markup)]
    .map(({ 0: text, index }) => ({ start: index, end: index + text.length }))
    .filter((mark) => !matches.some(({ start, end }) => start < mark.end && end > mark.start));
  const without = (at: number): number =>
    at - marks.reduce((sum, { start, end }) => sum + Math.max(0, Math.min(end, at) - start), 0);
  return {
    snippet: marks.reduceRight((text, { start, end }) => text.slice(0, start) + text.slice(end), snippet),
    matches: matches.map(({ start, end }) => ({ start: without(start), end: without(end) })),
  };
}

/** Splits a snippet at its matches. Joins overlapping ranges, and clips ranges to the text. */
export function snippetPieces({ snippet, matches }: HitSnippet): readonly SnippetPiece[] {
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

import type { TranscriptPage, TranscriptQuery } from '../sessionStore';
import type { Message } from '../../transcript/message';
import type { Turn } from '../../transcript/turn';

/** A page of the stored transcript with the rows of a turn from its spill. `spilled`: the rows of that turn that the
 *  query would show. */
export function withSpilled(
  page: TranscriptPage,
  query: TranscriptQuery,
  spilled: readonly Message[],
  turn: Turn,
): TranscriptPage {
  const known = new Map(spilled.map((row) => [row.uid, row]));
  const stored = page.messages.map((row) => known.get(row.uid) ?? row);
  const here = new Set(page.messages.map((row) => row.uid));
  const first = page.messages[0]?.position ?? Number.MIN_SAFE_INTEGER;
  const last = page.messages.at(-1)?.position ?? Number.MIN_SAFE_INTEGER;
  // A full page that reads forward may end before the turn begins.
  const isFull = query.after !== undefined && page.messages.length >= query.limit;
  const added = spilled.filter(
    ({ uid, position }) =>
      !here.has(uid) &&
      position > (query.after ?? first) &&
      position < (query.before ?? Number.MAX_SAFE_INTEGER) &&
      !(isFull && position > last),
  );
  const all = [...stored, ...added].sort((a, b) => a.position - b.position);
  const messages = query.after === undefined ? all.slice(-query.limit) : all.slice(0, query.limit);
  return {
    ...page,
    messages,
    turns: page.turns.some(({ uid }) => uid === turn.uid)
      ? page.turns.map((other) => (other.uid === turn.uid ? turn : other))
      : [...page.turns, turn],
    hasEarlier: page.hasEarlier || messages.length < all.length,
    later: page.later + (query.after === undefined ? 0 : all.length - messages.length),
    total: page.total + added.length,
  };
}

import type { PutMessage } from '../../store/sessionStore';
import type { Message } from '../../transcript/message';
import type { AssistantPart } from '../../transcript/part';
import type { Turn } from '../../transcript/turn';
import type { DeliveredMessage, DeliveredPart } from './shownLengths';

/** Returns the row with the shown text restored. `stored`: the row on disk, or null when it is gone. `after`: the
 *  row it was delivered after. Pure. */
export function backfilled(
  delivered: DeliveredMessage,
  stored: Message | null,
  turn: Turn,
  after: string,
  now: number,
): PutMessage {
  const { uid, sessionId } = delivered;
  const base = stored?.role === 'assistant' ? stored : delivered.row;
  const parts = withDelivered(base?.parts ?? [], delivered.parts);
  if (base !== null) return { ...base, parts, state: 'final', behind: after };
  return {
    uid,
    sessionId,
    turnUid: turn.uid,
    createdAt: now,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'assistant',
    parts,
    state: 'final',
    lastSeq: 0,
    model: turn.model,
    finishReason: null,
    usage: null,
    behind: after,
  };
}

/** Returns all of `stored`, in its order, with the missing pieces of `shown` inserted in their places. A part that
 *  holds only the beginning of the shown text is completed. A part that holds none of it (another text, a tool call)
 *  stays, and the shown text goes before it. Pure. */
export function withDelivered(
  stored: readonly AssistantPart[],
  shown: readonly DeliveredPart[],
): readonly AssistantPart[] {
  const whole: AssistantPart[] = [];
  let next = 0;
  for (const part of shown) {
    const at = placeIn(stored, next, part);
    const found = stored[at];
    if (found === undefined || found.kind === 'toolCall') {
      whole.push({ kind: part.kind, text: part.text });
      continue;
    }
    whole.push(...stored.slice(next, at), {
      ...found,
      text: found.text.length > part.text.length ? found.text : part.text,
    });
    next = at + 1;
  }
  return [...whole, ...stored.slice(next)];
}

/** Returns the index of the first part at or after `from` that holds the shown text, or else of the first one with a
 *  beginning of it. Returns -1 when there is none. */
function placeIn(stored: readonly AssistantPart[], from: number, { kind, text }: DeliveredPart): number {
  const first = (fits: (held: string) => boolean): number =>
    stored.findIndex((part, index) => index >= from && part.kind === kind && fits(part.text));
  const whole = first((held) => held.startsWith(text));
  return whole === -1 ? first((held) => held !== '' && text.startsWith(held)) : whole;
}

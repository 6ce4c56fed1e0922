import type { Chunk, Message } from '../../../transcript/message';
import type { Part } from '../../../transcript/part';

/** A message in the view: the newest stored row merged with its chunks, in whatever order they arrived. */
export interface LiveMessage {
  readonly uid: string;
  readonly turnUid: string | null;
  readonly role: Message['role'];
  /** The newest row seen; null when only chunks have arrived. */
  readonly row: Message | null;
  readonly parts: readonly Part[];
  /** Number of the last chunk contained in `parts`. */
  readonly lastSeq: number;
  /** Chunks that arrived before an earlier one. */
  readonly ahead: readonly Chunk[];
  readonly final: boolean;
  /** True when the stored row must be read: a chunk is missing, or a row has less than was shown. */
  readonly inDoubt: boolean;
  /** True when the text was shown, and a re-read found it missing on disk. */
  readonly unsaved: boolean;
  /** Milliseconds at which thinking was seen to begin and end; null when the view did not watch it. */
  readonly thinking: { readonly from: number; readonly until: number | null } | null;
}

/** row: pushed, or part of a snapshot · read: the response to a read of this very message, and so the final word on
 *  what is stored. */
export type RowSource = 'row' | 'read';

const nothingYet = {
  row: null,
  parts: [],
  lastSeq: 0,
  ahead: [],
  final: false,
  inDoubt: false,
  unsaved: false,
  thinking: null,
} as const;

export function emptyMessage(uid: string, turnUid: string): LiveMessage {
  return { ...nothingYet, uid, turnUid, role: 'assistant' };
}

export function fromRow(row: Message): LiveMessage {
  const { uid, turnUid, role, parts } = row;
  const [lastSeq, final] = row.role === 'assistant' ? [row.lastSeq, row.state !== 'streaming'] : [0, true];
  return { ...nothingYet, uid, turnUid, role, row, parts, lastSeq, final };
}

/** Merges a stored row. Shown text never gets shorter: a row with less becomes the row, but not the text, and is
 *  read again. If the disk really has less, the message is marked unsaved. */
export function mergeRow(live: LiveMessage, row: Message, source: RowSource, now: number): LiveMessage {
  if (row.role !== 'assistant') return fromRow(row);
  const final = row.state === 'final';
  const known = { ...live, role: row.role, turnUid: row.turnUid, final: live.final || final };
  if (!holds(row.lastSeq, row.parts, live)) {
    const newest = final || live.row === null ? row : live.row;
    if (!final) return { ...known, row: newest };
    return { ...known, row: newest, ahead: [], inDoubt: source === 'row', unsaved: source === 'read' };
  }
  // A late streaming row does not change a final one.
  if (live.final && !final && row.lastSeq === live.lastSeq) return known;
  const merged = drain({
    ...known,
    row,
    parts: row.parts,
    lastSeq: row.lastSeq,
    unsaved: false,
    ahead: final ? [] : live.ahead,
  });
  return watchThinking(live, merged, now);
}

/** Handles a re-read that found no row at all. */
export function markMissing(live: LiveMessage): LiveMessage {
  return { ...live, ahead: [], inDoubt: false, unsaved: deliveredLength(live.parts) > 0 };
}

/** Applies chunks in any order, each once. A chunk after a gap waits and puts the message in doubt. `now`:
 *  milliseconds. */
export function applyChunks(live: LiveMessage, chunks: readonly Chunk[], now: number): LiveMessage {
  const fresh = chunks.filter(
    (chunk) => chunk.seq > live.lastSeq && !live.ahead.some((other) => other.seq === chunk.seq),
  );
  if (fresh.length === 0) return live;
  return watchThinking(live, drain({ ...live, ahead: [...live.ahead, ...fresh].sort((a, b) => a.seq - b.seq) }), now);
}

/** Length of the text and thinking in a message, used to compare two states of it. */
export function deliveredLength(parts: readonly Part[]): number {
  return parts.reduce(
    (sum, part) => sum + (part.kind === 'text' || part.kind === 'thinking' ? part.text.length : 0),
    0,
  );
}

function holds(lastSeq: number, parts: readonly Part[], live: LiveMessage): boolean {
  return lastSeq >= live.lastSeq && deliveredLength(parts) >= deliveredLength(live.parts);
}

function drain(live: LiveMessage): LiveMessage {
  let { parts, lastSeq } = live;
  let ahead = live.ahead.filter((chunk) => chunk.seq > lastSeq);
  for (let next = ahead[0]; next?.seq === lastSeq + 1; next = ahead[0]) {
    const appended = append(parts, next);
    if (appended === null) break;
    parts = appended;
    lastSeq = next.seq;
    ahead = ahead.slice(1);
  }
  return { ...live, parts, lastSeq, ahead, inDoubt: ahead.length > 0 };
}

/** Null when the chunk does not begin where the part ends: then the parts here are not the ones it continues. */
function append(parts: readonly Part[], chunk: Chunk): readonly Part[] | null {
  // Tool calls take part numbers too but arrive only with the row: until then an empty text holds their place.
  const grown: Part[] = [...parts];
  while (grown.length < chunk.part) grown.push({ kind: 'text', text: '' });
  const part = grown[chunk.part];
  if (part === undefined || (part.kind === 'text' && part.text === '')) {
    if (chunk.start !== 0) return null;
    grown[chunk.part] = { kind: chunk.kind, text: chunk.text };
    return grown;
  }
  if (part.kind !== chunk.kind || part.text.length !== chunk.start) return null;
  grown[chunk.part] = { ...part, text: part.text + chunk.text };
  return grown;
}

function watchThinking(before: LiveMessage, after: LiveMessage, now: number): LiveMessage {
  const thinks = after.parts.at(-1)?.kind === 'thinking';
  const { thinking } = before;
  // Watched from its first chunk or not at all: a duration that began before the view did would be a guess.
  if (thinks && !after.final && thinking === null && before.lastSeq === 0)
    return { ...after, thinking: { from: now, until: null } };
  if ((!thinks || after.final) && thinking !== null && thinking.until === null)
    return { ...after, thinking: { ...thinking, until: now } };
  return after;
}

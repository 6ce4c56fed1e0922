import type { Chunk, Message, Part } from '../../../protocol/transcriptTypes';

/** A message as the view has it: the newest stored row merged with the chunks that came for it, in whatever order they came. */
export interface LiveMessage {
  readonly uid: string;
  readonly turnUid: string | null;
  readonly role: Message['role'];
  /** The newest row seen; null while only chunks came. */
  readonly row: Message | null;
  readonly parts: readonly Part[];
  /** Number of the last chunk contained in `parts`. */
  readonly lastSeq: number;
  /** Chunks that came before an earlier one did. */
  readonly ahead: readonly Chunk[];
  readonly final: boolean;
  /** The stored row is to be read: a chunk is missing, or a row holds less than what was shown. */
  readonly inDoubt: boolean;
  /** Shown, and read back as missing on disk. */
  readonly unsaved: boolean;
  /** When thinking was seen to begin and end here, in milliseconds; null where it was not watched. */
  readonly thinking: { readonly from: number; readonly until: number | null } | null;
}

/** row: pushed, or part of a snapshot · read: the answer to a question about this very message, hence the last word on what is stored. */
export type RowSource = 'row' | 'read';

export function fromRow(row: Message): LiveMessage {
  const assistant = row.role === 'assistant' ? row : null;
  return {
    uid: row.uid,
    turnUid: row.turnUid,
    role: row.role,
    row,
    parts: row.parts,
    lastSeq: assistant?.lastSeq ?? 0,
    ahead: [],
    final: assistant?.state !== 'streaming',
    inDoubt: false,
    unsaved: false,
    thinking: null,
  };
}

/** Merges a stored row. What was shown never becomes shorter: a row that holds less is kept as the row, not as the text, and is read again;
 *  if the disk really holds less, the message is marked unsaved. */
export function mergeRow(live: LiveMessage, row: Message, source: RowSource, now: number): LiveMessage {
  if (row.role !== 'assistant') return fromRow(row);
  const final = row.state === 'final';
  const known = { ...live, role: row.role, turnUid: row.turnUid, final: live.final || final };
  if (!holds(row.lastSeq, row.parts, live)) {
    const newest = final || live.row === null ? row : live.row;
    if (!final) return { ...known, row: newest };
    return { ...known, row: newest, ahead: [], inDoubt: source === 'row', unsaved: source === 'read' };
  }
  // A streaming row that is late changes nothing about a final one.
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

/** The answer to a re-read that found no row at all. */
export function markMissing(live: LiveMessage): LiveMessage {
  return { ...live, ahead: [], inDoubt: false, unsaved: deliveredLength(live.parts) > 0 };
}

/** Applies chunks in any order, each once; a chunk after a gap waits and puts the message in doubt. `now` is in milliseconds. */
export function applyChunks(live: LiveMessage, chunks: readonly Chunk[], now: number): LiveMessage {
  const fresh = chunks.filter(
    (chunk) => chunk.seq > live.lastSeq && !live.ahead.some((other) => other.seq === chunk.seq),
  );
  if (fresh.length === 0) return live;
  return watchThinking(live, drain({ ...live, ahead: [...live.ahead, ...fresh].sort((a, b) => a.seq - b.seq) }), now);
}

export function emptyMessage(uid: string, turnUid: string): LiveMessage {
  const nothingYet = {
    row: null,
    parts: [],
    lastSeq: 0,
    ahead: [],
    final: false,
    inDoubt: false,
    unsaved: false,
    thinking: null,
  };
  return { uid, turnUid, role: 'assistant', ...nothingYet };
}

/** Text and thinking in a message: what it is measured by when two states of it are compared. */
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
  // Tool calls take part numbers too, and are told with the row only: until then an empty text keeps their place.
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

import { parsedJson } from '../../../transcript/json';
import type { SqlRow } from '../../engine/sqlDatabase';
import type { Chunk } from '../../../transcript/message';
import type { AssistantPart, DeliveredKind } from '../../../transcript/part';
import { readBoolean, readInteger, oneOf, readText } from './columns';

export type StoredChunk = Chunk;

/** Returns the parts of a message with its unfolded chunks added, in the order of their numbers. */
export function foldChunks(parts: readonly AssistantPart[], chunks: readonly StoredChunk[]): readonly AssistantPart[] {
  if (chunks.length === 0) return parts;
  const folded: AssistantPart[] = [...parts];
  for (const chunk of chunks) {
    const part = folded[chunk.part];
    if (part === undefined) folded.push({ kind: chunk.kind, text: chunk.text });
    else if (part.kind === chunk.kind) folded[chunk.part] = { ...part, text: part.text + chunk.text };
    // Only a damaged file leads here: `appendChunks` refuses a chunk of another kind. The text was delivered, so it is
    // kept.
    else folded.push({ kind: chunk.kind, text: chunk.text });
  }
  return folded;
}

/** Text and thinking of a message in order: everything that a surface may have shown of it. */
export function deliveredTexts(
  parts: readonly AssistantPart[],
): readonly { readonly kind: DeliveredKind; readonly text: string }[] {
  return parts.flatMap((part) => (part.kind === 'toolCall' ? [] : [{ kind: part.kind, text: part.text }]));
}

/** True when `next` still holds everything delivered in `stored`: each text and thinking part, in order, as the
 *  beginning of a part of `next`. */
export function keepsDelivered(stored: readonly AssistantPart[], next: readonly AssistantPart[]): boolean {
  const after = deliveredTexts(next);
  const before = deliveredTexts(stored).filter((part) => part.text !== '');
  let from = 0;
  return before.every((part) => {
    const found = after.findIndex(
      (candidate, index) => index >= from && candidate.kind === part.kind && candidate.text.startsWith(part.text),
    );
    from = found + 1;
    return found !== -1;
  });
}

const loneSurrogate = /\p{Surrogate}/u;

/** Column values of a chunk. SQLite's text is UTF-8 and cannot hold half a surrogate pair. Such a chunk is stored as
 *  a JSON string, so that a character cut between two chunks is whole again after folding. */
export function chunkRow({ messageUid, seq, part, kind, start, text }: Chunk): SqlRow {
  const escaped = loneSurrogate.test(text);
  const stored = escaped ? JSON.stringify(text) : text;
  return { message_uid: messageUid, seq, part, kind, start, text: stored, escaped: escaped ? 1 : 0 };
}

export function readChunkRow(row: SqlRow): StoredChunk {
  const stored = readText(row, 'text', '');
  const parsed = readBoolean(row, 'escaped') ? parsedJson(stored) : stored;
  return {
    messageUid: readText(row, 'message_uid', ''),
    seq: readInteger(row, 'seq', 0),
    part: readInteger(row, 'part', 0),
    kind: oneOf(row, 'kind', ['text', 'thinking'], 'text'),
    start: readInteger(row, 'start', 0),
    text: typeof parsed === 'string' ? parsed : stored,
  };
}

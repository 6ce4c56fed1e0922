import type { Chunk } from '../transcript/message';
import type { AssistantPart, DeliveredKind, ProviderMetadata, ThinkingPart } from '../transcript/part';

interface BufferedPart {
  readonly kind: DeliveredKind;
  /** Text that is on disk. */
  stored: string;
  /** Text that has arrived and is not on disk yet. */
  waiting: string;
  /** True when its first chunk is on disk. A part that has only metadata and is followed by text has an empty first
   *  chunk. */
  begun: boolean;
  ended: boolean;
  metadata: ProviderMetadata | undefined;
}

/** One answer while it streams: the part that each delta belongs to, the text already on disk, and the next chunks.
 *  Pure bookkeeping: it neither stores nor shows. It never splits a surrogate pair. Text that cannot be stored
 *  unchanged (a lone surrogate) is replaced here, before it is stored and shown, so that both stay equal. */
export class AnswerBuffer {
  private readonly parts: BufferedPart[] = [];
  private seq = 0;

  constructor(readonly messageUid: string) {}

  get lastSeq(): number {
    return this.seq;
  }

  /** True when a part of this answer is on disk. */
  get hasStored(): boolean {
    return this.seq > 0;
  }

  add(kind: DeliveredKind, text: string): void {
    if (text === '') return;
    const last = this.parts.at(-1);
    if (last !== undefined && !last.ended && last.kind === kind) last.waiting += text;
    else {
      if (last !== undefined) last.ended = true;
      this.parts.push({ kind, stored: '', waiting: text, begun: false, ended: false, metadata: undefined });
    }
  }

  /** Ends the open part. Keeps a part that has only metadata (redacted thinking), because its provider needs it
   *  back. */
  end(kind: DeliveredKind, metadata: ProviderMetadata | undefined): void {
    const last = this.parts.at(-1);
    if (last !== undefined && !last.ended && last.kind === kind) {
      last.ended = true;
      last.metadata = metadata;
    } else if (metadata !== undefined) {
      this.parts.push({ kind, stored: '', waiting: '', begun: false, ended: true, metadata });
    }
  }

  /** Returns all text of one kind, including text that is not on disk yet. */
  textOf(kind: DeliveredKind): string {
    return this.parts.map((part) => (part.kind === kind ? part.stored + part.waiting : '')).join('');
  }

  /** The thinking parts, including text that is not on disk yet. */
  get thinking(): readonly ThinkingPart[] {
    return this.parts.flatMap(({ kind, stored, waiting, metadata }) =>
      kind === 'thinking' ? [{ kind, text: stored + waiting, ...(metadata === undefined ? {} : { metadata }) }] : [],
    );
  }

  /** True when more text of this kind would continue the last part. */
  isOpen(kind: DeliveredKind): boolean {
    const last = this.parts.at(-1);
    return last !== undefined && last.kind === kind && !last.ended;
  }

  /** Continues this answer with a further request: text continues the open part, unless a provider has signed that
   *  part. */
  reopen(): void {
    const last = this.parts.at(-1);
    if (last === undefined) return;
    last.ended = last.kind !== 'text' || last.metadata !== undefined;
  }

  /** Returns the chunks to store next, without removing them. With `all`, includes the half of a surrogate pair that
   *  is otherwise held back. */
  nextChunks(all: boolean): readonly Chunk[] {
    const chunks: Chunk[] = [];
    // Only its provider can use a part that has just metadata. It waits for text after it or for the final row.
    // Otherwise a stop right after it would leave an answer row without any text.
    let silent: Omit<Chunk, 'seq'>[] = [];
    for (const [index, part] of this.parts.entries()) {
      const text = releasable(part, all);
      if (text === '' && (part.begun || part.metadata === undefined)) continue;
      const chunk = {
        messageUid: this.messageUid,
        part: index,
        kind: part.kind,
        start: part.stored.length,
        text: text.toWellFormed(),
      };
      if (text === '') silent.push(chunk);
      else {
        for (const next of [...silent, chunk]) chunks.push({ ...next, seq: this.seq + chunks.length + 1 });
        silent = [];
      }
    }
    return chunks;
  }

  /** Marks these chunks as stored on disk. */
  markStored(chunks: readonly Chunk[]): void {
    for (const chunk of chunks) {
      const part = this.parts[chunk.part];
      if (part === undefined) continue;
      part.waiting = part.waiting.slice(chunk.text.length);
      part.stored += chunk.text;
      part.begun = true;
      this.seq = chunk.seq;
    }
  }

  /** Returns the answer as it is on disk, with the metadata of completed parts. */
  storedParts(): readonly AssistantPart[] {
    return this.parts
      .filter((part) => part.begun || (part.metadata !== undefined && part.waiting === ''))
      .map(({ kind, stored, waiting, ended, metadata }) => {
        const isComplete = ended && waiting === '' && metadata !== undefined;
        return isComplete ? { kind, text: stored, metadata } : { kind, text: stored };
      });
  }
}

function releasable(part: BufferedPart, all: boolean): string {
  if (all || part.ended || !endsInHighSurrogate(part.waiting)) return part.waiting;
  return part.waiting.slice(0, -1);
}

function endsInHighSurrogate(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

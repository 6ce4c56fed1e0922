import type { Chunk } from '../transcript/message';
import type { AssistantPart, DeliveredKind, ProviderMetadata, ThinkingPart } from '../transcript/part';

interface BufferedPart {
  readonly kind: DeliveredKind;
  /** Text that is on disk. */
  stored: string;
  /** Text that has arrived and is not on disk yet. */
  waiting: string;
  /** Its first chunk is on disk (an empty one for a part that has only metadata and text behind it). */
  begun: boolean;
  ended: boolean;
  metadata: ProviderMetadata | undefined;
}

/** One answer while it arrives: which part each delta belongs to, what of it is on disk, and what the next chunks are. Pure bookkeeping:
 *  it neither stores nor shows. A surrogate pair is never cut in two, and text that could not be stored as it is (a lone surrogate) is
 *  replaced here, before it is stored and shown, so that both stay equal. */
export class AnswerBuffer {
  private readonly parts: BufferedPart[] = [];
  private seq = 0;

  constructor(readonly messageUid: string) {}

  get lastSeq(): number {
    return this.seq;
  }

  /** Whether anything of this answer is on disk. */
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

  /** Ends the open part. A part that has only metadata (redacted thinking) is kept, because its provider wants it back. */
  end(kind: DeliveredKind, metadata: ProviderMetadata | undefined): void {
    const last = this.parts.at(-1);
    if (last !== undefined && !last.ended && last.kind === kind) {
      last.ended = true;
      last.metadata = metadata;
    } else if (metadata !== undefined) {
      this.parts.push({ kind, stored: '', waiting: '', begun: false, ended: true, metadata });
    }
  }

  /** All text of one kind, what is not on disk yet included. */
  textOf(kind: DeliveredKind): string {
    return this.parts.map((part) => (part.kind === kind ? part.stored + part.waiting : '')).join('');
  }

  /** The thinking parts, what is not on disk yet included. */
  get thinking(): readonly ThinkingPart[] {
    return this.parts.flatMap(({ kind, stored, waiting, metadata }) =>
      kind === 'thinking' ? [{ kind, text: stored + waiting, ...(metadata === undefined ? {} : { metadata }) }] : [],
    );
  }

  /** Whether further text of this kind would stand right behind what there is. */
  isOpen(kind: DeliveredKind): boolean {
    const last = this.parts.at(-1);
    return last !== undefined && last.kind === kind && !last.ended;
  }

  /** A further request goes on with this answer: text continues the part that was open, unless a provider signed that part as it is. */
  reopen(): void {
    const last = this.parts.at(-1);
    if (last === undefined) return;
    last.ended = last.kind !== 'text' || last.metadata !== undefined;
  }

  /** What would be stored next, without taking it. With `all`, also the half of a surrogate pair that is otherwise held back. */
  nextChunks(all: boolean): readonly Chunk[] {
    const chunks: Chunk[] = [];
    // A part of metadata alone says nothing to anyone but its provider. It waits for text behind it, or for the final row: otherwise a stop
    // right behind it would leave an answer that is a row and says nothing.
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

  /** These chunks are on disk now. */
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

  /** The answer as it is on disk, with the metadata of the parts that were completed. */
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

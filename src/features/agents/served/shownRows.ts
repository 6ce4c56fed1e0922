import type { Chunk, Message } from '../../../transcript/message';
import type { Part } from '../../../transcript/part';
import type { ToolProgress } from '../../../transcript/turnEvent';
import { attachmentChunk, callEnded, callProgress, callStarted, messageChunk } from './served1';

/** News of a session for a client: the `update` of a `session/update`. */
export interface SessionUpdate {
  readonly sessionUpdate: string;
}

/** Turns stored rows of a session into updates, each part of a row once: chunks while it streams, the row afterwards,
 *  and the same rows again in a replay give the same text under the same ids. */
export class ShownRows {
  /** UTF-16 units shown, by row and part. */
  private readonly lengths = new Map<string, number>();
  private readonly calls = new Set<string>();
  private readonly ended = new Set<string>();
  /** Ids of the model are unique within one answer only. */
  private readonly callIds = new Map<string, string>();

  chunk({ messageUid, part, kind, start, text }: Chunk): readonly SessionUpdate[] {
    return this.grown(messageUid, part, kind, start, text);
  }

  /** What of this row is not shown yet. */
  row(message: Message): readonly SessionUpdate[] {
    if (message.visibility.kind !== 'shown') return [];
    return message.parts.flatMap((part, index) => this.part(message, part, index));
  }

  /** The id of a call for the client. */
  toolCallId(callId: string): string {
    return this.callIds.get(callId) ?? callId;
  }

  progress(callId: string, progress: ToolProgress): readonly SessionUpdate[] {
    const id = this.toolCallId(callId);
    if (!this.calls.has(id) || this.ended.has(id)) return [];
    if (progress.kind === 'output') return [callProgress(id, progress.tail)];
    if (progress.kind === 'note') return [callProgress(id, progress.text)];
    if (progress.kind === 'step') return [callProgress(id, `${progress.steps}: ${progress.call.name}`)];
    return [];
  }

  running(callId: string): readonly SessionUpdate[] {
    const id = this.toolCallId(callId);
    return this.calls.has(id) && !this.ended.has(id) ? [callProgress(id)] : [];
  }

  private part({ uid, role }: Message, part: Part, index: number): readonly SessionUpdate[] {
    switch (part.kind) {
      case 'text':
      case 'thinking':
        return role === 'user'
          ? this.once(`${uid}/${index}`, () => messageChunk('user_message_chunk', uid, part.text))
          : this.grown(uid, index, part.kind, 0, part.text);
      case 'image':
        return this.once(`${uid}/${index}`, () => messageChunk('user_message_chunk', uid, part));
      case 'attachment':
        return this.once(`${uid}/${index}`, () => attachmentChunk(uid, part.source, part.text));
      case 'toolCall': {
        const id = `${uid}/${part.callId}`;
        this.callIds.set(part.callId, id);
        if (this.calls.has(id)) return [];
        this.calls.add(id);
        return [callStarted(id, part)];
      }
      case 'toolResult': {
        const id = this.toolCallId(part.callId);
        if (this.ended.has(id)) return [];
        this.ended.add(id);
        return [callEnded(id, part)];
      }
      default:
        return part satisfies never;
    }
  }

  private grown(
    uid: string,
    part: number,
    kind: 'text' | 'thinking',
    start: number,
    text: string,
  ): readonly SessionUpdate[] {
    const key = `${uid}/${part}`;
    const shown = this.lengths.get(key) ?? 0;
    if (start + text.length <= shown) return [];
    this.lengths.set(key, start + text.length);
    const who = kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
    return [messageChunk(who, uid, text.slice(Math.max(0, shown - start)))];
  }

  private once(key: string, update: () => SessionUpdate): readonly SessionUpdate[] {
    if (this.lengths.has(key)) return [];
    this.lengths.set(key, 1);
    return [update()];
  }
}

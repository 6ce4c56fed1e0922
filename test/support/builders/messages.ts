import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../../src/transcript/message';
import type { AssistantPart, ImagePart, ToolCallPart, ToolOutcome } from '../../../src/transcript/part';

/** Rows for tests that need a transcript and no store: each call makes the next row of session "s". */
export class TranscriptBuilder {
  private readonly rows: Message[] = [];
  private turnUid: string | null = 't';

  get messages(): readonly Message[] {
    return this.rows;
  }

  /** The rows that follow belong to this turn. */
  turn(uid: string | null): this {
    this.turnUid = uid;
    return this;
  }

  user(text: string, ...images: readonly ImagePart[]): this {
    const row: UserMessage = { ...this.base(), role: 'user', parts: [{ kind: 'text', text }, ...images] };
    return this.add(row);
  }

  assistant(...parts: readonly (AssistantPart | string)[]): this {
    const row: AssistantMessage = {
      ...this.base(),
      role: 'assistant',
      parts: parts.map((part) => (typeof part === 'string' ? { kind: 'text', text: part } : part)),
      state: 'final',
      lastSeq: 0,
      model: 'test/model',
      finishReason: null,
      usage: null,
    };
    return this.add(row);
  }

  tool(callId: string, text: string, outcome: ToolOutcome = 'done'): this {
    const row: ToolMessage = {
      ...this.base(),
      role: 'tool',
      parts: [{ kind: 'toolResult', callId, name: 'read_file', outcome, text }],
    };
    return this.add(row);
  }

  /** The row that ends a turn in which nothing was said. */
  closing(text: string): this {
    const row: AssistantMessage = {
      ...this.base(),
      visibility: { kind: 'closing' },
      role: 'assistant',
      parts: [{ kind: 'text', text }],
      state: 'final',
      lastSeq: 0,
      model: null,
      finishReason: null,
      usage: null,
    };
    return this.add(row);
  }

  private add(row: Message): this {
    this.rows.push(row);
    return this;
  }

  private base() {
    const position = this.rows.length + 1;
    return {
      uid: `m${position}`,
      sessionId: 's',
      turnUid: this.turnUid,
      position,
      createdAt: position,
      visibility: { kind: 'shown' as const },
      carriedFrom: null,
    };
  }
}

export function call(callId: string, args = '{}'): ToolCallPart {
  return { kind: 'toolCall', callId, name: 'read_file', arguments: args };
}

export const image: ImagePart = { kind: 'image', mediaType: 'image/png', dataBase64: 'AAAA' };

/** Rows as one line each: `user: text`, `assistant: text [call]`, `tool call=outcome`. */
export function rowLines(rows: readonly Message[]): readonly string[] {
  return rows.map((row) => {
    const words = row.parts.map((part) => {
      switch (part.kind) {
        case 'text':
          return part.text;
        case 'thinking':
          return `<${part.text}>`;
        case 'toolCall':
          return `[${part.callId}]`;
        case 'toolResult':
          return `${part.callId}=${part.outcome}`;
        case 'image':
          return '(image)';
      }
    });
    return `${row.role}: ${words.join(' ')}`;
  });
}

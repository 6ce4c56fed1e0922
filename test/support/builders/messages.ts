import type { AssistantMessage, Message, ToolMessage, UserMessage } from '../../../src/transcript/message';
import type { AssistantPart, ToolCallPart, ToolOutcome } from '../../../src/transcript/part';

/** Rows for tests that need a transcript and no store: each call makes the next row of session "s". */
export class TranscriptBuilder {
  private readonly rows: Message[] = [];

  get messages(): readonly Message[] {
    return this.rows;
  }

  user(text: string): this {
    const row: UserMessage = { ...this.base(), role: 'user', parts: [{ kind: 'text', text }] };
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
    const row: ToolMessage = { ...this.base(), role: 'tool', parts: [{ kind: 'toolResult', callId, name: 'read_file', outcome, text }] };
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
      turnUid: 't',
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

import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '../../../src/transcript/json';

export type ServerProtocol = 'openai' | 'anthropic';

/** What the server knows of one model request: what came in, and what of its answer was really written to the socket. */
export interface RecordedRequest {
  readonly number: number;
  readonly protocol: ServerProtocol;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: JsonObject;
  /** The messages as short lines, the same for both protocols: `user: Hello`, `assistant: calls read_file call_1`, `tool call_1: …`. */
  readonly outline: readonly string[];
  /** Why the strict rules refused it, or null. */
  readonly rejection: string | null;
  /** Bytes of the response body that were handed to the socket. */
  readonly bytesDelivered: number;
  /** Answer text and thinking of the events that were written whole. */
  readonly delivered: { readonly text: string; readonly thinking: string };
  /** The client went away before the answer ended. */
  readonly clientClosed: boolean;
  readonly status: number | null;
  /** Resolves when the response ended, was cut off, or its client went away. */
  readonly ended: Promise<void>;
}

export class RequestRecord implements RecordedRequest {
  bytesDelivered = 0;
  clientClosed = false;
  rejection: string | null = null;
  status: number | null = null;
  private text = '';
  private thinking = '';
  private resolveEnded: () => void = () => undefined;
  readonly ended: Promise<void> = new Promise((resolve) => {
    this.resolveEnded = resolve;
  });

  constructor(
    readonly number: number,
    readonly protocol: ServerProtocol,
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    readonly body: JsonObject,
  ) {}

  get delivered(): { readonly text: string; readonly thinking: string } {
    return { text: this.text, thinking: this.thinking };
  }

  get outline(): readonly string[] {
    return outlineOf(this.body);
  }

  count(bytes: number): void {
    this.bytesDelivered += bytes;
  }

  see(seen: { readonly text?: string; readonly thinking?: string }): void {
    this.text += seen.text ?? '';
    this.thinking += seen.thinking ?? '';
  }

  end(): void {
    this.resolveEnded();
  }
}

function outlineOf(body: JsonObject): readonly string[] {
  const system = body['system'] === undefined ? [] : [`system: ${textOf(body['system'])}`];
  return [...system, ...records(body['messages']).flatMap(linesOf)];
}

function linesOf(message: Record<string, unknown>): readonly string[] {
  const role = String(message['role']);
  if (role === 'tool') return [`tool ${String(message['tool_call_id'])}: ${textOf(message['content'])}`];
  const content = message['content'];
  const texts =
    typeof content === 'string'
      ? content === ''
        ? []
        : [`${role}: ${content}`]
      : records(content).map((part) => `${role}: ${partLine(part)}`);
  const calls = records(message['tool_calls']).map((call) => {
    const asked = records([call['function']])[0] ?? {};
    return `assistant: calls ${String(asked['name'])} ${String(call['id'])} ${String(asked['arguments'])}`;
  });
  return [...texts, ...calls].map((line) => line.replace(/^user: tool /, 'tool '));
}

function partLine(part: Record<string, unknown>): string {
  switch (part['type']) {
    case 'text':
      return String(part['text']);
    case 'thinking':
      return `thinks ${String(part['thinking'])}`;
    case 'tool_use':
      return `calls ${String(part['name'])} ${String(part['id'])} ${JSON.stringify(part['input'])}`;
    case 'tool_result':
      return `tool ${String(part['tool_use_id'])}: ${textOf(part['content'])}`;
    default:
      return `[${String(part['type'])}]`;
  }
}

function textOf(content: unknown): string {
  return typeof content === 'string'
    ? content
    : records(content)
        .map((part) => (typeof part['text'] === 'string' ? part['text'] : ''))
        .join('');
}

function records(value: unknown): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) return [];
  return value.filter(
    (item): item is Record<string, unknown> => typeof item === 'object' && item !== null && !Array.isArray(item),
  );
}

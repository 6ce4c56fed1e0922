import type { JsonObject, JsonValue } from '../../transcript/json';
import { countsIn, errorIn, type EventReader, textIn } from './eventStream';
import type { errorDetails } from './observedFetch';
import { isObject } from './prompt';

/** Reads events of the messages protocol, and whole messages, as services send them. Joins an answer in which a second
 *  message begins before the first has ended (routers that retry after a failure splice them so). The SDK drops
 *  everything from there on or, if both have one id, takes blocks of the second for those of the first. This closes
 *  open blocks first, so thinking keeps its own signature, and drops the second start. */
export class MessageEvents implements EventReader {
  isOver = false;
  private isOpen = false;
  private stopReason: string | null = null;
  private readonly blocks = new Map<number, string>();

  get isFinished(): boolean {
    return this.stopReason !== null;
  }

  take(value: JsonObject, name: string): readonly JsonObject[] {
    const index = Number(textIn(value['index']) ?? 0);
    switch (textIn(value['type']) ?? name) {
      case 'message_start':
        return this.begin(value['message']);
      case 'content_block_start':
        return isObject(value['content_block']) ? this.beginBlock(index, value['content_block']) : [];
      case 'content_block_delta':
        return isObject(value['delta']) ? this.delta(index, value['delta']) : [];
      case 'content_block_stop':
        return this.blocks.delete(index) ? [stop(index)] : [];
      case 'message_delta':
        return this.finish(value);
      case 'message_stop':
        this.isOver = true;
        return [];
      case 'message':
        return this.whole(value);
      case 'ping':
        return [];
      default: {
        const error = this.isFinished ? null : errorIn(value);
        return error === null ? [] : [this.failed(error)];
      }
    }
  }

  failed({ message, code, status }: ReturnType<typeof errorDetails>): JsonObject {
    return {
      type: 'error',
      error: { type: code ?? 'error', message, ...(status === null ? {} : { code: status, statusCode: status }) },
    };
  }

  /** Only a stop reason ends a message: with it the last event may be missing, without it that event is not enough. */
  end(): readonly JsonObject[] {
    return this.stopReason === null ? [] : [...this.closeBlocks(), { type: 'message_stop' }];
  }

  private begin(message: JsonValue | undefined): readonly JsonObject[] {
    if (this.isOpen) return this.closeBlocks();
    this.isOpen = true;
    const given = isObject(message) ? message : {};
    const content: readonly unknown[] = Array.isArray(given['content']) ? given['content'] : [];
    const start = {
      type: 'message_start',
      message: {
        ...given,
        id: textIn(given['id']) ?? null,
        model: textIn(given['model']) ?? null,
        role: 'assistant',
        stop_reason: null,
        content: content.filter(isObject).filter(({ type, id }) => type === 'tool_use' && typeof id === 'string'),
        usage: { input_tokens: 0, ...countsIn(given['usage']) },
      },
    };
    return [start];
  }

  private beginBlock(index: number, block: JsonObject): readonly JsonObject[] {
    const begun = [...(this.isOpen ? [] : this.begin(undefined)), ...(this.blocks.delete(index) ? [stop(index)] : [])];
    const start = (content: JsonObject): JsonObject => ({ type: 'content_block_start', index, content_block: content });
    const type = textIn(block['type']) ?? (typeof block['text'] === 'string' ? 'text' : '');
    this.blocks.set(index, type);
    switch (type) {
      case 'text':
      case 'thinking': {
        const text = textIn(block[type]) ?? '';
        const signature = textIn(block['signature']) ?? '';
        const empty = type === 'text' ? { type, text: '' } : { type, thinking: '' };
        return [
          ...begun,
          start(empty),
          ...(text === '' ? [] : this.delta(index, { type: `${type}_delta`, [type]: text })),
          ...(signature === '' ? [] : this.delta(index, { type: 'signature_delta', signature })),
        ];
      }
      case 'tool_use': {
        const input = isObject(block['input']) ? block['input'] : {};
        return [
          ...begun,
          start({ ...block, id: textIn(block['id']) ?? `call_${index}`, name: textIn(block['name']) ?? '', input }),
        ];
      }
      default:
        return /^(?:redacted_thinking|compaction|fallback|server_tool_use|mcp_tool_use|\w+_tool_result)$/.test(type)
          ? [...begun, start(block)]
          : this.unknownBlock(index, block, begun);
    }
  }

  /** A block of an unknown kind keeps its words. */
  private unknownBlock(index: number, block: JsonObject, begun: readonly JsonObject[]): readonly JsonObject[] {
    this.blocks.delete(index);
    const text = textIn(block['text']) ?? '';
    return text === '' ? begun : [...begun, ...this.beginBlock(index, { type: 'text', text })];
  }

  private delta(index: number, delta: JsonObject): readonly JsonObject[] {
    const passed = (fields: JsonObject): readonly JsonObject[] => [
      { type: 'content_block_delta', index, delta: fields },
    ];
    const type = textIn(delta['type']) ?? '';
    const json = delta['partial_json'];
    const text = textIn(delta['text']);
    const thinking = textIn(delta['thinking']);
    const wanted =
      json !== undefined ? 'tool_use' : thinking !== undefined || type === 'signature_delta' ? 'thinking' : 'text';
    const begun =
      this.blocks.has(index) || (wanted === 'text' && text === undefined) || wanted === 'tool_use'
        ? []
        : this.beginBlock(index, { type: wanted });
    if (json !== undefined && json !== null)
      return this.blocks.has(index)
        ? passed({ type: 'input_json_delta', partial_json: typeof json === 'string' ? json : JSON.stringify(json) })
        : [];
    if (thinking !== undefined) return [...begun, ...passed({ type: 'thinking_delta', thinking })];
    if (text !== undefined) return [...begun, ...passed({ type: 'text_delta', text })];
    if (!this.blocks.has(index)) return [];
    if (type === 'signature_delta') return typeof delta['signature'] === 'string' ? passed(delta) : [];
    return type === 'compaction_delta' || type === 'citations_delta' ? passed(delta) : [];
  }

  private finish(value: JsonObject): readonly JsonObject[] {
    const delta = isObject(value['delta']) ? value['delta'] : {};
    const reason = textIn(delta['stop_reason']) ?? '';
    if (reason !== '') this.stopReason = reason;
    const begun = this.isOpen ? [] : this.begin(undefined);
    const usage = { output_tokens: 0, ...countsIn(value['usage']) };
    return [
      ...begun,
      { ...value, type: 'message_delta', delta: { ...delta, stop_reason: reason === '' ? null : reason }, usage },
    ];
  }

  /** A whole message in place of a stream. */
  private whole(message: JsonObject): readonly JsonObject[] {
    const content: readonly unknown[] = Array.isArray(message['content'])
      ? message['content']
      : [{ type: 'text', text: textIn(message['content']) ?? '' }];
    const { content: _content, ...start } = message;
    return [
      ...this.begin(start),
      ...content
        .filter(isObject)
        .flatMap((block, index) => [
          ...this.beginBlock(index, block),
          ...(this.blocks.delete(index) ? [stop(index)] : []),
        ]),
      ...this.finish({
        delta: { stop_reason: textIn(message['stop_reason']) ?? null },
        usage: message['usage'] ?? null,
      }),
    ];
  }

  private closeBlocks(): readonly JsonObject[] {
    const closed = [...this.blocks.keys()].map(stop);
    this.blocks.clear();
    return closed;
  }
}

function stop(index: number): JsonObject {
  return { type: 'content_block_stop', index };
}

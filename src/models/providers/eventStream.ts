import type { JsonObject, JsonValue } from '../../transcript/json';
import { bodyMessage } from '../http/failures';
import type { TransportReceiver } from '../transport';
import { AnswerFault, errorDetails } from './observedFetch';
import { isObject } from './prompt';

/** Turns what services really send into events that the SDK's strict schema accepts, so that no word is lost to an
 *  unknown field. One per answer. */
export interface EventReader {
  /** Returns the events for one event of the service. `name`: from the line `event:`, or ''. */
  take(value: JsonObject, name: string): readonly JsonObject[];
  /** Returns an event that reports these words as the service's error. */
  failed(error: ReturnType<typeof errorDetails>): JsonObject;
  /** Returns events that complete an answer of which the last ones are missing. */
  end(): readonly JsonObject[];
  /** True when a finish reason arrived: nothing that follows can lose the answer. */
  readonly isFinished: boolean;
  /** True when the protocol's own last event arrived. */
  readonly isOver: boolean;
}

/** Milliseconds to wait for counts after the finish reason, if a service leaves the connection open. */
const afterFinishMs = 5000;

/** Returns the answer's body as the reader reads it. It ends with the protocol's last event, not with the connection.
 *  Reads without its own queue: a web stream loses its queue when its source breaks. */
export function readEvents(response: Response, reader: EventReader, receiver: TransportReceiver): Response {
  const source = (response.body ?? new Blob([]).stream()).getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const lines = new Lines(reader, response.headers.get('content-type') ?? '');
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        for (let text = ''; text === '';) {
          const { done, value } = await next(source, reader, receiver);
          text = lines.take(done ? `${decoder.decode()}\n` : decoder.decode(value, { stream: true }));
          const isOver = done || lines.isOver;
          if (isOver) text += lines.end();
          if (text !== '') controller.enqueue(encoder.encode(text));
          if (!isOver) continue;
          controller.close();
          if (!done) void source.cancel().catch(() => undefined);
          return;
        }
      },
      cancel: (reason) => source.cancel(reason),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    status: response.status,
    headers: { ...Object.fromEntries(response.headers), 'content-type': 'text/event-stream' },
  });
}

type Chunk = { readonly done: boolean; readonly value?: Uint8Array | undefined };

/** Reads the next bytes. After the finish reason, a broken or silent connection is the end. */
async function next(
  source: ReadableStreamDefaultReader<Uint8Array>,
  reader: EventReader,
  receiver: TransportReceiver,
): Promise<Chunk> {
  let cancel = (): void => undefined;
  try {
    const read = source.read();
    const silent = new Promise<Chunk>((resolve) => {
      if (reader.isFinished) cancel = receiver.after(afterFinishMs, () => resolve({ done: true }));
    });
    const chunk = await Promise.race([read, silent]);
    receiver.active();
    return chunk;
  } catch (error) {
    if (reader.isFinished) return { done: true };
    throw error;
  } finally {
    cancel();
  }
}

/** Reads lines of an event stream, of JSON per line, or of one JSON document, whatever the content type says. */
class Lines {
  isOver = false;
  private held = '';
  private name = '';
  /** Data of an event that is no JSON yet. */
  private data: string[] = [];
  /** Lines that belong to no event: a document, or plain words. */
  private stray: string[] = [];
  private received = false;
  /** A whole document that is no answer. */
  private foreign: string | null = null;
  private hasPassed = false;

  constructor(
    private readonly reader: EventReader,
    private readonly contentType: string,
  ) {}

  take(text: string): string {
    this.held += text;
    const parts = this.held.split(/\r\n|\n|\r(?!$)/);
    this.held = parts.pop() ?? '';
    return parts.map((line) => (this.isOver ? '' : this.line(line))).join('');
  }

  /** Returns what is left, after the last line. */
  end(): string {
    const document = this.stray.join('\n').trim();
    if (this.foreign !== null && !this.hasPassed)
      throw new AnswerFault({ kind: 'notAnApi', contentType: this.contentType, excerpt: this.foreign });
    const rest = this.isOver ? '' : this.flush() + (document === '' ? '' : this.document(document));
    return rest + written(this.reader.end());
  }

  private line(line: string): string {
    const [, field, value = ''] = /^(data|event|id|retry|): ?(.*)$|^(data|event)$/s.exec(line) ?? [];
    if (line === '') return this.flush();
    if (field === 'event') this.name = value;
    if (field === 'data') return this.dataLine(value);
    if (field !== undefined) return '';
    const json = this.stray.length === 0 ? parsed(line) : undefined;
    if (isObject(json)) {
      const passed = this.event(json);
      if (passed === '') this.foreign ??= line;
      return passed;
    }
    this.stray.push(line);
    return '';
  }

  /** Some servers leave out the empty line between events. */
  private dataLine(value: string): string {
    if (/^\s*\[?DONE\]?\s*$/.test(value)) {
      this.isOver = true;
      return this.flush();
    }
    const json = this.data.length === 0 ? parsed(value) : undefined;
    if (json !== undefined) return this.event(json);
    this.data.push(value);
    return '';
  }

  private flush(): string {
    const text = this.data.join('\n');
    this.data = [];
    const json = parsed(text);
    const passed = text.trim() === '' ? '' : json === undefined ? this.words(text) : this.event(json);
    this.name = '';
    return passed;
  }

  private event(value: unknown): string {
    this.received = true;
    if (Array.isArray(value)) return value.map((each) => this.event(each)).join('');
    if (typeof value === 'string') return this.words(value);
    if (!isObject(value)) return '';
    const events = this.reader.take(value, this.name);
    this.isOver ||= this.reader.isOver;
    this.hasPassed ||= events.length > 0;
    return written(events);
  }

  /** Plain words in a stream are an error's. JSON that is cut goes on: the SDK reports it. */
  private words(text: string): string {
    this.received = true;
    if (this.reader.isFinished) return '';
    if (/^\s*[{[]/.test(text)) return `data: ${text.replaceAll('\n', ' ')}\n\n`;
    return written([this.reader.failed({ message: bodyMessage(text) || text.trim(), code: null, status: null })]);
  }

  private document(text: string): string {
    const json = parsed(text);
    const passed = json === undefined ? '' : this.event(json);
    if (passed !== '' || this.reader.isFinished) return passed;
    const isJson = json !== undefined || /^[{[]/.test(text);
    if (isJson || /^<|html/i.test(`${text.slice(0, 1)}${this.contentType}`)) {
      // Half a document after good events adds nothing.
      if (this.received && json === undefined) return '';
      throw new AnswerFault({ kind: 'notAnApi', contentType: this.contentType, excerpt: text });
    }
    return this.words(text);
  }
}

function written(events: readonly JsonObject[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

function parsed(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error in an event that is none of the protocol's, or null. A field `error` of null is no error. */
export function errorIn(value: JsonObject): ReturnType<typeof errorDetails> | null {
  const { error, errors, detail, message, msg, success, object, type } = value;
  const isError =
    isFilled(error) ||
    isFilled(errors) ||
    isFilled(detail) ||
    object === 'error' ||
    type === 'error' ||
    success === false ||
    typeof message === 'string' ||
    typeof msg === 'string';
  if (!isError) return null;
  const words = bodyMessage(JSON.stringify(value));
  const about = errorDetails(isObject(error) ? error : value);
  return { ...about, message: words === '' ? about.message : words };
}

function isFilled(value: unknown): boolean {
  return (
    value !== undefined &&
    value !== null &&
    value !== false &&
    value !== '' &&
    JSON.stringify(value) !== '{}' &&
    JSON.stringify(value) !== '[]'
  );
}

/** Returns counts as numbers, also those that came as text. Undefined for what holds none. */
export function countsIn(value: unknown): JsonObject | undefined {
  if (!isObject(value)) return undefined;
  const counts: Record<string, JsonValue> = {};
  for (const [name, count] of Object.entries(value)) {
    const read = isObject(count) ? countsIn(count) : count;
    if (typeof read !== 'string') counts[name] = read ?? null;
    else if (/^\d+(?:\.\d+)?$/.test(read)) counts[name] = Number(read);
    else if (!/tokens/.test(name)) counts[name] = read;
  }
  return counts;
}

export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

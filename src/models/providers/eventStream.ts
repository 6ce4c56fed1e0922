import { parsedJson, isJsonObject, type JsonObject } from '../../transcript/json';
import { bodyMessage } from '../http/failures';
import { networkFault } from '../http/networkFault';
import type { TransportFault, TransportReceiver } from '../transport';
import type { Answer } from './answer';

/** Reads the events of one protocol into an answer, as services really send them. */
export interface EventReader {
  /** Takes one event of the service. `name`: from the line `event:`, or ''. Returns true if it belongs to an answer. */
  take(value: JsonObject, name: string): boolean;
  /** Ends what is still open. */
  end(): void;
  /** True when the protocol's own last event arrived. */
  readonly isOver: boolean;
}

/** Milliseconds to wait for more if a service leaves the connection open: for counts after the finish reason, and after
 *  the protocol's last event for a second message that a router adds, or for the end of the body, with which the
 *  connection can be used again. */
const afterFinishMs = 5000;
const afterEndMs = 1000;

/** Reads the answer as fast as it arrives. Ends with the protocol's last event, not with the connection. Returns the
 *  fault of a connection that broke before the finish reason. */
export async function readEvents(
  response: Response,
  answer: Answer,
  reader: EventReader,
  receiver: TransportReceiver,
): Promise<TransportFault | null> {
  const source = (response.body ?? new Blob([]).stream()).getReader();
  const decoder = new TextDecoder();
  const lines = new Lines(answer, reader, response.headers.get('content-type') ?? '');
  let wait: Wait | undefined;
  let fault: TransportFault | null = null;
  for (;;) {
    const read = source.read().catch((error: unknown) => ({ error }));
    const chunk: Awaited<typeof read> | null = await (wait === undefined ? read : Promise.race([read, wait.passed]));
    if (chunk === null) break;
    if ('error' in chunk) {
      if (answer.finish === null) fault = networkFault(chunk.error);
      break;
    }
    receiver.active();
    const isNews = lines.take(chunk.done ? `${decoder.decode()}\n` : decoder.decode(chunk.value, { stream: true }));
    if (chunk.done) break;
    const isOver = lines.isOver || reader.isOver;
    const ms = isOver ? afterEndMs : answer.finish === null ? undefined : afterFinishMs;
    // Keep-alives are no news.
    if (!isNews && ms === wait?.ms) continue;
    wait?.stop();
    wait = ms === undefined ? undefined : waitFor(ms, receiver);
  }
  wait?.stop();
  void source.cancel().catch(() => undefined);
  if (fault !== null) return fault;
  lines.end();
  reader.end();
  return null;
}

interface Wait {
  readonly ms: number;
  readonly passed: Promise<null>;
  readonly stop: () => void;
}

function waitFor(ms: number, receiver: TransportReceiver): Wait {
  let stop = (): void => undefined;
  const passed = new Promise<null>((resolve) => {
    stop = receiver.after(ms, () => resolve(null));
  });
  return { ms, passed, stop };
}

/** Reads lines of an event stream, of JSON per line, or of one JSON document, whatever the content type says. */
class Lines {
  /** True when the stream said that it is over. */
  isOver = false;
  private held = '';
  private name = '';
  /** Data of an event that is no JSON yet. */
  private data: string[] = [];
  /** Lines that belong to no event: a document, or plain words. */
  private stray: string[] = [];
  /** JSON that is no answer. */
  private foreign: string | null = null;
  private isNews = false;

  constructor(
    private readonly answer: Answer,
    private readonly reader: EventReader,
    private readonly contentType: string,
  ) {}

  /** Returns true if something arrived that belongs to an answer. */
  take(text: string): boolean {
    this.isNews = false;
    this.held += text;
    // A line may hold a picture: it is looked through once, not again with each of its pieces.
    if (!/[\r\n]/.test(text)) return false;
    const parts = this.held.split(/\r\n|\n|\r(?!$)/);
    this.held = parts.pop() ?? '';
    for (const line of parts) if (!this.isOver) this.line(line);
    return this.isNews;
  }

  /** Reads what is left, after the last line. */
  end(): void {
    if (this.isOver) return;
    // A last event that was cut adds nothing.
    if (!/^\s*[{[]/.test(this.data[0] ?? '')) this.flush();
    const text = this.stray.join('\n').trim();
    if (text !== '') this.document(text);
    if (this.foreign !== null) this.refuse(this.foreign);
  }

  private line(line: string): void {
    if (line === '') return this.flush();
    // Blanks and NULs keep a connection alive.
    const [, field, value = ''] = /^[\s\0]*(data|event|id|retry|): ?(.*)$|^(data|event)$/s.exec(line) ?? [];
    if (field === 'event') this.name = value;
    if (field === 'data') return this.dataLine(value);
    if (field !== undefined) return;
    const json = this.stray.length === 0 ? parsed(line) : undefined;
    if (!isJsonObject(json)) this.stray.push(line);
    else if (!this.event(json)) this.foreign ??= line;
  }

  /** Some servers leave out the empty line between events. */
  private dataLine(value: string): void {
    if (/^\s*\[?DONE\]?\s*$/.test(value)) {
      this.flush();
      this.isOver = true;
      return;
    }
    const json = this.data.length === 0 ? parsed(value) : undefined;
    if (json === undefined) this.data.push(value);
    else this.event(json);
  }

  private flush(): void {
    const text = this.data.join('\n');
    this.data = [];
    const json = parsed(text);
    if (json !== undefined) this.event(json);
    else if (text.trim() !== '') this.words(text);
    this.name = '';
  }

  /** Returns true if the event belongs to an answer. */
  private event(value: unknown): boolean {
    this.answer.received = true;
    if (Array.isArray(value)) return value.map((each) => this.event(each)).includes(true);
    if (typeof value === 'string') this.words(value);
    const belongs = isJsonObject(value) && this.reader.take(value, this.name);
    this.isNews ||= belongs;
    return belongs;
  }

  /** Plain words in a stream are an error's. */
  private words(text: string): void {
    this.answer.received = true;
    if (/^\s*(?:null|true|false|[\d.]+)\s*$/.test(text)) return;
    const message = bodyMessage(text) || text.trim();
    if (/^\s*[{[]/.test(text)) this.answer.cannotRead({ kind: 'malformed', message: `not JSON: ${message}` });
    else this.answer.fail({ message, code: null, status: null });
  }

  private document(text: string): void {
    const json = parsed(text);
    if (json !== undefined) {
      if (!this.event(json)) this.foreign ??= text;
    } else if (/^<|html/i.test(`${text.slice(0, 1)}${this.contentType}`)) this.refuse(text);
    // A document that was cut adds nothing.
    else if (/^[{[]/.test(text)) this.answer.received = true;
    else this.words(text);
  }

  private refuse(excerpt: string): void {
    this.answer.cannotRead({ kind: 'notAnApi', contentType: this.contentType, excerpt });
  }
}

/** Strings, numbers that JSON does not have, and places where one event follows another without a line between. */
const doubtful = /"(?:[^"\\]|\\.)*"|-?(?:NaN|Infinity)|(?<=\})\s*(?:event: ?\w+\s+)?(?:data: ?)?(?=\{)/gs;

function mend(piece: string): string {
  if (piece.startsWith('"')) return piece.replace(/\p{Cc}/gu, (odd) => JSON.stringify(odd).slice(1, -1));
  return /[NI]/.test(piece) ? 'null' : ',';
}

/** JSON, also as programs make it that write it by hand or in Python: then a list of the events. */
function parsed(text: string): unknown {
  if (!/^\s*[{["]/.test(text)) return undefined;
  return parsedJson(text) ?? parsedJson(`[${text.replace(doubtful, mend)}]`);
}

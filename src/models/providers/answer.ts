import { parsedJson, isJsonObject, objectIn, type JsonObject, type JsonValue } from '../../transcript/json';
import type { Usage } from '../../transcript/usage';
import type { CompletedToolCall, Finish } from '../chatModel';
import { bodyMessage } from '../http/failures';
import type { TransportEnd, TransportFault, TransportReceiver } from '../transport';

/** Meaning of a service's word for the end of an answer. failed: the service broke off · unknown: any other word. */
type FinishKind = 'stop' | 'length' | 'toolCalls' | 'contentFilter' | 'failed' | 'unknown';

/** The first pattern that fits counts. */
const finishKinds: readonly (readonly [RegExp, FinishKind])[] = [
  [
    /error|fail|abort|cancel|interrupt|time.?out|network|insufficient|unavailable|overload|rate.?limit|malformed|disconnect|preempt|killed|crash|shut.?down/,
    'failed',
  ],
  [
    /filter|safety|sensitive|refus|moderat|recitation|prohibit|block|spii|policy|language|risk|flagged|guard/,
    'contentFilter',
  ],
  [/length|max|limit|exceed|truncat|budget|context|pause_turn/, 'length'],
  [/tool|function/, 'toolCalls'],
  [/^(?:stop|eos|end|finish|complete|done|success|normal)/, 'stop'],
];

/** Tells a finish reason's meaning: services write many words of their own. */
export function finishKind(reason: string): FinishKind {
  const word = reason.toLowerCase();
  return finishKinds.find(([pattern]) => pattern.test(word))?.[1] ?? 'unknown';
}

/** Returns the word of a service for the end of its answer, maybe within an object. Some say "" or "null" for none. */
export function finishIn(value: unknown): string | null {
  if (typeof value === 'object' && value !== null) return finishIn(Object.values(value).find((each) => finishIn(each)));
  return typeof value !== 'string' || /^\s*(?:null|none)?\s*$/i.test(value) ? null : value;
}

/** A tool call while it arrives. */
export interface ReceivedCall {
  callId: string;
  name: string;
  /** Arguments so far. */
  json: string;
  metadata?: JsonObject;
}

/** One answer while it arrives. A protocol's reader fills it, and it reports text and thinking at once. */
export class Answer {
  usage: Usage | null = null;
  /** The service's word for the end of the answer. Nothing that follows can lose the answer. */
  finish: string | null = null;
  /** True when the model refused in words. */
  hasRefused = false;
  /** True when an event arrived, whatever it was. */
  received = false;
  readonly calls = new Set<ReceivedCall>();
  private open: 'text' | 'thinking' | null = null;
  private hasWords = false;
  private metadata: JsonObject = {};
  private fault: TransportFault | null = null;

  constructor(
    private readonly receiver: TransportReceiver,
    public requestId: string | null,
  ) {}

  /** Begins a part, if it is not open. */
  begin(of: 'text' | 'thinking'): void {
    if (this.open === of) return;
    this.endPart();
    this.open = of;
  }

  say(of: 'text' | 'thinking', words: string): void {
    if (words === '') return;
    this.begin(of);
    this.resume();
    this.hasWords = true;
    this.receiver.emit({ kind: of, text: words });
  }

  /** Adds data that the service needs back with the open part, keyed by provider. */
  note(provider: string, data: JsonObject): void {
    const before = this.metadata[provider];
    this.metadata = { ...this.metadata, [provider]: { ...(isJsonObject(before) ? before : {}), ...data } };
  }

  /** Ends the open part if it is of this kind. */
  endPart(of: 'text' | 'thinking' | null = this.open): void {
    if (of === null || of !== this.open) return;
    const { metadata, hasWords } = this;
    this.open = null;
    this.metadata = {};
    this.hasWords = false;
    if (Object.keys(metadata).length > 0) this.receiver.emit({ kind: 'partEnd', of, metadata });
    else if (hasWords) this.receiver.emit({ kind: 'partEnd', of });
  }

  /** Reports data that the service needs back and that is no text of the answer. */
  keep(metadata: JsonObject): void {
    this.receiver.emit({ kind: 'partEnd', of: 'thinking', metadata });
  }

  call(call: ReceivedCall): ReceivedCall {
    this.endPart('thinking');
    this.calls.add(call);
    if (call.name !== '') this.progress(call);
    return call;
  }

  progress(call: ReceivedCall): void {
    this.resume();
    this.receiver.emit({
      kind: 'toolCallProgress',
      callId: call.callId,
      name: call.name,
      characters: call.json.length,
    });
  }

  /** Records an error that the service reports. It is not the end: the answer may continue. */
  fail(error: ServiceError): void {
    if (this.finish === null) this.fault = { kind: 'inStream', ...error };
  }

  /** Records what arrived and cannot be read. It counts only if the answer does not end well. */
  cannotRead(fault: TransportFault): void {
    this.fault ??= fault;
  }

  get isComplete(): boolean {
    return this.unified !== null && this.fault?.kind !== 'inStream';
  }

  end(): TransportEnd {
    const { finish, unified, usage, requestId } = this;
    // The service's own error directly before the finish is why it finished.
    if (unified === null || !this.isComplete)
      return this.broken(this.fault ?? { kind: 'noFinish', ...(finish === null ? {} : { reason: finish }) });
    const calls = [...this.calls].map(({ callId, name, json, metadata }): CompletedToolCall => ({
      callId,
      name,
      arguments: json,
      ...(metadata === undefined ? {} : { metadata }),
    }));
    return { kind: 'finished', finish: { unified, raw: finish }, toolCalls: calledOnce(calls), usage, requestId };
  }

  broken(fault: TransportFault): TransportEnd {
    const nothing = fault.kind === 'noFinish' && !this.received;
    return { kind: 'broken', fault: nothing ? { kind: 'empty' } : fault, usage: this.usage, requestId: this.requestId };
  }

  /** Null without a finish, or with a word for it that says that the service broke off. */
  private get unified(): Finish['unified'] | null {
    const kind = this.finish === null ? 'failed' : finishKind(this.finish);
    if (kind === 'failed') return null;
    if (kind === 'stop' && this.hasRefused) return 'contentFilter';
    return kind === 'unknown' ? 'other' : kind;
  }

  /** Forgets an error after which the answer continues. */
  private resume(): void {
    if (this.fault?.kind === 'inStream') this.fault = null;
  }
}

type ServiceError = Omit<Extract<TransportFault, { readonly kind: 'inStream' }>, 'kind'>;

export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;

const wordFields = ['message', 'msg', 'error_msg', 'error_message', 'errorMessage'];

/** Returns the error in an event that is none of the protocol's, or null. A field `error` of null is no error. */
export function errorIn(value: JsonObject): ServiceError | null {
  const { error, errors, detail, success, object, type, status, base_resp: outcome, ...rest } = value;
  const isNamed = [object, type, status].some((word) => /error|fail/i.test(textIn(word) ?? ''));
  const hasWords = isFilled(detail) || wordFields.some((name) => typeof rest[name] === 'string');
  // Neither { type: "status", message: "Loading" } nor { code: 0, message: "success" } is an error.
  const isFine = typeof type === 'string' || /^(?:0|200)$/.test(String(rest['code']));
  const isError =
    isNamed ||
    success === false ||
    [error, errors, objectIn(outcome)['status_code']].some(isFilled) ||
    (hasWords && !isFine);
  if (!isError) return null;
  const about = isJsonObject(error) ? error : value;
  const code = about['code'];
  return {
    message: bodyMessage(JSON.stringify(value)) || JSON.stringify(value),
    code: typeof code === 'string' ? code : (textIn(about['type']) ?? null),
    status: typeof code === 'number' ? code : (countIn(about['statusCode']) ?? countIn(about['status'])),
  };
}

/** False for the values with which services say that a field holds nothing. */
export function isFilled(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.values(value).some(isFilled) : Boolean(value);
}

/** Returns a count, also one that came as text. Null when unknown: some services say -1. */
export function countIn(value: JsonValue | undefined): number | null {
  const count = typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isFinite(count) && count >= 0 ? count : null;
}

/** Returns the objects of a list. Some services write one as an object by index. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  const byIndex = Object.entries(objectIn(value));
  const isList = byIndex.length > 0 && byIndex.every(([key]) => /^\d+$/.test(key));
  const list = isList ? byIndex.map(([key, each]) => ({ index: Number(key), ...objectIn(each) })) : [value].flat();
  return list.filter(isJsonObject);
}

/** Returns the calls of an answer with their arguments as one JSON object where they hold one. A call that came again
 *  under its id is one call: it must not run twice. */
function calledOnce(calls: readonly CompletedToolCall[]): readonly CompletedToolCall[] {
  const seen = new Set<string>();
  return calls
    .map((call) => ({ ...call, arguments: oneObject(call.arguments) }))
    .filter(({ callId, name, arguments: json }) => {
      const key = JSON.stringify([callId, name, json]);
      const isNew = callId === '' || !seen.has(key);
      seen.add(key);
      return isNew;
    });
}

/** Models and servers write an object as text in text, in a list, in a code block, after an empty one, or twice. Text
 *  that holds no single object stays as it is, and the tool says what is wrong with it. */
function oneObject(text: string): string {
  const bare = text.replace(/^\s*```(?:json)?\s*\n?|\n?```\s*$/g, '').trim();
  const whole = parsedJson(bare);
  if (isJsonObject(whole)) return bare === text.trim() ? text : bare;
  if (whole === null) return '{}';
  if (typeof whole === 'string' && isJsonObject(parsedJson(whole))) return whole;
  if (Array.isArray(whole)) return whole.length === 1 && isJsonObject(whole[0]) ? JSON.stringify(whole[0]) : text;
  if (whole !== undefined) return text;
  const objects = new Set(objectsWithin(bare).map((value) => JSON.stringify(value)));
  if (objects.size > 1) objects.delete('{}');
  const [only] = objects;
  return objects.size === 1 && only !== undefined ? only : text;
}

/** Returns the objects that follow each other in a text; none if anything else is between them. */
function objectsWithin(text: string): readonly object[] {
  const found: object[] = [];
  let begin = 0;
  for (let end = text.indexOf('}') + 1, tries = 0; end > 0 && tries < 200; end = text.indexOf('}', end) + 1, tries++) {
    const value = parsedJson(text.slice(begin, end));
    if (!isJsonObject(value)) continue;
    found.push(value);
    begin = end;
  }
  return text.slice(begin).trim() === '' ? found : [];
}

export const isWholeObject = (text: string): boolean => isJsonObject(parsedJson(text));

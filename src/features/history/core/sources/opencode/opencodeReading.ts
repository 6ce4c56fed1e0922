import type { JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignMessage, ForeignPart, ForeignView, SkipKind } from '../foreign';
import type { ReadEvent } from '../historySource';
import {
  epochTimeOf,
  isSet,
  nameOf,
  numberOf,
  objectOf,
  textOf,
  unlessZero,
  usageOf,
  own,
  asObject,
  listOf,
} from '../reading/fields';
import { shortTitle } from '../reading/foundSessions';
import { unreadable } from '../reading/records';
import { skip } from '../reading/sessionReading';
import type { OpencodeStorage, StoredRecord } from './opencodeStorage';
import type { ImagePart, ToolOutcome } from '../../../../../transcript/part';
import { argumentsOf, imageOf } from '../reading/content';

/** Reads one session. A message and each of its parts is a record. */
export class OpencodeReading {
  /** Records that came in. */
  count = 0;
  private model: string | null = null;
  private readonly seen = new Set<string>();

  constructor(
    private readonly storage: OpencodeStorage,
    private readonly views: OpencodeViews,
  ) {}

  async *events(): AsyncGenerator<ReadEvent> {
    for await (const record of this.storage.messages()) {
      this.count++;
      yield* this.message(record);
    }
    yield { kind: 'facts', facts: { model: this.model }, records: 0 };
  }

  private async *message(record: StoredRecord): AsyncGenerator<ReadEvent> {
    const { id, value, place } = record;
    const role = textOf(value, 'role');
    if (value === null) yield skip(place, 'damaged', unreadable());
    else if (this.seen.has(id)) yield skip(place, 'repeated', 'A record with the same id came before.');
    else if (role === 'user' || role === 'assistant') {
      this.seen.add(id);
      this.model = nameOf(value, 'modelID') ?? this.model;
      return yield* this.turns(record, value, role);
    } else yield skip(place, 'unknown', `Messages of role “${role ?? 'none'}” are not known.`);
    for await (const part of this.storage.parts(id)) {
      this.count++;
      yield skip(part.place, 'unknown', 'The part belongs to a message that can’t be read.');
    }
  }

  private async *turns(record: StoredRecord, value: JsonObject, role: 'user' | 'assistant'): AsyncGenerator<ReadEvent> {
    const { views } = this;
    const keeps = (id: string): boolean => views.keeps(record.id, id);
    const open = new OpenMessage(record, value, role, views.viewOf(record.id, value), keeps);
    try {
      yield* this.parts(record.id, open);
    } finally {
      // Also when the database ends in the middle of it.
      yield* open.end();
    }
  }

  private async *parts(messageId: string, open: OpenMessage): AsyncGenerator<ReadEvent> {
    for await (const { value: part, place } of this.storage.parts(messageId)) {
      this.count++;
      const read = opencodePart(part);
      switch (read.kind) {
        case 'said':
          open.say(read.part);
          break;
        case 'context':
          open.add(read.part);
          break;
        case 'tool':
          open.call(read.call, read.result);
          break;
        case 'step':
          if (open.hasResults) yield* open.flush();
          yield skip(place, 'bookkeeping', 'A record of type “step-start” holds no message.');
          break;
        default:
          yield skip(place, read.kind, read.reason);
      }
    }
  }
}

/** Collects parts until a request of the message ends: earlier versions kept several requests in one message. */
class OpenMessage {
  private parts: ForeignPart[] = [];
  private context: ForeignPart[] = [];
  private results: ForeignPart[] = [];
  /** The message itself is a record, too. */
  private records = 1;
  private number = 0;

  constructor(
    private readonly record: StoredRecord,
    private readonly value: JsonObject,
    private readonly role: 'user' | 'assistant',
    private readonly view: ForeignView,
    private readonly keeps: (id: string) => boolean,
  ) {}

  get hasResults(): boolean {
    return this.results.length > 0;
  }

  say(part: ForeignPart): void {
    this.records++;
    this.parts.push(part);
  }

  add(part: ForeignPart): void {
    this.records++;
    this.context.push(part);
  }

  call(call: ForeignPart, result: ForeignPart | null): void {
    this.say(call);
    if (result !== null) this.results.push(result);
  }

  *flush(): Generator<ReadEvent> {
    const hidden = this.view === 'abandoned' ? this.view : 'hidden';
    const { parts, context, results } = this;
    [this.parts, this.context, this.results] = [[], [], []];
    if (parts.length > 0) yield this.event(this.role, parts, this.view);
    if (context.length > 0) yield this.event('user', context, hidden);
    if (results.length > 0) yield this.event('tool', results, this.view);
  }

  *end(): Generator<ReadEvent> {
    yield* this.flush();
    const error = objectOf(this.value, 'error');
    const name = nameOf(error, 'name');
    const said = nameOf(objectOf(error, 'data'), 'message') ?? name;
    const isStopped = name === 'MessageAbortedError';
    const isAnswer = this.role === 'assistant' && this.view !== 'abandoned';
    if (said !== null && !isStopped) yield this.event('system', [{ kind: 'text', text: said }], this.view);
    const reason = isStopped ? 'user' : name === 'MessageOutputLengthError' ? 'length' : 'error';
    if (isAnswer && name !== null) yield { kind: 'ended', reason, records: 0 };
    if (this.number > 0) return;
    const why = this.role === 'assistant' ? 'The answer was stopped before it began.' : 'The message holds no text.';
    yield skip(this.record.place, 'bookkeeping', why);
  }

  private event(role: ForeignMessage['role'], parts: readonly ForeignPart[], view: ForeignView): ReadEvent {
    this.number++;
    const { records, value } = this;
    this.records = 0;
    const { id, place } = this.record;
    const isFirst = this.number === 1;
    const answer = { model: nameOf(value, 'modelID'), finishReason: nameOf(value, 'finish') };
    const message: ForeignMessage = {
      id: isFirst ? id : `${id} ${this.number}`,
      role,
      parts,
      view,
      createdAt: epochTimeOf(objectOf(value, 'time'), 'created'),
      ...(role === 'assistant' ? { ...answer, usage: isFirst ? usageOfMessage(value) : null } : {}),
      place,
      ...(view === 'summary' ? { keeps: (kept: string) => this.keeps(kept.split(' ', 1)[0] ?? kept) } : {}),
    };
    return { kind: 'message', records, message };
  }
}

/** Usage of one message. `input` excludes cached tokens. */
function usageOfMessage(value: JsonObject): Usage | null {
  const tokens = objectOf(value, 'tokens');
  const { read = null, write = null } = objectOf(tokens, 'cache') ?? {};
  const counts = { ...tokens, read, write };
  const names = { input: 'input', output: 'output', cached: 'read', written: 'write', reasoning: 'reasoning' };
  return unlessZero(usageOf(counts, { ...names, addsCache: true }, numberOf(value, 'cost')));
}

/** A session's name, or its first prompt: a session begins with a name that says only when it began. */
export async function titleOf(title: string | null, storage: OpencodeStorage): Promise<string | null> {
  if (title !== null && !/^(New session|Child session) - \d{4}-/.test(title)) return title;
  for await (const { id, value } of storage.messages()) {
    if (textOf(value, 'role') !== 'user') continue;
    for await (const { value: part } of storage.parts(id)) {
      if (textOf(part, 'type') !== 'text' || isSet(part, 'synthetic')) continue;
      return shortTitle(textOf(part, 'text') ?? '') ?? title;
    }
  }
  return title;
}

/** Places of a session's messages in the conversation. */
export interface OpencodeViews {
  viewOf(id: string, value: JsonObject): ForeignView;
  /** True for a message that the model still gets after this summary. */
  keeps(summary: string, id: string): boolean;
}

/** Reads messages without their parts: memory grows with their number. `revert` names the message from which on the
 *  user took everything back. A summary that ended without an error replaces the messages before its prompt, except
 *  the last ones, from `tail_start_id` on. */
export async function opencodeViews(storage: OpencodeStorage, revert: JsonObject | null): Promise<OpencodeViews> {
  const numbers = new Map<string, number>();
  const summaries: { readonly id: string; readonly prompt: string }[] = [];
  for await (const { id, value } of storage.messages()) {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    const isDone = isSet(value, 'summary') && nameOf(value, 'finish') !== null && own(value, 'error') === undefined;
    if (textOf(value, 'role') === 'assistant' && isDone)
      summaries.push({ id, prompt: nameOf(value, 'parentID') ?? id });
  }
  const numberOf = (id: string | null): number | null => (id === null ? null : (numbers.get(id) ?? null));
  const kept = new Map<string, { readonly from: number; readonly to: number }>();
  for (const { id, prompt } of summaries) {
    const to = numberOf(prompt) ?? 0;
    kept.set(id, { from: numberOf(await tailOf(storage, prompt)) ?? to, to });
  }
  const compactedBelow = kept.get(summaries.at(-1)?.id ?? '')?.from ?? 0;
  const rewoundTurn = numberOf(nameOf(revert, 'messageID')) ?? numbers.size;
  // With a part, only that part and what follows it are taken back, so the message stays.
  const abandonedFrom = nameOf(revert, 'partID') === null ? rewoundTurn : rewoundTurn + 1;
  return {
    keeps: (summary, id) => {
      const number = numbers.get(id) ?? -1;
      const { from, to } = kept.get(summary) ?? { from: 0, to: 0 };
      return number >= from && number < to;
    },
    viewOf: (id, value) => {
      const number = numbers.get(id) ?? 0;
      if (number >= abandonedFrom) return 'abandoned';
      if (number < compactedBelow) return 'compacted';
      return isSet(value, 'summary') ? 'summary' : 'shown';
    },
  };
}

async function tailOf(storage: OpencodeStorage, prompt: string): Promise<string | null> {
  for await (const { value } of storage.parts(prompt)) {
    if (textOf(value, 'type') === 'compaction') return nameOf(value, 'tail_start_id');
  }
  return null;
}

/** Result of reading one part.
 *  said: content of the message.
 *  context: a text that the program added to the user's.
 *  tool: a call with its result; a call that never ended has none.
 *  step: the next request of the same message begins. */
type OpencodePart =
  | { readonly kind: 'said'; readonly part: ForeignPart }
  | { readonly kind: 'context'; readonly part: ForeignPart }
  | { readonly kind: 'tool'; readonly call: ForeignPart; readonly result: ForeignPart | null }
  | { readonly kind: 'step' }
  | { readonly kind: SkipKind; readonly reason: string };

function opencodePart(value: JsonObject | null): OpencodePart {
  if (value === null) return { kind: 'damaged', reason: unreadable() };
  const type = textOf(value, 'type');
  switch (type) {
    case 'text': {
      const text = textOf(value, 'text') ?? '';
      if (text === '') return { kind: 'bookkeeping', reason: 'The text is empty.' };
      return { kind: isSet(value, 'synthetic') ? 'context' : 'said', part: { kind: 'text', text } };
    }
    case 'reasoning':
      return { kind: 'said', part: { kind: 'thinking', text: textOf(value, 'text') ?? '' } };
    case 'subtask':
      return { kind: 'said', part: { kind: 'text', text: textOf(value, 'prompt') ?? '' } };
    case 'tool':
      return toolPart(value);
    case 'file':
      return filePart(value);
    case 'step-start':
      return { kind: 'step' };
    case 'step-finish':
    case 'snapshot':
    case 'patch':
    case 'agent':
    case 'retry':
    case 'compaction':
      return { kind: 'bookkeeping', reason: `A record of type “${type}” holds no message.` };
    default:
      return { kind: 'unknown', reason: `Records of type “${type ?? 'none'}” are not known.` };
  }
}

function toolPart(value: JsonObject): OpencodePart {
  const [callId, name, state] = [nameOf(value, 'callID'), nameOf(value, 'tool'), objectOf(value, 'state')];
  if (callId === null || name === null) {
    return { kind: 'damaged', reason: 'A tool call without an id or a name was left out.' };
  }
  const call = { kind: 'toolCall', callId, name, arguments: argumentsOf(state, 'input') } as const;
  const status = textOf(state, 'status');
  if (status !== 'completed' && status !== 'error') return { kind: 'tool', call, result: null };
  const metadata = objectOf(state, 'metadata');
  const outcome: ToolOutcome =
    status === 'completed' ? 'done' : isSet(metadata, 'interrupted') ? 'interrupted' : failure(state);
  const text = (status === 'completed' ? null : textOf(state, 'error')) ?? textOf(state, 'output') ?? '';
  const images = imagesOf(state);
  const result = { kind: 'toolResult', callId, name, outcome, text } as const;
  return { kind: 'tool', call, result: images.length === 0 ? result : { ...result, images } };
}

/** opencode tells a refusal and a stop only in the text. */
function failure(state: JsonObject | null): ToolOutcome {
  const error = textOf(state, 'error') ?? '';
  if (error.startsWith('The user rejected permission')) return 'denied';
  return error.startsWith('Tool execution aborted') ? 'interrupted' : 'failed';
}

function imagesOf(state: JsonObject | null): readonly ImagePart[] {
  return (listOf(state, 'attachments') ?? []).flatMap((item) => {
    const part = imageOf(nameOf(asObject(item), 'url') ?? '');
    return part.kind === 'image' && part.mediaType.startsWith('image/') ? [part] : [];
  });
}

/** opencode adds the content of text files and folders to the prompt as a text of its own. */
function filePart(value: JsonObject): OpencodePart {
  const [mime, url] = [textOf(value, 'mime') ?? '', nameOf(value, 'url')];
  if (mime.startsWith('image/') && url !== null) return { kind: 'said', part: imageOf(url) };
  if (mime === 'text/plain' || mime === 'application/x-directory') {
    return { kind: 'bookkeeping', reason: 'The content of an attached file is part of the prompt.' };
  }
  return { kind: 'unknown', reason: `An attached file of type “${mime}” was left out.` };
}

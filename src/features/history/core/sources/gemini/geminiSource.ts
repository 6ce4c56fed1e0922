import { basename, dirname } from 'node:path';
import { t } from '../../../../../base/translate';
import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignMessage, ForeignSession, ForeignView, SessionFacts } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { joined, type ReadContent } from '../reading/anthropicBlocks';
import { elements } from '../reading/elements';
import { asObject, isoTimeOf, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';
import { geminiCall, geminiContent, geminiOutcome, geminiUsage } from '../reading/geminiContent';
import { headAndTail } from '../reading/headAndTail';
import { beginning, filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { longestLine } from '../reading/lines';
import { CountedRecords, jsonLines, readTwice, repairedText, skip, type SourceRecord } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { UsageSum } from '../reading/usageSum';
import { parseJsonObject } from '../../../../../transcript/json';

/** Sessions of Gemini CLI, in `tmp/<project>/chats/`: an object with a list of messages (`session-*.json`), or JSONL
 *  with a line of facts, messages, and changes (`$set`, `$rewindTo`). By chatRecordingService.ts and
 *  chatRecordingTypes.ts of google-gemini/gemini-cli (commits 016443b, 04741d1). */
export class GeminiSource implements HistorySource {
  readonly name = 'gemini';

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ gemini }: HistoryPlaces): AsyncGenerator<string> {
    for await (const path of filesBelow(this.files, `${gemini}/tmp`, 3))
      if (/\/chats\/.*\.jsonl?$/.test(path)) yield path;
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    const facts = await geminiFacts(this.files, path);
    const messages = await recordsIn(this.files, path);
    const prompts = messages.filter((value) => textOf(value, 'type') === 'user');
    if (prompts.length === 0 && !messages.some((value) => textOf(value, 'type') === 'gemini')) {
      const place = { path, unit: 'file', number: 1 } as const;
      return yield {
        kind: 'skipped',
        skipped: { place, kind: 'bookkeeping', reason: t('The file holds no message.') },
      };
    }
    const times = new TimeSpan();
    for (const value of [facts, ...messages])
      for (const name of ['startTime', 'lastUpdated', 'timestamp']) times.add(isoTimeOf(value, name));
    const { parts } = geminiContent(own(prompts[0] ?? {}, 'content'), '');
    const prompt = parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
    const session: ForeignSession = {
      source: 'gemini',
      id: nameOf(facts, 'sessionId') ?? basename(path).replace(/\.jsonl?$/, ''),
      location: { path, key: null },
      lineage: textOf(facts, 'kind') === 'subagent' ? { kind: 'delegate', parentId: basename(dirname(path)) } : null,
      title: nameOf(facts, 'summary') ?? shortTitle(prompt),
      folder: await folderOf(this.files, path, facts),
      model: messages.reduce<string | null>((found, value) => nameOf(value, 'model') ?? found, null),
      startedAt: times.startedAt,
      endedAt: times.endedAt,
      usage: null,
      writtenBy: null,
      messageCount: null,
    };
    yield { kind: 'session', session };
  }

  read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    return events(this.files, location.path);
  }
}

/** Messages and changes of a session, in either form. */
async function* geminiRecords(files: HistoryFiles, path: string): AsyncGenerator<SourceRecord> {
  if (path.endsWith('.jsonl')) return yield* jsonLines(files, path);
  for await (const element of elements(files.read(path), longestLine, 'messages')) {
    const place = { path, unit: 'element', number: element.number } as const;
    const parsed = element.kind === 'text' ? parseJsonObject(element.text) : null;
    if (parsed?.kind === 'object')
      yield { kind: 'record', place, name: `element ${element.number}`, value: parsed.value, isRepaired: false };
    else yield { kind: 'damaged', place, reason: t('The record is cut off or is not a JSON object.') };
  }
}

/** Facts before the list of messages; those of the first line, and of later changes. */
async function geminiFacts(files: HistoryFiles, path: string): Promise<JsonObject> {
  if (!path.endsWith('.jsonl')) {
    const text = (await beginning(files, path, 64 * 1024)).toString('utf8').replace(/^\uFEFF/, '');
    const end = text.indexOf('"messages"');
    const parsed = parseJsonObject(`${text.slice(0, Math.max(end, 0)).trimEnd().replace(/,$/, '')}}`);
    return parsed.kind === 'object' ? parsed.value : {};
  }
  const { records } = await headAndTail(files, path);
  return records.reduce<JsonObject>((facts, value) => {
    const more = objectOf(value, '$set') ?? (nameOf(value, 'projectHash') === null ? null : value);
    return more === null ? facts : { ...facts, ...more };
  }, {});
}

/** Messages in the beginning and the end. */
async function recordsIn(files: HistoryFiles, path: string): Promise<readonly JsonObject[]> {
  if (path.endsWith('.jsonl')) return (await headAndTail(files, path)).records;
  const found: JsonObject[] = [];
  for await (const record of geminiRecords(files, path)) {
    if (record.kind === 'record') found.push(record.value);
    if (found.length === 20) break;
  }
  return found;
}

/** The root of the project is in a file beside its sessions. */
async function folderOf(files: HistoryFiles, path: string, facts: JsonObject): Promise<string | null> {
  const root = /^(.*)\/chats\//.exec(path)?.[1];
  const text =
    root === undefined ? '' : (await beginning(files, `${root}/.project_root`, 4096)).toString('utf8').trim();
  const [directory] = listOf(facts, 'directories') ?? [];
  return text !== '' ? text : typeof directory === 'string' ? directory : null;
}

interface Order {
  /** The last line of a message: it is written again when it changes. */
  readonly last: ReadonlyMap<string, number>;
  readonly abandoned: ReadonlySet<string>;
  readonly compacted: ReadonlySet<string>;
}

/** Reads the ids and changes. A history that was compressed is stored as a list of what the model still gets. */
async function orderOf(records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>): Promise<Order> {
  const last = new Map<string, number>();
  const [abandoned, compacted] = [new Set<string>(), new Set<string>()];
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const { value } = record;
    const [id, rewoundTo, kept] = [nameOf(value, 'id'), nameOf(value, '$rewindTo'), keptIn(value)];
    if (rewoundTo !== null) {
      const ids = [...last.keys()];
      for (const one of ids.slice(Math.max(ids.indexOf(rewoundTo), 0))) abandoned.add(one);
    } else if (kept !== null) for (const one of last.keys()) if (!kept.has(one)) compacted.add(one);
    if (id === null) continue;
    last.set(id, record.place.number);
    abandoned.delete(id);
  }
  return { last, abandoned, compacted };
}

function keptIn(value: JsonObject): ReadonlySet<string> | null {
  const list = listOf(objectOf(value, '$set'), 'messages');
  return list === null ? null : new Set(list.flatMap((item) => nameOf(asObject(item), 'id') ?? []));
}

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const read = await readTwice(files, () => geminiRecords(files, path));
  const order = await orderOf(read());
  const [records, times, usage] = [new CountedRecords(), new TimeSpan(), new UsageSum()];
  const facts: Partial<SessionFacts>[] = [];
  for await (const record of records.of(read())) {
    const { place } = record;
    if (record.kind === 'damaged') {
      yield skip(place, 'damaged', record.reason);
      continue;
    }
    const { value } = record;
    const id = nameOf(value, 'id');
    times.add(isoTimeOf(value, 'timestamp'));
    if (id === null) {
      yield* change(value, order, place);
      continue;
    }
    if (order.last.get(id) !== place.number) {
      yield skip(place, 'bookkeeping', 'A later record holds the whole message.');
      continue;
    }
    const type = textOf(value, 'type');
    const role = type === 'gemini' ? 'assistant' : type === 'user' ? 'user' : 'system';
    if (role === 'system' && type !== 'info' && type !== 'warning' && type !== 'error') {
      yield skip(place, 'unknown', `Records of type “${type ?? 'none'}” are not known.`);
      continue;
    }
    const content = contentOf(value, id);
    if (content.parts.length === 0) {
      yield skip(place, 'unknown', content.omitted[0] ?? 'The message is empty.');
      continue;
    }
    const view: ForeignView = order.abandoned.has(id) ? 'abandoned' : order.compacted.has(id) ? 'compacted' : 'shown';
    const message = messageOf(value, id, role, content, view, record);
    usage.add(message.usage);
    if (message.model !== null) facts[0] = { model: message.model };
    yield { kind: 'message', records: 1, message };
    if (type === 'error' && view !== 'abandoned') yield { kind: 'ended', reason: 'error', records: 0 };
  }
  const { startedAt, endedAt } = times;
  yield { kind: 'facts', records: 0, facts: { ...facts[0], startedAt, endedAt, usage: usage.total } };
  yield { kind: 'end', records: records.count };
}

/** A change of the session. The first new text of the user in a compressed history is the summary. */
function* change(value: JsonObject, order: Order, place: ForeignMessage['place']): Generator<ReadEvent> {
  const kept = keptIn(value);
  const added = (listOf(objectOf(value, '$set'), 'messages') ?? [])
    .map(asObject)
    .find((item) => textOf(item, 'type') === 'user' && !order.last.has(nameOf(item, 'id') ?? ''));
  const isCompacted = kept !== null && [...order.compacted].some((id) => !kept.has(id));
  if (!isCompacted) return yield { kind: 'facts', records: 1, facts: {} };
  const content = geminiContent(own(added ?? {}, 'content'), '');
  const message = messageOf(added ?? {}, `summary ${place.number}`, 'user', content, 'summary', { place });
  yield { kind: 'message', records: 1, message: { ...message, keeps: (id) => kept.has(id) } };
}

function contentOf(value: JsonObject, id: string): ReadContent {
  const thoughts = (listOf(value, 'thoughts') ?? []).map((item): ReadContent => {
    const thought = asObject(item);
    const text = [textOf(thought, 'subject'), textOf(thought, 'description')].filter(Boolean).join('\n');
    return { parts: text === '' ? [] : [{ kind: 'thinking', text }], omitted: [] };
  });
  const calls = (listOf(value, 'toolCalls') ?? []).map(asObject);
  const keyOf = (index: number): string => `${id} call ${index + 1}`;
  return joined([
    ...thoughts,
    geminiContent(own(value, 'displayContent') ?? own(value, 'content'), id),
    ...calls.map((call, index) => geminiCall(call ?? {}, keyOf(index))),
    ...calls.map((call, index) => resultIn(call, keyOf(index))),
  ]);
}

/** The result beside a call. It is that of this call, whatever id is in it. */
function resultIn(call: JsonObject | null, key: string): ReadContent {
  const { parts, omitted } = geminiContent(own(call, 'result'), key, geminiOutcome(textOf(call, 'status')));
  const [callId, name] = [nameOf(call, 'id') ?? key, nameOf(call, 'name') ?? ''];
  const results = parts.flatMap((part) => (part.kind === 'toolResult' ? [{ ...part, callId, name }] : []));
  return { parts: results.slice(0, 1), omitted };
}

function messageOf(
  value: JsonObject,
  id: string,
  role: ForeignMessage['role'],
  { parts, omitted }: ReadContent,
  view: ForeignView,
  { place, isRepaired = false }: Pick<ForeignMessage, 'place'> & { readonly isRepaired?: boolean },
): ForeignMessage {
  return {
    id,
    parentId: null,
    role,
    parts,
    view,
    createdAt: isoTimeOf(value, 'timestamp'),
    model: nameOf(value, 'model'),
    provider: role === 'assistant' ? 'google' : null,
    finishReason: null,
    usage: geminiUsage(objectOf(value, 'tokens')),
    place,
    omitted: isRepaired ? [...omitted, repairedText()] : omitted,
  };
}

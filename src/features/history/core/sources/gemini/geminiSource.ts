import { basename, dirname } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignMessage, ForeignView } from '../foreign';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import {
  emptyReason,
  geminiCall,
  geminiContent,
  geminiOutcome,
  joined,
  noContent,
  one,
  textIn,
  type ReadContent,
} from '../reading/content';
import { asObject, isoTimeOf, last, listOf, nameOf, objectOf, own, textOf, usageOf } from '../reading/fields';
import { emptyFile, foundSession, shortTitle, timeSpan } from '../reading/foundSessions';
import { beginning, fieldsBefore, filesBelow, type HistoryFiles } from '../reading/historyFiles';
import {
  headAndTail,
  jsonElements,
  jsonLines,
  readTwice,
  type SourceRecord,
  type WholeRecord,
} from '../reading/records';
import { readRecords, skip } from '../reading/sessionReading';

/** Input tokens include cached ones. */
const tokenCounts = { input: 'input', output: 'output', cached: 'cached', reasoning: 'thoughts' } as const;

/** Sessions of Gemini CLI, in `tmp/<project>/chats/`: an object with a list of messages (`session-*.json`), or JSONL
 *  with a line of facts, messages, and changes (`$set`, `$rewindTo`). By chatRecordingService.ts and
 *  chatRecordingTypes.ts of google-gemini/gemini-cli (commits 016443b, 04741d1). */
export function geminiSource(files: HistoryFiles): HistorySource {
  return {
    name: 'gemini',
    locate: ({ gemini }) => filesBelow(files, `${gemini}/tmp`, 3, /\/chats\/.*\.jsonl?$/),
    async *findIn(path) {
      yield await glance(files, path);
    },
    read: ({ location }) => events(files, location.path),
  };
}

async function glance(files: HistoryFiles, path: string): Promise<Found> {
  const facts = await geminiFacts(files, path);
  const messages = await recordsIn(files, path);
  const prompts = messages.filter((value) => textOf(value, 'type') === 'user');
  if (prompts.length === 0 && !messages.some((value) => textOf(value, 'type') === 'gemini')) return emptyFile(path);
  const prompt = geminiContent(own(prompts[0] ?? {}, 'content'), '');
  const times = ['startTime', 'lastUpdated', 'timestamp'];
  return foundSession('gemini', path, {
    id: nameOf(facts, 'sessionId') ?? basename(path).replace(/\.jsonl?$/, ''),
    lineage: textOf(facts, 'kind') === 'subagent' ? { kind: 'delegate', parentId: basename(dirname(path)) } : null,
    title: nameOf(facts, 'summary') ?? shortTitle(textIn(prompt.parts)),
    folder: await folderOf(files, path, facts),
    model: last(messages, (value) => nameOf(value, 'model')),
    ...timeSpan([facts, ...messages].flatMap((value) => times.map((name) => isoTimeOf(value, name)))),
  });
}

/** Messages and changes of a session, in either form. */
function geminiRecords(files: HistoryFiles, path: string): AsyncGenerator<SourceRecord> {
  return path.endsWith('.jsonl') ? jsonLines(files, path) : jsonElements(files, path, 'messages');
}

/** Facts before the list of messages; those of the first line, and of later changes. */
async function geminiFacts(files: HistoryFiles, path: string): Promise<JsonObject> {
  if (!path.endsWith('.jsonl')) return (await fieldsBefore(files, path, 'messages')) ?? {};
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
  const lines = new Map<string, number>();
  const [abandoned, compacted] = [new Set<string>(), new Set<string>()];
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const { value } = record;
    const [id, rewoundTo, kept] = [nameOf(value, 'id'), nameOf(value, '$rewindTo'), keptIn(value)];
    if (rewoundTo !== null) {
      const ids = [...lines.keys()];
      for (const each of ids.slice(Math.max(ids.indexOf(rewoundTo), 0))) abandoned.add(each);
    } else if (kept !== null) for (const each of lines.keys()) if (!kept.has(each)) compacted.add(each);
    if (id === null) continue;
    lines.set(id, record.place.number);
    abandoned.delete(id);
  }
  return { last: lines, abandoned, compacted };
}

function keptIn(value: JsonObject): ReadonlySet<string> | null {
  const list = listOf(objectOf(value, '$set'), 'messages');
  return list === null ? null : new Set(list.flatMap((item) => nameOf(asObject(item), 'id') ?? []));
}

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const read = await readTwice(files, () => geminiRecords(files, path));
  const order = await orderOf(read());
  yield* readRecords(read(), (record) => eventsOf(record, order));
}

function* eventsOf(record: WholeRecord, order: Order): Generator<ReadEvent> {
  const { value, place } = record;
  const id = nameOf(value, 'id');
  if (id === null) return yield* change(value, order, place);
  if (order.last.get(id) !== place.number)
    return yield skip(place, 'bookkeeping', 'A later record holds the whole message.');
  const type = textOf(value, 'type');
  const role = type === 'gemini' ? 'assistant' : type === 'user' ? 'user' : 'system';
  if (role === 'system' && type !== 'info' && type !== 'warning' && type !== 'error')
    return yield skip(place, 'unknown', `Records of type “${type ?? 'none'}” are not known.`);
  const content = contentOf(value, id);
  if (content.parts.length === 0) return yield skip(place, 'unknown', emptyReason(content));
  const view: ForeignView = order.abandoned.has(id) ? 'abandoned' : order.compacted.has(id) ? 'compacted' : 'shown';
  yield { kind: 'message', records: 1, message: messageOf(record, id, role, content, view) };
  if (type === 'error' && view !== 'abandoned') yield { kind: 'ended', reason: 'error', records: 0 };
}

/** A change of the session. The first new text of the user in a compressed history is the summary. */
function* change(value: JsonObject, order: Order, place: ForeignMessage['place']): Generator<ReadEvent> {
  const kept = keptIn(value);
  const added = (listOf(objectOf(value, '$set'), 'messages') ?? [])
    .map(asObject)
    .find((item) => textOf(item, 'type') === 'user' && !order.last.has(nameOf(item, 'id') ?? ''));
  const isCompacted = kept !== null && [...order.compacted].some((id) => !kept.has(id));
  if (!isCompacted) return yield { kind: 'facts', records: 1, facts: {} };
  const summary = added ?? {};
  const content = geminiContent(own(summary, 'content'), '');
  const record = { value: summary, place, notes: [] };
  const message = messageOf(record, `summary ${place.number}`, 'user', content, 'summary');
  yield { kind: 'message', records: 1, message: { ...message, keeps: (id) => kept.has(id) } };
}

function contentOf(value: JsonObject, id: string): ReadContent {
  const thoughts = (listOf(value, 'thoughts') ?? []).map((item): ReadContent => {
    const thought = asObject(item);
    const text = [textOf(thought, 'subject'), textOf(thought, 'description')].filter(Boolean).join('\n');
    return text === '' ? noContent : one({ kind: 'thinking', text });
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
  { value, place, notes }: Pick<WholeRecord, 'value' | 'place' | 'notes'>,
  id: string,
  role: ForeignMessage['role'],
  { parts, omitted }: ReadContent,
  view: ForeignView,
): ForeignMessage {
  return {
    id,
    role,
    parts,
    view,
    createdAt: isoTimeOf(value, 'timestamp'),
    model: nameOf(value, 'model'),
    usage: usageOf(objectOf(value, 'tokens'), tokenCounts),
    place,
    omitted: [...omitted, ...notes],
  };
}

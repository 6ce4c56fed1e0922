import { t } from '../../../../../base/translate';
import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import { asObject, listOf, asList, countOf, numberOf, own } from '../reading/fields';
import { beginning, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { jsonElements, unreadable, type SourceRecord, jsonLines, type DamagedRecord } from '../reading/records';

/** Bytes of the largest journal that is replayed. VS Code rewrites it after 1024 changes. */
const largestJournal = 256 * 2 ** 20;

/** Requests of a session file: a JSON object, of which one request is in memory at a time, or a journal. */
export async function* storedRequests(files: HistoryFiles, path: string): AsyncGenerator<SourceRecord> {
  if (!(await isJournal(files, path))) return yield* jsonElements(files, path, 'requests');
  const tooLong = await journalIsTooLong(files, path);
  if (tooLong !== null) return yield { kind: 'damaged', place: { path, unit: 'file', number: 1 }, reason: tooLong };
  const { state, damaged } = await replayJournal(files, path);
  yield* damaged;
  for (const [index, request] of (listOf(state, 'requests') ?? []).entries()) {
    const [place, value] = [{ path, unit: 'element', number: index + 1 } as const, asObject(request)];
    if (value === null) yield { kind: 'damaged', place, reason: unreadable() };
    else yield { kind: 'record', place, name: `element ${index + 1}`, value, notes: [] };
  }
}

/** A journal begins with a line `{"kind":0,…}`, which has no other use for a session. The name counts for a damaged
 *  one. */
async function isJournal(files: HistoryFiles, path: string): Promise<boolean> {
  if (path.endsWith('.jsonl')) return true;
  return /^\uFEFF?\s*\{\s*"kind"\s*:\s*\d/.test((await beginning(files, path, 64)).toString('utf8'));
}

async function journalIsTooLong(files: HistoryFiles, path: string): Promise<string | null> {
  const size = (await files.stat(path))?.size ?? 0;
  return size <= largestJournal
    ? null
    : t('The file has {bytes} bytes, which is too long to read.', { bytes: String(size) });
}

/** Facts of a session, with its requests where the file is not too long. */
interface ChatOverview {
  readonly about: JsonObject | null;
  /** The first requests. */
  readonly requests: readonly JsonObject[];
  readonly last: JsonObject | null;
  /** Null when the file was not read to its end. */
  readonly count: number | null;
}

const enough = 20;

export async function chatOverview(files: HistoryFiles, path: string): Promise<ChatOverview> {
  const about = (await isJournal(files, path)) ? await journalState(files, path) : await jsonFile(files, path);
  if (about !== null) {
    const all = (listOf(about, 'requests') ?? []).map((value) => asObject(value));
    const known = all.filter((request) => request !== null);
    return { about, requests: known.slice(0, enough), last: known.at(-1) ?? null, count: all.length };
  }
  const requests: JsonObject[] = [];
  for await (const stored of storedRequests(files, path)) {
    if (stored.kind === 'record') requests.push(stored.value);
    if (requests.length === enough) break;
  }
  return { about: null, requests, last: null, count: null };
}

async function journalState(files: HistoryFiles, path: string): Promise<JsonObject | null> {
  return (await journalIsTooLong(files, path)) === null ? (await replayJournal(files, path)).state : null;
}

/** Kinds of lines (`EntryKind`). */
const [initial, set, push, remove] = [0, 1, 2, 3];

interface ReplayedJournal {
  /** The object as the last line left it. Null when no line holds a whole object. */
  readonly state: JsonObject | null;
  /** Lines that could not be read or applied. */
  readonly damaged: readonly DamagedRecord[];
}

/** Replays a journal of changes to one object, a change per line: the whole object, a property that is set or deleted,
 *  or elements that are added to a list, after those from an index on were removed. Format:
 *  src/vs/workbench/contrib/chat/common/model/objectMutationLog.ts of microsoft/vscode (047238f). A line that cannot be
 *  applied is left out, where VS Code would refuse the file. */
async function replayJournal(files: HistoryFiles, path: string): Promise<ReplayedJournal> {
  let state: JsonValue | undefined;
  const damaged: DamagedRecord[] = [];
  for await (const record of jsonLines(files, path)) {
    if (record.kind === 'damaged') {
      damaged.push(record);
      continue;
    }
    const next = applied(state, record.value);
    if (next === undefined)
      damaged.push({ kind: 'damaged', place: record.place, reason: 'The line changes something that is not there.' });
    else state = next;
  }
  return { state: asObject(state), damaged };
}

/** The object after one line; undefined when the line does not fit it. */
function applied(state: JsonValue | undefined, line: JsonObject): JsonValue | undefined {
  const kind = numberOf(line, 'kind');
  if (kind === initial) return own(line, 'v');
  const path = listOf(line, 'k');
  if (state === undefined || path === null || path.length === 0) return undefined;
  switch (kind) {
    case set:
      return changed(state, path, () => own(line, 'v') ?? null);
    case push:
      return changed(state, path, (old) => extended(old, listOf(line, 'v') ?? [], own(line, 'i'), countOf(line, 'i')));
    case remove:
      return changed(state, path, () => 'absent');
    default:
      return undefined;
  }
}

/** A change of one value: what is there afterwards, 'absent' to delete it, undefined when it does not fit. */
type Change = (old: JsonValue | undefined) => JsonValue | 'absent' | undefined;

/** A copy of `value` with a change at `path`. Untouched parts are shared. */
function changed(value: JsonValue, path: readonly JsonValue[], change: Change): JsonValue | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return undefined;
  const child = childOf(value, step);
  const next = rest.length === 0 ? change(child) : child === undefined ? undefined : changed(child, rest, change);
  return next === undefined ? undefined : withChild(value, step, next);
}

function childOf(value: JsonValue, step: JsonValue): JsonValue | undefined {
  if (typeof step === 'number') return asList(value)?.[step];
  return typeof step === 'string' ? own(asObject(value), step) : undefined;
}

function withChild(value: JsonValue, step: JsonValue, child: JsonValue): JsonValue | undefined {
  if (Array.isArray(value)) {
    if (typeof step !== 'number' || !Number.isInteger(step) || step < 0 || step > value.length) return undefined;
    const copy: JsonValue[] = [...value];
    copy[step] = child === 'absent' ? null : child;
    return copy;
  }
  const object = asObject(value);
  if (object === null || typeof step !== 'string') return undefined;
  if (child !== 'absent') return { ...object, [step]: child };
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== step));
}

function extended(
  old: JsonValue | undefined,
  added: readonly JsonValue[],
  givenIndex: JsonValue | undefined,
  index: number | null,
): JsonValue | undefined {
  const list = asList(old ?? []);
  if (list === null) return undefined;
  if (givenIndex === undefined) return [...list, ...added];
  // An index beyond the end would make a list of holes.
  return index === null || index > list.length ? undefined : [...list.slice(0, index), ...added];
}

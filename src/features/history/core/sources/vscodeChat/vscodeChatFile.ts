import { t } from '../../../../../base/translate';
import type { JsonObject } from '../../../../../transcript/json';
import { asObject, listOf } from '../reading/fields';
import { beginning, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { jsonElements, unreadable, type SourceRecord } from '../reading/records';
import { replayJournal } from './objectJournal';

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

import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject, type JsonValue } from '../../../../../transcript/json';
import type { ForeignPlace } from '../foreign';
import { asObject, listOf } from '../reading/fields';
import { elements } from '../reading/elements';
import type { HistoryFiles } from '../reading/historyFiles';
import { longestLine } from '../reading/lines';
import { replayJournal } from './objectJournal';

/** A request of a session, or a record that cannot be read. */
type StoredRequest =
  | { readonly kind: 'request'; readonly value: JsonObject; readonly place: ForeignPlace }
  | { readonly kind: 'damaged'; readonly place: ForeignPlace; readonly reason: string };

/** Bytes of the largest journal that is replayed. VS Code rewrites it after 1024 changes. */
const largestJournal = 256 * 2 ** 20;

/** Requests of a session file: a JSON object, of which one request is in memory at a time, or a journal. */
export async function* storedRequests(files: HistoryFiles, path: string): AsyncGenerator<StoredRequest> {
  if (await isJournal(files, path)) return yield* ofJournal(files, path);
  for await (const element of elements(files.read(path), longestLine, 'requests')) {
    const place = { path, unit: 'element', number: element.number } as const;
    if (element.kind === 'tooLong') {
      const characters = String(element.characters);
      const reason = `The message has ${characters} characters, which is too long to read.`;
      yield { kind: 'damaged', place, reason };
      continue;
    }
    const parsed = parseJsonObject(element.text);
    if (parsed.kind === 'object') yield { kind: 'request', place, value: parsed.value };
    else yield { kind: 'damaged', place, reason: t('The record is cut off or is not a JSON object.') };
  }
}

/** A journal begins with a line `{"kind":0,…}`, which has no other use for a session. The name counts for a damaged
 *  one. */
async function isJournal(files: HistoryFiles, path: string): Promise<boolean> {
  if (path.endsWith('.jsonl')) return true;
  let head = '';
  for await (const piece of files.read(path, { end: 64 })) head += Buffer.from(piece).toString('utf8');
  return /^\uFEFF?\s*\{\s*"kind"\s*:\s*\d/.test(head);
}

async function* ofJournal(files: HistoryFiles, path: string): AsyncGenerator<StoredRequest> {
  const tooLong = await journalIsTooLong(files, path);
  if (tooLong !== null) return yield { kind: 'damaged', place: { path, unit: 'file', number: 1 }, reason: tooLong };
  const { state, damaged } = await replayJournal(files, path);
  for (const { place, reason } of damaged) yield { kind: 'damaged', place, reason };
  for (const [index, value] of (listOf(state, 'requests') ?? []).entries()) yield requestOf(value, path, index);
}

function requestOf(value: JsonValue, path: string, index: number): StoredRequest {
  const place = { path, unit: 'element', number: index + 1 } as const;
  const request = asObject(value);
  if (request !== null) return { kind: 'request', place, value: request };
  return { kind: 'damaged', place, reason: t('The record is cut off or is not a JSON object.') };
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
  readonly first: readonly JsonObject[];
  readonly last: JsonObject | null;
  /** Null when the file was not read to its end. */
  readonly count: number | null;
}

const enough = 20;

export async function chatOverview(files: HistoryFiles, path: string): Promise<ChatOverview> {
  const about = (await isJournal(files, path)) ? await journalState(files, path) : await wholeObject(files, path);
  if (about !== null) {
    const requests = (listOf(about, 'requests') ?? []).map((value) => asObject(value));
    const known = requests.filter((request) => request !== null);
    return { about, first: known.slice(0, enough), last: known.at(-1) ?? null, count: requests.length };
  }
  const first: JsonObject[] = [];
  for await (const stored of storedRequests(files, path)) {
    if (stored.kind === 'request') first.push(stored.value);
    if (first.length === enough) break;
  }
  return { about: null, first, last: null, count: null };
}

async function journalState(files: HistoryFiles, path: string): Promise<JsonObject | null> {
  return (await journalIsTooLong(files, path)) === null ? (await replayJournal(files, path)).state : null;
}

async function wholeObject(files: HistoryFiles, path: string): Promise<JsonObject | null> {
  if (((await files.stat(path))?.size ?? 0) > longestLine) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path)) pieces.push(piece);
  const text = Buffer.concat(pieces).toString('utf8');
  const parsed = parseJsonObject(text.replace(/^\uFEFF/, ''));
  return parsed.kind === 'object' ? parsed.value : null;
}

import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignPlace } from '../foreign';
import { elements } from './elements';
import type { ByteRange, HistoryFiles } from './historyFiles';
import { lines, longestLine } from './lines';

/** A record of a source. */
export interface WholeRecord {
  readonly kind: 'record';
  readonly place: ForeignPlace;
  /** Unique in its file, for records without an id of their own. */
  readonly name: string;
  readonly value: JsonObject;
  /** Sentences about damage that is left in it. */
  readonly notes: readonly string[];
}

/** A record of a source that cannot be read. */
export interface DamagedRecord {
  readonly kind: 'damaged';
  readonly place: ForeignPlace;
  readonly reason: string;
}

export type SourceRecord = WholeRecord | DamagedRecord;

/** JSON objects of a JSONL file, one per line. */
export async function* jsonLines(
  files: Pick<HistoryFiles, 'read'>,
  path: string,
  range?: ByteRange,
): AsyncGenerator<SourceRecord> {
  for await (const line of lines(files.read(path, range))) {
    const place = { path, unit: 'line', number: line.number } as const;
    if (line.kind === 'tooLong') {
      yield {
        kind: 'damaged',
        place,
        reason: `The line has ${line.bytes} bytes, which is too long to read.`,
      };
      continue;
    }
    const { found, isDamaged } = recordsOf(line.text);
    for (const [index, value] of found.entries()) {
      const name = `line ${line.number}${index === 0 ? '' : `.${index + 1}`}`;
      const notes = line.isRepaired ? [t('Some characters were damaged and are shown as �.')] : [];
      yield { kind: 'record', place, name, value, notes };
    }
    if (isDamaged) yield { kind: 'damaged', place, reason: unreadable() };
  }
}

/** Said of a record that holds no JSON object. */
export function unreadable(): string {
  return t('The record is cut off or is not a JSON object.');
}

/** JSON objects in a list: the whole file, or the list under `key`. */
export async function* jsonElements(
  files: HistoryFiles,
  path: string,
  key: string | null,
): AsyncGenerator<SourceRecord> {
  for await (const element of elements(files.read(path), longestLine, key)) {
    const place = { path, unit: 'element', number: element.number } as const;
    const parsed = element.kind === 'text' ? parseJsonObject(element.text) : null;
    if (parsed?.kind === 'object')
      yield { kind: 'record', place, name: `element ${element.number}`, value: parsed.value, notes: [] };
    else {
      const reason =
        element.kind === 'text'
          ? unreadable()
          : `The message has ${element.characters} characters, which is too long to read.`;
      yield { kind: 'damaged', place, reason };
    }
  }
}

const headBytes = 256 * 1024;
const tailBytes = 64 * 1024;

/** Records at the beginning and at the end of a JSONL file; all of them (`isWhole`) when it is small. Leaves out
 *  lines that cannot be read, among them the two that the cuts go through. */
export async function headAndTail(
  files: HistoryFiles,
  path: string,
): Promise<{ readonly records: readonly JsonObject[]; readonly isWhole: boolean }> {
  const size = (await files.stat(path))?.size ?? 0;
  const isWhole = size <= headBytes + tailBytes;
  const records: JsonObject[] = [];
  const ranges = isWhole ? [{}] : [{ end: headBytes }, { start: size - tailBytes }];
  for (const range of ranges) {
    for await (const record of jsonLines(files, path, range)) if (record.kind === 'record') records.push(record.value);
  }
  return { records, isWhole };
}

/** Objects of a line. A program that is killed, or two that write at once, leave several on one line, NUL bytes of
 *  blocks that were never written, or half an object before a whole one. */
function recordsOf(line: string): { readonly found: readonly JsonObject[]; readonly isDamaged: boolean } {
  const whole = parseJsonObject(line);
  if (whole.kind === 'object') return { found: [whole.value], isDamaged: false };
  const found: JsonObject[] = [];
  let isDamaged = false;
  for (const piece of line.split(/\0+/)) {
    for (let rest = piece.trim(); rest !== '';) {
      const parsed = parseJsonObject(rest.slice(0, objectEnd(rest)));
      if (parsed.kind === 'object') {
        found.push(parsed.value);
        rest = rest.slice(objectEnd(rest)).trim();
        continue;
      }
      isDamaged = true;
      // An object of its own does not follow a colon, a comma or a bracket, as one inside of another does.
      const next = rest.slice(1).search(/(?<![:,[\s\\])\s*\{"/);
      rest = next === -1 ? '' : rest.slice(next + 1).trim();
    }
  }
  return { found, isDamaged };
}

/** Position after the object with which a text begins; its length when it does not end. */
function objectEnd(text: string): number {
  let depth = 0;
  for (const found of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/g)) {
    if (found[0] === '{') depth++;
    else if (found[0] === '}' && --depth === 0) return found.index + 1;
  }
  return text.length;
}

/** Bytes of files whose records are kept in memory, where a reader goes through them twice. */
const mostHeldBytes = 4 * 2 ** 20;

/** Records for a reader that goes through them twice: kept where their files are small, and read again otherwise.
 *  A compressed file is never kept. */
export async function readTwice<T extends Pick<SourceRecord, 'place'>>(
  files: Pick<HistoryFiles, 'stat'>,
  read: () => AsyncIterable<T>,
): Promise<() => AsyncIterable<T> | Iterable<T>> {
  const held: T[] = [];
  let [bytes, path] = [0, ''];
  for await (const record of read()) {
    if (record.place.path !== path) {
      path = record.place.path;
      bytes += path.endsWith('.zst') ? Infinity : ((await files.stat(path))?.size ?? 0);
      if (bytes > mostHeldBytes) return read;
    }
    held.push(record);
  }
  return () => held;
}

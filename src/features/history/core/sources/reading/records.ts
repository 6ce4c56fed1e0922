import { t } from '../../../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignPlace, SkipKind } from '../foreign';
import type { ReadEvent } from '../historySource';
import type { ByteRange, HistoryFiles } from './historyFiles';
import { lines } from './lines';

/** A record of a source, or the reason why it cannot be read. */
export type SourceRecord =
  | {
      readonly kind: 'record';
      readonly place: ForeignPlace;
      /** Unique in its file, for records without an id of their own. */
      readonly name: string;
      readonly value: JsonObject;
      readonly isRepaired: boolean;
    }
  | { readonly kind: 'damaged'; readonly place: ForeignPlace; readonly reason: string };

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
      yield { kind: 'record', place, name, value, isRepaired: line.isRepaired };
    }
    if (isDamaged) yield { kind: 'damaged', place, reason: t('The record is cut off or is not a JSON object.') };
  }
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

/** Counts records as they come in. */
export class CountedRecords {
  count = 0;

  async *of<T>(records: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T> {
    for await (const record of records) {
      this.count++;
      yield record;
    }
  }
}

export function skip(place: ForeignPlace, kind: SkipKind, reason: string): ReadEvent {
  return { kind: 'skipped', records: 1, skipped: { place, kind, reason } };
}

/** Said of a message whose record had bytes that are not UTF-8. */
export function repairedText(): string {
  return t('Some characters were damaged and are shown as �.');
}

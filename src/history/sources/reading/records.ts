import { t } from '../../../base/translate';
import { parseJsonObject, type JsonObject } from '../../../transcript/json';
import type { ForeignPlace, SkipKind } from '../foreign';
import type { ReadEvent } from '../historySource';
import type { ByteRange, HistoryFiles } from './historyFiles';
import { lines } from './lines';

/** A record of a source, or the reason why it cannot be read. */
type SourceRecord =
  | { readonly kind: 'record'; readonly place: ForeignPlace; readonly value: JsonObject; readonly isRepaired: boolean }
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
        reason: t('The line has {bytes} bytes, which is too long to read.', { bytes: String(line.bytes) }),
      };
      continue;
    }
    const parsed = parseJsonObject(line.text);
    if (parsed.kind === 'object') {
      yield { kind: 'record', place, value: parsed.value, isRepaired: line.isRepaired };
    } else yield { kind: 'damaged', place, reason: t('The line is cut off or is not a JSON object.') };
  }
}

/** Counts records as they come in. */
export class CountedRecords {
  count = 0;

  async *of<T>(records: AsyncIterable<T>): AsyncGenerator<T> {
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

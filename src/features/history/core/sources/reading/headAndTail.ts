import type { JsonObject } from '../../../../../transcript/json';
import type { HistoryFiles } from './historyFiles';
import { jsonLines } from './records';

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

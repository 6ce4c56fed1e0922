import { groupedBy } from '../../../base/groupedBy';
import type { ContentHash, FileChange } from '../../../store/fileChanges';

/** Consecutive changes of one file, where each change found what the one before had left. */
export interface ChangedRange {
  readonly before: ContentHash;
  /** undefined: the last change was cut off before its result was known. */
  readonly after: ContentHash | undefined;
}

/** Changes that some turns made to one file. Between two ranges someone else changed it. */
export interface FileHistory {
  readonly path: string;
  /** In the order in which they were made; never empty. */
  readonly changes: readonly FileChange[];
  readonly ranges: readonly ChangedRange[];
}

/** Groups changes by path, in the order in which files were first changed. Leaves out changes that were changed
 *  back. */
export function historiesOf(changes: readonly FileChange[]): readonly FileHistory[] {
  return [...groupedBy(changes, ({ path }) => path)].flatMap(([path, own]) => {
    const ranges = rangesOf(own).filter(({ before, after }) => before !== after);
    return ranges.length === 0 ? [] : [{ path, changes: own, ranges }];
  });
}

function rangesOf(changes: readonly FileChange[]): readonly ChangedRange[] {
  const ranges: ChangedRange[] = [];
  for (const { before, after } of changes) {
    const last = ranges.at(-1);
    if (last !== undefined && last.after === before) ranges[ranges.length - 1] = { before: last.before, after };
    else ranges.push({ before, after });
  }
  return ranges;
}

export function firstOf({ changes }: FileHistory): FileChange {
  const first = changes[0];
  if (first === undefined) throw new Error('a file without changes');
  return first;
}

/** Turns that made these changes, in order. */
export function turnsOf({ changes }: FileHistory): readonly { readonly turnUid: string; readonly sessionId: string }[] {
  return [...new Map(changes.map(({ turnUid, sessionId }) => [turnUid, { turnUid, sessionId }])).values()];
}

/** Content before all changes. */
export function beforeAll({ ranges }: FileHistory): ContentHash {
  return ranges[0]?.before ?? null;
}

/** Content after all changes. */
export function afterAll({ ranges }: FileHistory): ContentHash | undefined {
  return ranges.at(-1)?.after;
}

export function kindOf(history: FileHistory): 'created' | 'edited' | 'deleted' {
  if (afterAll(history) === null) return 'deleted';
  return beforeAll(history) === null ? 'created' : 'edited';
}

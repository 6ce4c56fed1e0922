/** memory: notes of the agent · user: facts about the user and how they like to work. */
export type MemoryTarget = 'memory' | 'user';

/** Maximum characters of a file's joined entries: the whole file is part of every request. */
export const memoryLimits: Readonly<Record<MemoryTarget, number>> = { memory: 2200, user: 1375 };

export type MemoryOperation =
  | { readonly action: 'add'; readonly content: string }
  | { readonly action: 'replace'; readonly oldText: string; readonly content: string }
  | { readonly action: 'remove'; readonly oldText: string };

/** The effect of an operation on one entry. */
export interface EntryChange {
  readonly action: MemoryOperation['action'];
  readonly content: string;
  readonly previous: string | null;
}

/** `changes` is empty when all of it was already there. `full`: the entries would be too long, which is the only
 *  problem. `text` is for the model. */
export type AppliedOperations =
  | { readonly kind: 'applied'; readonly entries: readonly string[]; readonly changes: readonly EntryChange[] }
  | { readonly kind: 'refused' | 'full'; readonly text: string };

const separator = '\n§\n';
const separatorLine = /^[ \t]*§[ \t]*$/m;

/** Parses a file's entries and removes duplicates. Accepts the line endings of any editor. */
export function entriesOf(text: string): readonly string[] {
  const lines = text.replace(/^\ufeff/, '').replace(/\r\n?/g, '\n');
  const entries = lines.split(new RegExp(separatorLine, 'gm')).map((entry) => entry.trim());
  return [...new Set(entries.filter((entry) => entry !== ''))];
}

/** Returns a file's text. All of it except the final line break counts against the limit. */
export function textOf(entries: readonly string[]): string {
  return entries.length === 0 ? '' : `${entries.join(separator)}\n`;
}

export function lengthOf(entries: readonly string[]): number {
  return entries.join(separator).length;
}

/** Applies operations in order, all or none. The limit counts at the end, so one call can make room and use it. */
export function applyOperations(
  before: readonly string[],
  operations: readonly MemoryOperation[],
  limit: number,
): AppliedOperations {
  let entries = before;
  const changes: EntryChange[] = [];
  for (const [index, operation] of operations.entries()) {
    const step = applyOne(entries, operation);
    if (typeof step === 'string')
      return {
        kind: 'refused',
        text: operations.length === 1 ? step : `Operation ${index + 1}: ${step} Nothing was changed.`,
      };
    entries = step.entries;
    changes.push(...step.changes);
  }
  const length = lengthOf(entries);
  // A file that the user edited by hand may already be too long. Shortening it is always allowed.
  if (length > limit && length >= lengthOf(before))
    return { kind: 'full', text: `That would take ${length} of ${limit} characters. Nothing was changed.` };
  return { kind: 'applied', entries, changes };
}

interface Step {
  readonly entries: readonly string[];
  readonly changes: readonly EntryChange[];
}

const unusable = 'The content is empty, or has a line that is only "§", which separates entries.';

/** Returns a sentence when the operation cannot be applied. */
function applyOne(entries: readonly string[], operation: MemoryOperation): Step | string {
  if (operation.action === 'add') {
    const content = contentOf(operation.content);
    if (content === null) return unusable;
    if (entries.includes(content)) return { entries, changes: [] };
    return { entries: [...entries, content], changes: [{ action: 'add', content, previous: null }] };
  }
  const index = indexOf(entries, operation.oldText);
  if (typeof index === 'string') return index;
  const previous = entries[index] ?? '';
  if (operation.action === 'remove')
    return { entries: entries.toSpliced(index, 1), changes: [{ action: 'remove', content: '', previous }] };
  const content = contentOf(operation.content);
  if (content === null) return unusable;
  if (content === previous) return { entries, changes: [] };
  return { entries: [...new Set(entries.with(index, content))], changes: [{ action: 'replace', content, previous }] };
}

function contentOf(written: string): string | null {
  const content = written.toWellFormed().replace(/\r\n?/g, '\n').trim();
  return content === '' || separatorLine.test(content) ? null : content;
}

/** Returns the index of the one entry that contains `oldText`, or a sentence when there is not exactly one. */
function indexOf(entries: readonly string[], oldText: string): number | string {
  const wanted = oldText.trim();
  if (wanted === '') return 'old_text is empty. Give a few words of the entry that is meant.';
  const exact = entries.indexOf(wanted);
  if (exact !== -1) return exact;
  const found = entries.flatMap((entry, index) => (entry.includes(wanted) ? [index] : []));
  const [only] = found;
  if (only === undefined) return `No entry contains "${wanted}".`;
  if (found.length > 1)
    return (
      `${found.length} entries contain "${wanted}": ` +
      `${found.map((index) => `"${beginning(entries[index] ?? '')}"`).join(', ')}. Give words that only one of ` +
      'them has.'
    );
  return only;
}

function beginning(entry: string): string {
  return entry.length > 60 ? `${entry.slice(0, 60)}…` : entry;
}

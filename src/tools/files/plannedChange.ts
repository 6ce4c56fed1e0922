import { createHash } from 'node:crypto';
import type { AccessPath } from '../../transcript/approval';
import type { FileEdit, TextFile, TextFormat } from './fileEditor';
import { numberedLines } from './nearestLines';
import { splitLines } from './lines';
import { firstLines, textChange, unifiedDiff, type TextChange } from './unifiedDiff';

const maxPreviewLines = 200;
const maxDetailLines = 400;
const maxExcerptLines = 80;

/** Change that a call would make to one file, computed from the present file. */
export interface PlannedChange {
  readonly target: AccessPath;
  readonly before: TextFile | null;
  readonly after: string | null;
  /** Format of a new file that replaces another one. */
  readonly format?: TextFormat;
}

/** Change that a call made to one file. `saved`: present content, which the editor may have changed while saving. */
export interface DoneChange extends PlannedChange {
  readonly saved: string | null;
}

export function fileEdit({ target, before, after, format }: PlannedChange): FileEdit {
  return { path: target.path, before, after, ...(format === undefined ? {} : { format }) };
}

export function changesNothing({ before, after }: PlannedChange): boolean {
  return (before?.text ?? null) === after;
}

/** Diff that the user sees before the change is made. */
export function previewOf(changes: readonly PlannedChange[]): string {
  const whole = changes
    .map(({ target, before, after }) => unifiedDiff(target.shown, before?.text ?? null, after))
    .join('\n');
  const shown = firstLines(whole, maxPreviewLines);
  // Include a hash of the hidden part, so that a comparison with the approved preview covers it too.
  return shown === whole ? whole : `${shown}\n(All of it: ${fingerprint(changes).slice(0, 16)})`;
}

/** Hash of a plan. Plans with the same hash remove and add the same lines in the same files; the positions may
 *  differ. */
export function fingerprint(changes: readonly PlannedChange[]): string {
  const hash = createHash('sha256');
  for (const { target, before, after } of changes) {
    hash.update(JSON.stringify([target.path, before === null, after === null]));
    for (const { lines } of textChange(before?.text ?? null, after).hunks)
      hash.update(JSON.stringify(lines.filter((line) => !line.startsWith(' '))));
  }
  return hash.digest('hex');
}

/** Result for the model: per file, the change and the present text of the changed lines. */
export function resultText(changes: readonly DoneChange[]): string {
  return changes.map(resultOf).join('\n\n');
}

/** Details for surfaces, in the shape `EditDetails`. */
export function editDetails(changes: readonly DoneChange[]): EditDetails {
  const measured = changes.map((change) => ({ change, difference: difference(change) }));
  return {
    kind: 'edit',
    files: measured.map(({ change, difference: { added, removed } }) => ({
      path: change.target.path,
      shown: change.target.shown,
      change: kindOf(change),
      added,
      removed,
    })),
    diff: firstLines(
      measured
        .map(({ change, difference }) =>
          unifiedDiff(change.target.shown, change.before?.text ?? null, change.saved, difference),
        )
        .join('\n'),
      maxDetailLines,
    ),
  };
}

/** `details` of an edit's result. */
type EditDetails = {
  readonly kind: 'edit';
  readonly files: readonly {
    readonly path: string;
    readonly shown: string;
    readonly change: 'created' | 'edited' | 'deleted';
    readonly added: number;
    readonly removed: number;
  }[];
  /** Unified, at most 400 lines. */
  readonly diff: string;
};

function kindOf({ before, saved }: DoneChange): 'created' | 'edited' | 'deleted' {
  return saved === null ? 'deleted' : before === null ? 'created' : 'edited';
}

function difference({ before, saved }: DoneChange): TextChange {
  return textChange(before?.text ?? null, saved);
}

function resultOf(change: DoneChange): string {
  const { target, before, after, saved } = change;
  if (saved === null) return `Deleted ${target.shown}.`;
  const reformatted =
    saved === after
      ? ''
      : ' The editor changed it further when it saved (format on save, for example): this is not exactly the text ' +
        'you gave, so read it before you edit it again.';
  const lines = splitLines(saved);
  if (before === null)
    return `Created ${target.shown} (${lines.length} line${lines.length === 1 ? '' : 's'}).${reformatted}`;
  const { hunks, added, removed } = difference(change);
  if (hunks.length === 0) return `Edited ${target.shown}: only line ends changed.${reformatted}`;
  return `Edited ${target.shown} (+${added} −${removed}).${reformatted} It reads now:\n${excerpt(hunks, lines)}`;
}

function excerpt(hunks: TextChange['hunks'], lines: ReturnType<typeof splitLines>): string {
  const parts: string[] = [];
  let shown = 0;
  for (const [index, { newStart, newLines }] of hunks.entries()) {
    if (shown >= maxExcerptLines) {
      parts.push(`(${hunks.length - index} more places: from line ${newStart} on)`);
      break;
    }
    const end = Math.min(newStart - 1 + newLines, newStart - 1 + maxExcerptLines - shown);
    parts.push(numberedLines(lines, Math.max(0, newStart - 1), end));
    shown += newLines;
  }
  return parts.join('\n…\n');
}

import { applyPatch, type StructuredPatchHunk } from 'diff';

/** One file of a proposed change, read from the unified diff that the user decides about. */
interface ProposedFile {
  /** As the diff names it. */
  readonly shown: string;
  readonly kind: 'created' | 'edited' | 'deleted';
  readonly hunks: readonly StructuredPatchHunk[];
  /** False when the diff leaves lines out. */
  readonly isWhole: boolean;
}

export interface BothTexts {
  readonly before: string;
  readonly after: string;
}

/** Reads the diff that `previewOf` writes. Lines that belong to no hunk count as left out. */
export function proposedFiles(preview: string): readonly ProposedFile[] {
  const files: { shown: string; kind: ProposedFile['kind']; hunks: StructuredPatchHunk[]; isWhole: boolean }[] = [];
  const lines = preview.split('\n');
  let left = { old: 0, new: 0 };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const file = files.at(-1);
    const hunk = file?.hunks.at(-1);
    if (hunk !== undefined && (left.old > 0 || left.new > 0) && /^[ +-]/.test(line)) {
      hunk.lines.push(line);
      if (!line.startsWith('+')) left.old--;
      if (!line.startsWith('-')) left.new--;
      continue;
    }
    if (hunk !== undefined && line.startsWith('\\')) {
      hunk.lines.push(line);
      continue;
    }
    const [from, to] = [/^--- (.*)$/.exec(line)?.[1], /^\+\+\+ (.*)$/.exec(lines[at + 1] ?? '')?.[1]];
    if (from !== undefined && to !== undefined) {
      const kind = from === '/dev/null' ? 'created' : to === '/dev/null' ? 'deleted' : 'edited';
      files.push({ shown: kind === 'created' ? to : from, kind, hunks: [], isWhole: true });
      left = { old: 0, new: 0 };
      at++;
      continue;
    }
    const range = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (file !== undefined && range !== null) {
      const [oldStart, oldLines, newStart, newLines] = [range[1], range[2] ?? 1, range[3], range[4] ?? 1].map(Number);
      left = { old: oldLines ?? 0, new: newLines ?? 0 };
      // A diff counts from the line before, where a hunk has no lines.
      file.hunks.push({
        oldStart: (oldStart ?? 1) + (left.old === 0 ? 1 : 0),
        oldLines: left.old,
        newStart: (newStart ?? 1) + (left.new === 0 ? 1 : 0),
        newLines: left.new,
        lines: [],
      });
    } else if (file !== undefined && line !== '' && line !== '(no lines)') file.isWhole = false;
  }
  return files;
}

/** Returns the file's text without and with the change. `current`: its present text, or null for no file. Where the
 *  diff leaves lines out or no longer fits, both texts have only the lines of the diff. */
export function bothTexts(file: ProposedFile, current: string | null): BothTexts {
  const text = current?.replace(/\r\n?/g, '\n') ?? '';
  const isComplete = file.hunks.every(
    ({ lines, oldLines, newLines }) =>
      lines.filter((line) => !/^[+\\]/.test(line)).length === oldLines &&
      lines.filter((line) => !/^[-\\]/.test(line)).length === newLines,
  );
  if (file.isWhole && isComplete && (current !== null || file.kind === 'created')) {
    const names = { oldFileName: '', newFileName: '', oldHeader: undefined, newHeader: undefined };
    const after = applyPatch(text, { ...names, hunks: [...file.hunks] }, { autoConvertLineEndings: false });
    if (after !== false) return { before: text, after };
  }
  const side = (sign: '+' | '-'): string =>
    file.hunks
      .map(({ lines }) =>
        lines
          .filter((line) => line.startsWith(sign) || line.startsWith(' '))
          .map((line) => `${line.slice(1)}\n`)
          .join(''),
      )
      .join('…\n') + (file.isWhole ? '' : '…\n');
  return { before: side('-'), after: side('+') };
}

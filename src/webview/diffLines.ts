/** One rendered line of a unified diff. file: names a file · hunk: position of the next lines · note: a remark about
 *  the diff. */
export interface DiffLine {
  readonly kind: 'file' | 'hunk' | 'added' | 'removed' | 'same' | 'note';
  readonly text: string;
  /** Line number in the old and the new file, from 1; null when the line is not in it. */
  readonly before: number | null;
  readonly after: number | null;
}

/** Lines that tools add around a diff and that readers do not need. */
const noise = /^(diff --git |index [0-9a-f]|Index: |=+$|$)/;
const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(.*)$/;

/** Parses a unified diff. Keeps any other line as a note: a truncated preview says so itself. */
export function diffLines(diff: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let [before, after, beforeLeft, afterLeft] = [0, 0, 0, 0];
  let old = '';
  for (const text of diff.replace(/\n$/, '').split('\n')) {
    const head = hunkHead.exec(text);
    if (head !== null) {
      [before, beforeLeft, after, afterLeft] = [
        Number(head[1]),
        Number(head[2] ?? 1),
        Number(head[3]),
        Number(head[4] ?? 1),
      ];
      lines.push({ kind: 'hunk', text: (head[5] ?? '').trim(), before, after });
    } else if (afterLeft > 0 && text.startsWith('+')) {
      lines.push({ kind: 'added', text: text.slice(1), before: null, after: after++ });
      afterLeft--;
    } else if (beforeLeft > 0 && text.startsWith('-')) {
      lines.push({ kind: 'removed', text: text.slice(1), before: before++, after: null });
      beforeLeft--;
    } else if (beforeLeft > 0 && afterLeft > 0 && (text.startsWith(' ') || text === '')) {
      lines.push({ kind: 'same', text: text.slice(1), before: before++, after: after++ });
      beforeLeft--;
      afterLeft--;
    } else if (text.startsWith('--- ')) {
      old = fileName(text);
    } else if (text.startsWith('+++ ')) {
      const name = fileName(text);
      lines.push({ kind: 'file', text: name === '/dev/null' ? old : name, before: null, after: null });
    } else if (!noise.test(text)) {
      lines.push({ kind: 'note', text, before: null, after: null });
    }
  }
  return lines;
}

function fileName(line: string): string {
  return line
    .slice(4)
    .replace(/\t.*$/, '')
    .replace(/^[ab]\//, '');
}

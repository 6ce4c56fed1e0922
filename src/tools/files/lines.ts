/** Line with its line end ("" at the end of a text without a final line end). */
export interface Line {
  readonly text: string;
  readonly end: string;
}

/** Splits a text so that joining text and end of each line restores it. A final line end is not followed by an empty
 *  line. */
export function splitLines(text: string): readonly Line[] {
  const lines: Line[] = [];
  for (const match of text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)) {
    if (match[0] === '') break;
    lines.push({ text: match[1] ?? '', end: match[2] ?? '' });
  }
  return lines;
}

export function joinLines(lines: readonly Line[]): string {
  return lines.map(({ text, end }) => text + end).join('');
}

/** Line end that most of these lines have; "\n" when none has one. */
export function usualEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  let usual = '\n';
  let most = 0;
  for (const [end, count] of counts) if (count > most) [usual, most] = [end, count];
  return usual;
}

/** Converts text from a model to the line ends of the target file. Text that contains `\r` keeps its own line ends. */
export function withLineEnds(text: string, end: string): string {
  return end === '\n' || text.includes('\r') ? text : text.replaceAll('\n', end);
}

/** Line number of an offset in a text, from 1. */
export function lineAt(text: string, offset: number): number {
  return (text.slice(0, offset).match(/\r\n|\n|\r/g) ?? []).length + 1;
}

/** A line with what ends it ("" at the end of a text without a final line end). */
export interface Line {
  readonly text: string;
  readonly end: string;
}

/** The lines of a text, so that joining text and end of each gives it back. A text that ends with a line end has no empty line behind it. */
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

/** The line end most of these lines have; "\n" where none has any. */
export function usualEnd(lines: readonly Line[]): string {
  const counts = new Map<string, number>();
  for (const { end } of lines) if (end !== '') counts.set(end, (counts.get(end) ?? 0) + 1);
  let usual = '\n';
  let most = 0;
  for (const [end, count] of counts) if (count > most) [usual, most] = [end, count];
  return usual;
}

/** Text as a model writes it, with the line ends of the file it goes into. One that says itself which ends it wants is left alone. */
export function withLineEnds(text: string, end: string): string {
  return end === '\n' || text.includes('\r') ? text : text.replaceAll('\n', end);
}

/** From 1: the line a place in a text lies on. */
export function lineAt(text: string, offset: number): number {
  return (text.slice(0, offset).match(/\r\n|\n|\r/g) ?? []).length + 1;
}

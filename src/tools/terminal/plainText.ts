import { stripVTControlCharacters } from 'node:util';

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Cursor movements to other lines or backwards, and what erases. */
// eslint-disable-next-line no-control-regex
const moves = /\u001b\[\d*[ABDEFGJK]|\u0008/;
// eslint-disable-next-line no-control-regex
const pieces = /\u001b\[(\d*)([A-Za-z])|[\r\n\u0008]|[^\u001b\r\n\u0008]+|\u001b(?:\[[\d;?]*[A-Za-z]|[^[])?/g;
/** Columns that a cursor movement reaches at most. */
const widestScreen = 1000;

/** Output of a command as plain text. Removes colors, cursor movements, and control characters without meaning on a
 *  page. Of rewritten lines (a progress bar) and overstruck letters (`man`), only the last version remains. `text` is
 *  the whole output, or a part with any start and end. */
export function plainText(text: string): string {
  const printed = withoutCommandStrings(text);
  const stripped = stripVTControlCharacters(moves.test(printed) ? lastFrame(printed) : printed).replace(/\r+\n/g, '\n');
  const lines = stripped.includes('\r') ? stripped.split('\n').map(lastWritten).join('\n') : stripped;
  return lines.replace(controls, '');
}

/** End of a text within `characters`, never starting inside a character. */
export function endOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const from = text.length - characters;
  return text.slice(isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from);
}

/** Beginning of a text within `characters`, never ending inside a character. */
export function beginningOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text.slice(0, isLowSurrogate(text.charCodeAt(characters)) ? characters - 1 : characters);
}

/** Decodes bytes that may begin or end inside a UTF-8 character. A partial character at either end is dropped;
 *  invalid UTF-8 becomes U+FFFD. */
export function decodePart(bytes: Uint8Array): string {
  let from = 0;
  while (from < bytes.length && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  // With `stream`, the decoder keeps an unfinished character at the end for a next part, which never comes.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from), { stream: true });
}

/** Removes the escape sequences that contain text: titles, links, and clipboard writes. */
function withoutCommandStrings(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.includes('\u001b') ? text.replace(/\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)/g, '') : text;
}

/** Output after its cursor movements, as on a screen without height. */
function lastFrame(text: string): string {
  const lines = [''];
  let [row, column] = [0, 0];
  /** A carriage return: what follows replaces the line. */
  let restarts = false;
  const goTo = (toRow: number, toColumn: number): void => {
    row = Math.min(Math.max(toRow, 0), lines.length - 1);
    column = Math.min(Math.max(toColumn, 0), widestScreen);
    restarts = false;
  };
  for (const [piece, digits = '', kind = ''] of text.matchAll(pieces)) {
    const count = Number(digits) || 1;
    const line = lines[row] ?? '';
    if (piece === '\n') {
      if (row === lines.length - 1) lines.push('');
      goTo(row + 1, 0);
    } else if (piece === '\r') [column, restarts] = [0, true];
    else if (piece === '\b') goTo(row, column - 1);
    else if (kind === 'A') goTo(row - count, column);
    else if (kind === 'B') goTo(row + count, column);
    else if (kind === 'C') goTo(row, column + count);
    else if (kind === 'D') goTo(row, column - count);
    else if (kind === 'E') goTo(row + count, 0);
    else if (kind === 'F') goTo(row - count, 0);
    else if (kind === 'G') goTo(row, count - 1);
    else if (kind === 'J' || kind === 'K') {
      if (digits === '' || digits === '0') lines[row] = line.slice(0, column);
      else if (digits === '1') lines[row] = ' '.repeat(Math.min(column, line.length)) + line.slice(column);
      else if (kind === 'K') lines[row] = '';
      if (kind === 'J' && (digits === '' || digits === '0')) lines.length = row + 1;
    } else if (!piece.startsWith('\u001b')) {
      const rest = restarts ? '' : line.slice(column + piece.length);
      lines[row] = line.slice(0, column).padEnd(column) + piece + rest;
      column += piece.length;
      restarts = false;
    }
  }
  return lines.join('\n');
}

function lastWritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((part) => part !== '') ?? '';
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

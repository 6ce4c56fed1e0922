import { stripVTControlCharacters } from 'node:util';

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Output of a command as plain text: colours and cursor movements are gone, a line that was drawn over again (a progress bar) shows what was
 *  drawn last, and control characters that mean nothing on a page are left out. `text` is whole output or a part that begins and ends anywhere. */
export function plainText(text: string): string {
  const stripped = stripVTControlCharacters(withoutCommandStrings(text)).replace(/\r+\n/g, '\n');
  const lines = stripped.includes('\r') ? stripped.split('\n').map(lastDrawn).join('\n') : stripped;
  return lines.replace(controls, '');
}

/** The end of a text within `characters`, never beginning inside a character. */
export function endOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const from = text.length - characters;
  return text.slice(isLowSurrogate(text.charCodeAt(from)) ? from + 1 : from);
}

/** The beginning of a text within `characters`, never ending inside a character. */
export function beginningOf(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text.slice(0, isLowSurrogate(text.charCodeAt(characters)) ? characters - 1 : characters);
}

/** Bytes that may begin or end inside a character of UTF-8, as text: a piece of a character at either end is left out; what is no UTF-8
 *  becomes U+FFFD. */
export function decodePart(bytes: Uint8Array): string {
  let from = 0;
  while (from < bytes.length && from < 3 && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
  // With `stream`, an unfinished character at the end is kept for a next part, which never comes.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(from), { stream: true });
}

/** Titles, links and clipboard writes: the escape sequences that carry text of their own. */
function withoutCommandStrings(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.includes('\u001b') ? text.replace(/\u001b[\]PX^_][^\u0007\u001b]{0,4096}(?:\u0007|\u001b\\)/g, '') : text;
}

function lastDrawn(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((drawn) => drawn !== '') ?? '';
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

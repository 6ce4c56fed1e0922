import { stripVTControlCharacters } from 'node:util';

// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

/** Output of a command as plain text. Removes colors, cursor movements, and control characters without meaning on a
 *  page. Of a rewritten line (a progress bar), only the last version remains. `text` is the whole output, or a part
 *  with any start and end. */
export function plainText(text: string): string {
  const stripped = stripVTControlCharacters(withoutCommandStrings(text)).replace(/\r+\n/g, '\n');
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

function lastWritten(line: string): string {
  if (!line.includes('\r')) return line;
  return line.split('\r').findLast((part) => part !== '') ?? '';
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}

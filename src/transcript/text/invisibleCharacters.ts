/** Control characters, line ends that shells do not know, spaces that look like the common one, and characters that are
 *  invisible or display text in another order than it runs in. Line feed and tab are included. */
export const invisibleCharacters =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/u;
const invisible = new RegExp(invisibleCharacters, 'gu');
const reordering = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Returns a command or an address for a decision: invisible characters are written out (`\u{202e}`), so that
 *  nothing can hide in it. */
export function showInvisible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(invisible, writtenOut);
}

/** As `showInvisible`, and writes out line ends and tabs too. */
export function showInOneLine(text: string): string {
  return text.replace(invisible, codeOf);
}

/** Text of a file: writes out only misleading characters; joined emoji and wide spaces stay as they are. */
export function showMisleading(text: string): string {
  return text.replace(/\r$/, '').replace(reordering, writtenOut);
}

function writtenOut(sign: string): string {
  return sign === '\n' || sign === '\t' ? sign : codeOf(sign);
}

function codeOf(sign: string): string {
  return `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

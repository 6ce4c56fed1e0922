// What cannot be seen, or draws text in another order than it is run in. Line ends and tabs are as they seem.
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;
const reordering = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** A command or an address as it is decided on: signs that cannot be seen are written out (`\u{202e}`), so that nothing hides in it. */
export function inPlainSight(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(unseen, writtenOut);
}

/** Text of a file: only what would mislead is written out; joined emoji and wide blanks stay what they are. */
export function lineInPlainSight(text: string): string {
  return text.replace(/\r$/, '').replace(reordering, writtenOut);
}

function writtenOut(sign: string): string {
  return sign === '\n' || sign === '\t' ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

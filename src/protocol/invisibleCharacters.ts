// Characters that are invisible, or that display text in another order than it runs in. Line ends and tabs are
// harmless.
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]|[^\P{Zs} ]/gu;
const reordering = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Returns a command or an address for a decision: invisible characters are written out (`\u{202e}`), so that
 *  nothing can hide in it. */
export function showInvisible(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(invisible, writtenOut);
}

/** Text of a file: writes out only misleading characters; joined emoji and wide spaces stay as they are. */
export function showMisleading(text: string): string {
  return text.replace(/\r$/, '').replace(reordering, writtenOut);
}

function writtenOut(sign: string): string {
  return sign === '\n' || sign === '\t' ? sign : `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`;
}

/** Bytes of the longest line that is read: a line can hold a file or several images in Base64. */
export const longestLine = 64 * 2 ** 20;

/** A line of a text file, without its end. */
type Line =
  | { readonly kind: 'text'; readonly number: number; readonly text: string; readonly isRepaired: boolean }
  | { readonly kind: 'tooLong'; readonly number: number; readonly bytes: number };

const newline = 0x0a;

/** Splits bytes into lines. Ends may be LF or CRLF; a byte order mark at the start is dropped; lines without content
 *  are left out but counted. Invalid UTF-8 becomes U+FFFD (`isRepaired`). A line of more than `limit` bytes is
 *  counted but not kept. */
export async function* lines(bytes: AsyncIterable<Uint8Array>, limit = longestLine): AsyncGenerator<Line> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  let number = 1;
  const take = (): Line | null => {
    const line = length > limit ? ({ kind: 'tooLong', number, bytes: length } as const) : textLine(pieces, number);
    pieces = [];
    length = 0;
    number++;
    return line;
  };
  for await (const piece of bytes) {
    let start = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      keep(piece.subarray(start, end));
      const line = take();
      if (line !== null) yield line;
      start = end + 1;
    }
    keep(piece.subarray(start));
  }
  if (length > 0) {
    const line = take();
    if (line !== null) yield line;
  }

  function keep(part: Uint8Array): void {
    length += part.length;
    if (length > limit) pieces = [];
    else if (part.length > 0) pieces.push(part);
  }
}

function textLine(pieces: readonly Uint8Array[], number: number): Line | null {
  const { text, isRepaired } = decode(Buffer.concat(pieces));
  const trimmed = (number === 1 ? text.replace(/^\uFEFF/, '') : text).replace(/\r$/, '');
  return trimmed.trim() === '' ? null : { kind: 'text', number, text: trimmed, isRepaired };
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(bytes: Uint8Array): { readonly text: string; readonly isRepaired: boolean } {
  try {
    return { text: strict.decode(bytes), isRepaired: false };
  } catch {
    return { text: lenient.decode(bytes), isRepaired: true };
  }
}

import { createHash } from 'node:crypto';
import { CannotWrite, FileChanged, NotAText, type FileEdit, type TextFile, type TextFormat } from './fileEditor';

/** Largest file that can be edited or stored for reverting, in bytes. */
export const maxEditableBytes = 10 * 1024 * 1024;

const plainUtf8: TextFormat = { encoding: 'utf8', hasBom: false };

const marks: Readonly<Record<TextFormat['encoding'], readonly number[]>> = {
  utf8: [0xef, 0xbb, 0xbf],
  utf16le: [0xff, 0xfe],
  utf16be: [0xfe, 0xff],
};
const labels: Readonly<Record<TextFormat['encoding'], string>> = {
  utf8: 'utf-8',
  utf16le: 'utf-16le',
  utf16be: 'utf-16be',
};

/** Decodes bytes without loss: `encodeText` returns the same bytes. Throws `NotAText` otherwise, including for
 *  legacy encodings: a wrong guess would garble them when they are written. */
export function decodeTextFile(path: string, bytes: Uint8Array): TextFile {
  if (bytes.length > maxEditableBytes) throw tooLarge(path, bytes.length);
  const format = formatOf(bytes);
  const content = format.hasBom ? bytes.subarray(marks[format.encoding].length) : bytes;
  const text = decoded(path, content, format.encoding);
  if (text.includes('\0'))
    throw new NotAText(`${path} is a binary file (it contains null bytes), so it cannot be edited as text.`);
  return textFile(path, text, format);
}

/** Text with the stamp that identifies its state. */
export function textFile(path: string, text: string, format: TextFormat): TextFile {
  const stamp = createHash('sha256')
    .update(`${format.encoding} ${format.hasBom}\n`)
    .update(text, 'utf16le')
    .digest('hex');
  return { path, text, encoding: format.encoding, hasBom: format.hasBom, stamp };
}

export function tooLarge(path: string, bytes: number): NotAText {
  return new NotAText(
    `${path} has ${bytes} bytes; at most ${maxEditableBytes} can be edited. Change it with a command instead.`,
  );
}

/** Throws `CannotWrite` for a text that the format cannot encode: half of a surrogate pair. */
export function encodeText(path: string, text: string, format: TextFormat): Uint8Array {
  if (!text.isWellFormed())
    throw new CannotWrite(
      path,
      `The new text of ${path} contains half of a surrogate pair (an emoji cut in two), which no file can hold. ` +
        'Write the whole character.',
    );
  const content = format.encoding === 'utf8' ? Buffer.from(text, 'utf8') : Buffer.from(text, 'utf16le');
  const ordered = format.encoding === 'utf16be' ? content.swap16() : content;
  return format.hasBom ? Buffer.concat([Uint8Array.from(marks[format.encoding]), ordered]) : ordered;
}

/** Bytes of a file after an edit; null when the edit deletes it. */
export function bytesAfter(edit: FileEdit): Uint8Array | null {
  return edit.after === null ? null : encodeText(edit.path, edit.after, edit.before ?? edit.format ?? plainUtf8);
}

/** Throws `FileChanged` unless the file matches the state that the edit expects. */
export function assertUnchanged(edit: FileEdit, now: TextFile | null): void {
  if (edit.before === null && now !== null)
    throw new FileChanged(edit.path, `${edit.path} exists by now. Read it first; nothing was changed.`);
  if (edit.before !== null && now === null)
    throw new FileChanged(edit.path, `${edit.path} was deleted meanwhile. Nothing was changed.`);
  if (edit.before !== null && now !== null && edit.before.stamp !== now.stamp) {
    throw new FileChanged(
      edit.path,
      `${edit.path} was changed by someone else meanwhile. Read it again and repeat the edit on what it holds ` +
        'now; nothing was changed.',
    );
  }
}

function formatOf(bytes: Uint8Array): TextFormat {
  for (const encoding of ['utf8', 'utf16le', 'utf16be'] as const) {
    if (marks[encoding].every((byte, index) => bytes[index] === byte)) return { encoding, hasBom: true };
  }
  return plainUtf8;
}

function decoded(path: string, content: Uint8Array, encoding: TextFormat['encoding']): string {
  try {
    return new TextDecoder(labels[encoding], { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    const what =
      content.includes(0) && encoding === 'utf8'
        ? 'a binary file'
        : `not valid ${labels[encoding].toUpperCase()} (it may be in a legacy encoding)`;
    throw new NotAText(`${path} is ${what}, so it cannot be edited as text without damaging it.`);
  }
}

import {
  type Attached,
  imageTypes,
  maxAttachmentCharacters,
  maxImageBytes,
} from '../../../protocol/attachmentProtocol';
import type { DraftPart } from '../../../transcript/draftPart';
import { t } from '../../localization';
import { bytesText } from '../drafts/draftParts';

/** Minimum length, in characters, beyond which a pasted text becomes an attachment. */
export const longText = 10_000;

/** Maximum bytes read of a file to check that it is text that fits: four per character. */
const mostTextBytes = maxAttachmentCharacters * 4;

/** The parts of a drop or a clipboard that the code reads. */
interface IncomingData {
  readonly types: readonly string[];
  readonly files: ArrayLike<File>;
  getData(format: string): string;
}

/** Returns URIs of files and folders dragged from the editor, for the host. Links to web pages are excluded: they
 *  are text. */
export function droppedUris(data: IncomingData): readonly string[] {
  for (const format of ['application/vnd.code.uri-list', 'text/uri-list']) {
    const uris = uriLines(data.getData(format));
    if (uris.length > 0) return uris;
  }
  return [];
}

/** Returns the lines of a `text/uri-list` (RFC 2483); comments begin with "#". */
export function uriLines(list: string): readonly string[] {
  const lines = list.split(/\r\n|\r|\n/).map((line) => line.trim());
  return [
    ...new Set(
      lines.filter(
        (line) => /^[a-z][a-z\d+.-]*:/i.test(line) && !/^(https?|data|blob|javascript|about|mailto):/i.test(line),
      ),
    ),
  ];
}

/** True when the dragged data could be attached. During a drag, only its types are readable. */
export function mayBeAttached(types: readonly string[]): boolean {
  return types.some((type) => type === 'Files' || type === 'application/vnd.code.uri-list' || type === 'text/uri-list');
}

/** Returns the images of a clipboard. When it also holds text (a copied table includes a picture of itself), the
 *  text is pasted instead. */
export function pastedImages(data: IncomingData): readonly File[] {
  if (data.getData('text/plain') !== '') return [];
  return Array.from(data.files).filter(({ type }) => type.startsWith('image/'));
}

/** Returns pasted text that is better attached; null for text that belongs in the composer, also because it is too
 *  long for an attachment. */
export function attachedText(data: IncomingData): string | null {
  const text = data.getData('text/plain');
  return text.length > longText && text.length <= maxAttachmentCharacters ? text : null;
}

/** Reads files the user dropped, pasted or picked: images as they are, everything else as text. */
export async function readFiles(files: readonly File[]): Promise<Attached> {
  const read = await Promise.all(files.map(readFile));
  return {
    parts: read.filter((one) => typeof one !== 'string'),
    problems: read.filter((one) => typeof one === 'string'),
  };
}

async function readFile(file: File): Promise<DraftPart | string> {
  const name = file.name === '' ? t('Pasted image') : file.name;
  const args = { name, size: bytesText(file.size) };
  try {
    return isImage(file) ? await asImage(file, name, args) : await asText(file, name, args);
  } catch {
    // A folder arrives as a file that cannot be read.
    return t('Couldn’t read {name}. To attach a folder, type @ and its name.', args);
  }
}

async function asImage(file: File, name: string, args: Readonly<Record<string, string>>): Promise<DraftPart | string> {
  if (!imageTypes.some((type) => type === file.type))
    return t('{name} wasn’t attached. Images must be PNG, JPEG, GIF, or WebP.', args);
  if (file.size > maxImageBytes)
    return t('{name} wasn’t attached. It is {size}, and images can be at most 5 MB.', args);
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (bytes.length === 0) return t('{name} wasn’t attached because it is empty.', args);
  return { kind: 'image', mediaType: file.type, dataBase64: base64(bytes), name };
}

async function asText(file: File, name: string, args: Readonly<Record<string, string>>): Promise<DraftPart | string> {
  const tooLong = t(
    '{name} wasn’t attached because it is longer than 200,000 characters. Mention it with @ to send its beginning, or paste the part that matters.',
    args,
  );
  if (file.size > mostTextBytes) return tooLong;
  const text = new TextDecoder().decode(await file.arrayBuffer());
  if (text.includes('\0') || text.includes('\uFFFD'))
    return t('{name} wasn’t attached because it isn’t UTF-8 text or an image.', args);
  return text.length > maxAttachmentCharacters
    ? tooLong
    : { kind: 'attachment', label: name, source: `dropped:${name}`, text };
}

/** An SVG image is text. */
function isImage({ type }: File): boolean {
  return type.startsWith('image/') && type !== 'image/svg+xml';
}

/** Encodes in chunks, because a call takes a limited number of arguments. */
function base64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  return btoa(pieces.join(''));
}

import { parsedJson } from '../../../transcript/json';

/** Kind of a response by its content type; decides how it is read. */
type PageKind = 'html' | 'json' | 'text' | 'pdf' | 'binary';

export interface ReadablePage {
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

const textTypes =
  /^(?:text\/|application\/(?:(?:[\w.-]+\+)?(?:json|xml|yaml)|x-ndjson|jsonl|javascript|ecmascript|typescript|x-yaml|toml|x-sh|x-httpd-php|sql|graphql|x-www-form-urlencoded)\b)/;

export function pageKind(contentType: string, bytes: Uint8Array): PageKind {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'application/pdf' || startsWith(bytes, '%PDF-')) return 'pdf';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  if (/^application\/(?:[\w.-]+\+)?json$|^text\/json$/.test(type)) return 'json';
  if (textTypes.test(type)) return 'text';
  // Servers that do not know the type send octet-stream, or nothing.
  if (type !== '' && type !== 'application/octet-stream' && type !== 'binary/octet-stream') return 'binary';
  if (isWide(bytes)) return 'text';
  if (bytes.subarray(0, 8192).includes(0)) return 'binary';
  return /^\s*(?:<!doctype html|<html)/i.test(decode(bytes.subarray(0, 512), 'utf-8')) ? 'html' : 'text';
}

/** Text of a response. Takes the charset from its byte order mark, the server, or the page, else UTF-8. If the
 *  server says UTF-8 but the bytes are not valid UTF-8, the page's own charset is used. */
export function pageText(contentType: string, bytes: Uint8Array): string {
  const marked = markOf(bytes);
  if (marked !== null) return decode(bytes, marked);
  const declared = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1] ?? null;
  const inside = declaredInside(bytes);
  const label = [declared, inside].find((candidate) => candidate !== null && isKnown(candidate)) ?? 'utf-8';
  if (!isUtf8(label)) return decode(bytes, label);
  const strict = strictUtf8(bytes);
  if (strict !== null) return strict;
  return decode(bytes, inside !== null && isKnown(inside) && !isUtf8(inside) ? inside : 'utf-8');
}

/** Indents JSON; text that does not parse stays unchanged. */
export function prettyJson(text: string): string {
  const read = parsedJson(text);
  // Not JSON after all, or incomplete.
  return read === undefined ? text : JSON.stringify(read, null, 2);
}

/** Words of a page without markup, for pages that cannot be parsed. */
export function bareText(html: string): string {
  return html
    .replace(/<(script|style|noscript|template)\b[^]*?(?:<\/\1\s*>|$)/gi, ' ')
    .replace(/<[^>]*>?/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function declaredInside(bytes: Uint8Array): string | null {
  const head = decode(bytes.subarray(0, 2048), 'latin1');
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1] ??
    null
  );
}

function markOf(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8';
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : null;
}

function isWide(bytes: Uint8Array): boolean {
  return markOf(bytes)?.startsWith('utf-16') ?? false;
}

function strictUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8, or cut off inside a character.
    return null;
  }
}

function isKnown(label: string): boolean {
  try {
    new TextDecoder(label);
    return true;
  } catch {
    // An unknown charset.
    return false;
  }
}

function isUtf8(label: string): boolean {
  return new TextDecoder(label).encoding === 'utf-8';
}

function decode(bytes: Uint8Array, label: string): string {
  return new TextDecoder(label).decode(bytes);
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return [...text].every((character, index) => bytes[index] === character.charCodeAt(0));
}

import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import { longestLine } from './lines';

/** Reads files of other programs. Has no way to write. */
export interface HistoryFiles {
  /** Entries of a folder, sorted by name; empty when there is no such folder. */
  list(folder: string): Promise<readonly FolderEntry[]>;
  /** Null when nothing is there. */
  stat(path: string): Promise<FileFacts | null>;
  /** Bytes of a file from `start` (default: 0) to its end, or to `end` (exclusive), in pieces. */
  read(path: string, range?: ByteRange): AsyncIterable<Uint8Array>;
}

export interface ByteRange {
  readonly start?: number;
  readonly end?: number;
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: 'file' | 'folder';
}

export interface FileFacts {
  readonly kind: 'file' | 'folder';
  readonly size: number;
  /** Seconds since the epoch. */
  readonly modifiedAt: number;
}

/** Paths of the files below a folder that fit a pattern, in order of their names, at most `depth` folders deep. Links
 *  are not followed. */
export async function* filesBelow(
  files: HistoryFiles,
  folder: string,
  depth: number,
  pattern: RegExp,
): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(folder)) {
    const path = `${folder}/${name}`;
    if (kind === 'folder') {
      if (depth > 0) yield* filesBelow(files, path, depth - 1, pattern);
    } else if (pattern.test(path)) yield path;
  }
}

/** Names of files that are looked at in a chosen folder. A file that is named itself may have any name. */
export const mayHoldSessions = /\.(?:json|jsonl|ndjson|zst|db|sqlite3?)$/i;

/** The first bytes of a file, at most `count`. Empty for a file that cannot be read, and for a pipe or device. */
export async function beginning(files: Pick<HistoryFiles, 'read'>, path: string, count: number): Promise<Buffer> {
  return bytesOf(files, path, { end: count }).catch(() => Buffer.alloc(0));
}

/** As `beginning`, as text. Rejects for a file that cannot be read. */
export async function firstText(files: HistoryFiles, path: string, count: number): Promise<string> {
  return String(await bytesOf(files, path, { end: count })).replace(/^\uFEFF/, '');
}

async function bytesOf(files: Pick<HistoryFiles, 'read'>, path: string, range?: ByteRange): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The JSON object that a whole file is. Null when it is none, is not there, or has more than `most` bytes. */
export async function jsonFile(
  files: HistoryFiles,
  path: string,
  most: number = longestLine,
): Promise<JsonObject | null> {
  const size = (await files.stat(path))?.size ?? 0;
  if (size === 0 || size > most) return null;
  return objectIn(await bytesOf(files, path));
}

/** Fields before the list under `key`, in the beginning of a file that is an object. */
export async function fieldsBefore(files: HistoryFiles, path: string, key: string): Promise<JsonObject | null> {
  const head = await beginning(files, path, 64 * 1024);
  const end = head.indexOf(`"${key}"`);
  return end === -1 ? null : objectIn(`${head.toString('utf8', 0, end).trimEnd().replace(/,$/, '')}}`);
}

function objectIn(text: Buffer | string): JsonObject | null {
  const parsed = parseJsonObject(String(text).replace(/^\uFEFF/, ''));
  return parsed.kind === 'object' ? parsed.value : null;
}

import { join } from 'node:path';
import * as v from 'valibot';
import { readWhole, replaceFile, type FileSystem } from '../../../store/engine/fileSystem';
import { stampOf } from '../../../store/open/storeFiles';
import { chunkBytes, type ChunkPool } from './chunkPool';

const storedFile = v.object({
  bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Hashes of the pieces, in order. */
  chunks: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const manifest = v.object({
  version: v.literal(1),
  /** Seconds since 1970. */
  madeAt: v.number(),
  reason: v.picklist(['scheduled', 'request', 'migration', 'restore']),
  schemaVersion: count,
  sessions: count,
  messages: count,
  /** Bytes that this backup added to the pool. */
  addedBytes: count,
  /** State of the store's files when the reading began: as long as it is the same, nothing has changed. */
  source: v.string(),
  /** The database file, with the commits of its log. */
  main: storedFile,
  /** The list of sessions: `SessionEntry[]` as JSON. */
  contents: storedFile,
});

const sessionEntries = v.array(
  v.object({
    id: v.string(),
    conversationId: v.string(),
    title: v.nullable(v.string()),
    lastActivityAt: v.number(),
    messages: count,
    isSubAgent: v.boolean(),
  }),
);

export type StoredFile = v.InferOutput<typeof storedFile>;
type BackupManifest = v.InferOutput<typeof manifest>;
export type BackupReason = BackupManifest['reason'];
export type SessionEntry = v.InferOutput<typeof sessionEntries>[number];

/** A complete backup: its manifest is written last, after it was opened and checked. */
export interface Backup {
  /** Sorts by time. */
  readonly id: string;
  readonly manifest: BackupManifest;
}

/** A backup in a list. */
export interface BackupSummary {
  readonly id: string;
  /** Seconds since 1970. */
  readonly madeAt: number;
  readonly reason: BackupReason;
  readonly sessions: number;
  readonly messages: number;
  /** Bytes of the database when it is restored. */
  readonly bytes: number;
  /** Bytes that this backup added when it was made. */
  readonly addedBytes: number;
}

export function summaryOf({
  id,
  manifest: { madeAt, reason, sessions, messages, main, addedBytes },
}: Backup): BackupSummary {
  return { id, madeAt, reason, sessions, messages, bytes: main.bytes, addedBytes };
}

const manifestName = /^backup-(\d{8}T\d{9}Z)\.json$/;

/** Backups in the folder, oldest first. A manifest that cannot be read is in `damaged`, by its file name. */
export function readManifests(
  fileSystem: FileSystem,
  folder: string,
): { readonly backups: readonly Backup[]; readonly damaged: readonly string[] } {
  if (fileSystem.stat(folder) === undefined) return { backups: [], damaged: [] };
  const backups: Backup[] = [];
  const damaged: string[] = [];
  for (const name of [...fileSystem.list(folder)].sort()) {
    const id = manifestName.exec(name)?.[1];
    if (id === undefined) continue;
    const parsed = v.safeParse(manifest, jsonOf(readWhole(fileSystem, join(folder, name))));
    if (parsed.success) backups.push({ id, manifest: parsed.output });
    else damaged.push(name);
  }
  return { backups, damaged };
}

/** Writes the manifest durably under its name, at once or not at all. Replaces an earlier one of this name. */
export function writeManifest(fileSystem: FileSystem, folder: string, { id, manifest: written }: Backup): void {
  replaceFile(fileSystem, pathOf(folder, id), new TextEncoder().encode(JSON.stringify(written)));
}

export function removeManifest(fileSystem: FileSystem, folder: string, id: string): void {
  fileSystem.remove(pathOf(folder, id));
}

/** A name that no backup of the folder has. `now` in seconds. */
export function freeId(fileSystem: FileSystem, folder: string, now: number): string {
  for (let at = now; ; at += 0.001) {
    const id = stampOf(at);
    if (fileSystem.stat(pathOf(folder, id)) === undefined) return id;
  }
}

/** Cuts a small file into chunks of the pool. */
export function storedFileOf(pool: ChunkPool, content: Uint8Array): StoredFile {
  const chunks: string[] = [];
  for (let at = 0; at < content.length; at += chunkBytes) chunks.push(pool.add(content.subarray(at, at + chunkBytes)));
  return { bytes: content.length, chunks };
}

/** Throws `DamagedChunk`. */
export function readContents(pool: ChunkPool, { contents }: BackupManifest): readonly SessionEntry[] {
  const bytes = Buffer.concat(contents.chunks.map((hash) => pool.read(hash)));
  return v.parse(sessionEntries, jsonOf(bytes));
}

/** All chunks that backups need. */
export function chunksOf(backups: readonly Backup[]): ReadonlySet<string> {
  return new Set(backups.flatMap(({ manifest: { main, contents } }) => [...main.chunks, ...contents.chunks]));
}

function pathOf(folder: string, id: string): string {
  return join(folder, `backup-${id}.json`);
}

/** Undefined for text that is not JSON. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

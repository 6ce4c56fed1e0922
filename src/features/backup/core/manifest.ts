import * as v from 'valibot';

const storedFile = v.object({
  bytes: v.pipe(v.number(), v.integer(), v.minValue(0)),
  /** Hashes of the pieces, in order. */
  chunks: v.array(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))),
});

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const manifest = v.object({
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

export const sessionEntries = v.array(
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

/** All chunks that backups need. */
export function chunksOf(backups: readonly Backup[]): ReadonlySet<string> {
  return new Set(backups.flatMap(({ manifest: { main, contents } }) => [...main.chunks, ...contents.chunks]));
}

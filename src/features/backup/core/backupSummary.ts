import type { Backup, BackupReason } from './manifest';

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

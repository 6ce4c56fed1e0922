import { basename, dirname } from 'node:path';
import { t } from '../../../../../base/translate';
import { countOf, nameOf, objectOf } from '../reading/fields';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { jsonLines, type SourceRecord, type WholeRecord } from '../reading/records';
import { isZstd, ZstdFiles } from '../reading/zstdFiles';
import { envelopeOf } from './codexItem';

/** The time in the name has the form 2026-11-28T01-00-00. */
const rollout = /rollout-(?:\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-)?([^/\\]*?)\.jsonl(?:\.zst)?$/;
const headBytes = 256 * 1024;

/** A record of a rollout. `number`: its place in the whole conversation, counted from 1. */
export type RolloutRecord = SourceRecord & { readonly number: number };

interface HistoryBase {
  readonly threadId: string;
  /** Bytes of the other rollout that belong to this session. Null: all. */
  readonly bytes: number | null;
}

/** Records of a rollout. One that continues another (`history_base`: a fork, or a further file of the same thread)
 *  holds only its own lines, so the lines before are read from the other rollout, after the first line of this one. */
export async function* rolloutRecords(files: HistoryFiles, path: string): AsyncGenerator<RolloutRecord> {
  let number = 0;
  for await (const record of withBase(files, path, new Set())) yield { ...record, number: ++number };
}

async function* withBase(
  files: HistoryFiles,
  path: string,
  seen: Set<string>,
  bytes: number | null = null,
): AsyncGenerator<SourceRecord> {
  seen.add(path);
  let isFirst = true;
  const unpacked = (await isZstd(files, path)) ? new ZstdFiles(files) : null;
  for await (const record of jsonLines(unpacked ?? files, path, bytes === null ? {} : { end: bytes })) {
    yield record;
    const base = isFirst && record.kind === 'record' ? baseOf(record) : null;
    isFirst = false;
    if (base !== null) yield* baseRecords(files, path, base, record.place, seen);
  }
  const reason = unpacked?.damage ?? null;
  if (reason !== null) yield { kind: 'damaged', place: { path, unit: 'file', number: 1 }, reason };
}

async function* baseRecords(
  files: HistoryFiles,
  path: string,
  { threadId, bytes }: HistoryBase,
  place: SourceRecord['place'],
  seen: Set<string>,
): AsyncGenerator<SourceRecord> {
  const found = await rolloutOf(files, path, threadId, seen);
  if (found === null) {
    const reason = t('The session continues {id}, whose file is not here. What was before is missing.', {
      id: threadId,
    });
    return yield { kind: 'damaged', place, reason };
  }
  for await (const record of withBase(files, found, seen, bytes)) {
    yield record.kind === 'record' ? { ...record, name: `${threadId} ${record.name}` } : record;
  }
}

function baseOf({ value }: WholeRecord): HistoryBase | null {
  const { type, payload } = envelopeOf(value);
  const base = type === 'session_meta' ? objectOf(payload, 'history_base') : null;
  const threadId = nameOf(base, 'thread_id');
  return threadId === null ? null : { threadId, bytes: countOf(base, 'end_byte_offset') };
}

/** True when a later rollout of the same thread continues this one, and so is the whole session. */
export async function isContinued(files: HistoryFiles, path: string, thread: readonly string[]): Promise<boolean> {
  for (const later of thread) {
    if (basename(later) <= basename(path)) continue;
    for await (const record of jsonLines(files, later, { end: headBytes })) {
      if (record.kind === 'record' && baseOf(record)?.threadId === threadIn(path)) return true;
      break;
    }
  }
  return false;
}

/** The newest rollout of a thread that was not read yet: beside this one, or elsewhere among the sessions. */
async function rolloutOf(
  files: HistoryFiles,
  path: string,
  threadId: string,
  seen: ReadonlySet<string>,
): Promise<string | null> {
  const thread = (await threadsAround(files, path)).get(threadId) ?? [];
  return thread.filter((one) => !seen.has(one)).reduce<string | null>(newer, null);
}

function newer(one: string | null, other: string): string {
  return one !== null && basename(one) > basename(other) ? one : other;
}

/** Rollouts of the same folder of Codex by their threads; those beside a file that is elsewhere. */
export async function threadsAround(
  files: HistoryFiles,
  path: string,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const root = /^(.*)\/(?:archived_)?sessions\//.exec(path)?.[1];
  const folders = root === undefined ? [dirname(path)] : [`${root}/sessions`, `${root}/archived_sessions`];
  const threads = new Map<string, string[]>();
  for (const folder of folders) {
    for await (const one of filesBelow(files, folder, root === undefined ? 0 : 4, rollout))
      threads.set(threadIn(one), [...(threads.get(threadIn(one)) ?? []), one]);
  }
  return threads;
}

/** Id of a thread, with which the names of its rollouts end: `rollout-<time>-<id>.jsonl`. */
export function threadIn(path: string): string {
  return rollout.exec(path)?.[1] ?? '';
}

import { t } from '../../../../../base/translate';
import { basename } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { Found } from '../historySource';
import { isoTimeOf, nameOf, textOf } from '../reading/fields';
import { headAndTail } from '../reading/headAndTail';
import type { HistoryFiles } from '../reading/historyFiles';
import { jsonLines } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { isZstd, ZstdFiles } from '../reading/zstdFiles';
import { contentOf, envelopeOf, isContext, type Envelope } from './codexItem';
import { codexMeta, folderInContext, turnContext } from './codexMeta';

/** Facts in the beginning and the end of a rollout. */
export async function codexGlance(files: HistoryFiles, path: string): Promise<Found> {
  const place = { path, unit: 'file', number: 1 } as const;
  const { records, isWhole, damage } = await glancedRecords(files, path);
  if (records.length === 0 && damage !== null) {
    return { kind: 'skipped', skipped: { place, kind: 'damaged', reason: damage } };
  }
  const envelopes = records.map(envelopeOf);
  const items = envelopes.flatMap(({ type, payload }) =>
    type === 'response_item' && payload !== null ? [payload] : [],
  );
  const messages = items.filter((item) => textOf(item, 'type') === 'message');
  if (messages.length === 0 && isWhole) {
    return { kind: 'skipped', skipped: { place, kind: 'bookkeeping', reason: t('The file holds no message.') } };
  }
  const meta = codexMeta(envelopes.find(({ type }) => type === 'session_meta')?.payload ?? null);
  const times = new TimeSpan();
  times.add(meta.startedAt);
  for (const record of records) times.add(isoTimeOf(record, 'timestamp'));
  const contexts = envelopes.filter(({ type }) => type === 'turn_context').map(({ payload }) => turnContext(payload));
  const [startedAt, endedAt] = [times.startedAt, times.endedAt];
  return {
    kind: 'session',
    session: {
      source: 'codex',
      id: meta.id ?? basename(path).replace(/\.jsonl(\.zst)?$/, ''),
      location: { path, key: null },
      lineage: meta.lineage,
      title: titleOf(envelopes) ?? firstPrompt(messages),
      folder: contexts.at(-1)?.folder ?? meta.folder ?? folderTold(messages),
      model: contexts.at(-1)?.model ?? null,
      startedAt,
      endedAt,
      usage: null,
      writtenBy: meta.writtenBy,
      messageCount: null,
    },
  };
}

/** Bytes of a compressed rollout that are looked at: its end cannot be read without the rest. */
const packedHead = 256 * 1024;

async function glancedRecords(
  files: HistoryFiles,
  path: string,
): Promise<{ readonly records: readonly JsonObject[]; readonly isWhole: boolean; readonly damage: string | null }> {
  if (!path.endsWith('.zst') && !(await isZstd(files, path)))
    return { ...(await headAndTail(files, path)), damage: null };
  const unpacked = new ZstdFiles(files);
  const records: JsonObject[] = [];
  let bytes = 0;
  const head = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of unpacked.read(path, { end: packedHead })) {
      bytes += piece.length;
      yield piece;
    }
  };
  for await (const record of jsonLines({ read: head }, path)) if (record.kind === 'record') records.push(record.value);
  return { records, isWhole: bytes < packedHead && unpacked.damage === null, damage: unpacked.damage };
}

function titleOf(envelopes: readonly Envelope[]): string | null {
  const names = envelopes.flatMap(({ payload }) => nameOf(payload, 'thread_name') ?? []);
  return names.at(-1) ?? null;
}

function textsOf(message: JsonObject): string {
  const { parts } = contentOf(message);
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

function firstPrompt(messages: readonly JsonObject[]): string | null {
  for (const message of messages) {
    if (textOf(message, 'role') !== 'user') continue;
    if (isContext(message, contentOf(message).parts)) continue;
    const title = shortTitle(textsOf(message));
    if (title !== null) return title;
  }
  return null;
}

function folderTold(messages: readonly JsonObject[]): string | null {
  for (const message of messages) {
    const folder = folderInContext(textsOf(message));
    if (folder !== null) return folder;
  }
  return null;
}

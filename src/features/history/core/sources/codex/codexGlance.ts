import { basename } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { Found } from '../historySource';
import { textIn } from '../reading/content';
import { first, isoTimeOf, nameOf, textOf } from '../reading/fields';
import { emptyFile, foundSession, shortTitle, skippedFile, timeSpan } from '../reading/foundSessions';
import type { HistoryFiles } from '../reading/historyFiles';
import { headAndTail, jsonLines } from '../reading/records';
import { isZstd, ZstdFiles } from '../reading/zstdFiles';
import { codexMeta, contentOf, envelopeOf, folderInContext, isContext, turnContext } from './codexItem';

/** Facts in the beginning and the end of a rollout. */
export async function codexGlance(files: HistoryFiles, path: string): Promise<Found> {
  const { records, isWhole, damage } = await glancedRecords(files, path);
  if (records.length === 0 && damage !== null) return skippedFile(path, 'damaged', damage);
  const envelopes = records.map(envelopeOf);
  const items = envelopes.flatMap(({ type, payload }) =>
    type === 'response_item' && payload !== null ? [payload] : [],
  );
  const messages = items.filter((item) => textOf(item, 'type') === 'message');
  if (messages.length === 0 && isWhole) return emptyFile(path);
  const header = envelopes.find(({ type }) => type === 'session_meta')?.payload ?? null;
  const meta = codexMeta(header);
  const context = turnContext(envelopes.findLast(({ type }) => type === 'turn_context')?.payload ?? null);
  const names = envelopes.flatMap(({ payload }) => nameOf(payload, 'thread_name') ?? []);
  return foundSession('codex', path, {
    ...meta,
    id: nameOf(header, 'id') ?? basename(path).replace(/\.jsonl(\.zst)?$/, ''),
    title: names.at(-1) ?? first(messages, promptIn),
    folder: context.folder ?? meta.folder ?? first(messages, (message) => folderInContext(textsOf(message))),
    model: context.model,
    ...timeSpan([meta.startedAt, ...records.map((record) => isoTimeOf(record, 'timestamp'))]),
  });
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

function textsOf(message: JsonObject): string {
  return textIn(contentOf(message).parts);
}

function promptIn(message: JsonObject): string | null {
  const isPrompt = textOf(message, 'role') === 'user' && !isContext(message, contentOf(message).parts);
  return isPrompt ? shortTitle(textsOf(message)) : null;
}

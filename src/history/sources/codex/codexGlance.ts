import { t } from '../../../base/translate';
import { basename } from 'node:path';
import type { JsonObject } from '../../../transcript/json';
import type { Found } from '../historySource';
import { isoTimeOf, nameOf, own, textOf } from '../reading/fields';
import { headAndTail } from '../reading/headAndTail';
import type { HistoryFiles } from '../reading/historyFiles';
import { openaiContent } from '../reading/openaiContent';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { isContext } from './codexItem';
import { codexMeta, folderInContext, turnContext } from './codexMeta';
import { envelopeOf, type Envelope } from './codexTurns';

/** Facts in the beginning and the end of a rollout. */
export async function codexGlance(files: HistoryFiles, path: string): Promise<Found> {
  const place = { path, unit: 'file', number: 1 } as const;
  if (path.endsWith('.zst')) {
    const reason = t('The file is compressed (zstd). Codex decompresses it when the session is resumed there.');
    return { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
  }
  const { records, isWhole } = await headAndTail(files, path);
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
      id: meta.id ?? basename(path, '.jsonl'),
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

function titleOf(envelopes: readonly Envelope[]): string | null {
  const names = envelopes.flatMap(({ payload }) => nameOf(payload, 'thread_name') ?? []);
  return names.at(-1) ?? null;
}

function textsOf(message: JsonObject): string {
  const { parts } = openaiContent(own(message, 'content'));
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

function firstPrompt(messages: readonly JsonObject[]): string | null {
  for (const message of messages) {
    if (textOf(message, 'role') !== 'user') continue;
    if (isContext(message, openaiContent(own(message, 'content')).parts)) continue;
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

import { t } from '../../../../../base/translate';
import { basename, dirname } from 'node:path';
import type { ForeignLineage, ForeignPlace, SessionFacts } from '../foreign';
import type { Found } from '../historySource';
import { isoTimeOf, isSet, nameOf, objectOf, own, textOf } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';
import { headAndTail } from '../reading/headAndTail';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { anthropicContent } from '../reading/anthropicBlocks';
import type { JsonObject } from '../../../../../transcript/json';
import { isOwnFile } from './claudeTree';

/** Facts in the beginning and the end of a session file. */
export async function claudeGlance(files: HistoryFiles, path: string): Promise<Found> {
  const place: ForeignPlace = { path, unit: 'file', number: 1 };
  const { records, isWhole } = await headAndTail(files, path);
  const messages = records.filter((value) => isMessage(value));
  if (messages.length === 0 && isWhole) {
    return { kind: 'skipped', skipped: { place, kind: 'bookkeeping', reason: t('The file holds no message.') } };
  }
  const apiMessages = new Set(messages.map((value, index) => nameOf(objectOf(value, 'message'), 'id') ?? index));
  return {
    kind: 'session',
    session: {
      source: 'claudeCode',
      id: basename(path, '.jsonl'),
      location: { path, key: null },
      messageCount: isWhole ? apiMessages.size : null,
      ...factsOf(records, path),
    },
  };
}

function isMessage(value: JsonObject): boolean {
  const type = textOf(value, 'type');
  return type === 'user' || type === 'assistant';
}

function factsOf(records: readonly JsonObject[], path: string): SessionFacts {
  const times = new TimeSpan();
  for (const record of records) times.add(isoTimeOf(record, 'timestamp'));
  const last = <T>(read: (value: JsonObject) => T | null): T | null =>
    records.reduceRight<T | null>((found, value) => found ?? read(value), null);
  const first = <T>(read: (value: JsonObject) => T | null): T | null =>
    records.reduce<T | null>((found, value) => found ?? read(value), null);
  return {
    lineage: lineageOf(records, path),
    title:
      last((value) => nameOf(value, 'customTitle')) ??
      last((value) => nameOf(value, 'aiTitle')) ??
      last((value) => (textOf(value, 'type') === 'summary' ? nameOf(value, 'summary') : null)) ??
      first(promptOf),
    folder: first((value) => nameOf(value, 'cwd')),
    model: last(modelOf),
    startedAt: times.startedAt,
    endedAt: times.endedAt,
    usage: null,
    writtenBy: last((value) => nameOf(value, 'version')),
  };
}

function modelOf(value: JsonObject): string | null {
  const model = nameOf(objectOf(value, 'message'), 'model');
  return model === '<synthetic>' ? null : model;
}

function promptOf(value: JsonObject): string | null {
  if (textOf(value, 'type') !== 'user' || isSet(value, 'isMeta')) return null;
  const { parts } = anthropicContent(own(objectOf(value, 'message'), 'content'), () => null);
  return shortTitle(parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n'));
}

/** `forkedFrom` is on each record that a fork copied; a sub-agent's records name the session that started it. */
function lineageOf(records: readonly JsonObject[], path: string): ForeignLineage | null {
  for (const value of records) {
    const parentId = nameOf(objectOf(value, 'forkedFrom'), 'sessionId');
    if (parentId !== null) return { kind: 'branch', parentId };
  }
  if (!isOwnFile(path)) return null;
  for (const value of records) {
    const parentId = nameOf(value, 'sessionId');
    if (parentId !== null) return { kind: 'delegate', parentId };
  }
  return { kind: 'delegate', parentId: basename(dirname(dirname(path))) };
}

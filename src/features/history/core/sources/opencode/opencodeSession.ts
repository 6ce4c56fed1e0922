import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignLocation, ForeignSession } from '../foreign';
import { asEpochTime, countOf, epochTimeOf, nameOf, numberOf, objectOf } from '../reading/fields';
import { rowCount, rowName, rowNumber, rowText, type ForeignRow } from '../reading/foreignDatabase';

/** Reads a row of `session`. Null for a row without an id. */
export function sessionOfRow(row: ForeignRow, path: string): ForeignSession | null {
  const id = rowName(row, 'id');
  if (id === null) return null;
  const parentId = rowName(row, 'parent_id');
  const model = parseJsonObject(rowText(row, 'model') ?? '');
  return {
    source: 'opencode',
    id,
    location: { path, key: id },
    lineage: parentId === null ? null : { kind: 'delegate', parentId },
    title: rowName(row, 'title'),
    folder: rowName(row, 'directory'),
    model: model.kind === 'object' ? nameOf(model.value, 'id') : null,
    startedAt: asEpochTime(rowNumber(row, 'time_created')),
    endedAt: asEpochTime(rowNumber(row, 'time_updated')),
    usage: usageOfRow(row),
    writtenBy: rowName(row, 'version'),
    messageCount: null,
  };
}

/** Reads a file of `session/<project>/`. */
export function sessionOfFile(value: JsonObject, id: string, location: ForeignLocation): ForeignSession {
  const parentId = nameOf(value, 'parentID');
  const time = objectOf(value, 'time');
  return {
    source: 'opencode',
    id,
    location,
    lineage: parentId === null ? null : { kind: 'delegate', parentId },
    title: nameOf(value, 'title'),
    folder: nameOf(value, 'directory'),
    model: null,
    startedAt: epochTimeOf(time, 'created'),
    endedAt: epochTimeOf(time, 'updated'),
    usage: null,
    writtenBy: nameOf(value, 'version'),
    messageCount: null,
  };
}

function usageOfRow(row: ForeignRow): Usage | null {
  const [input, output] = [rowCount(row, 'tokens_input'), rowCount(row, 'tokens_output')];
  // The columns default to 0, also for sessions that were never counted.
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null;
  const [cached, written] = [rowCount(row, 'tokens_cache_read'), rowCount(row, 'tokens_cache_write')];
  return {
    inputTokens: input === null ? null : input + (cached ?? 0) + (written ?? 0),
    outputTokens: output,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: rowCount(row, 'tokens_reasoning'),
    ...costOf(rowNumber(row, 'cost')),
  };
}

/** Usage of one message. `input` excludes cached tokens. */
export function usageOfMessage(value: JsonObject): Usage | null {
  const tokens = objectOf(value, 'tokens');
  const [input, output] = [countOf(tokens, 'input'), countOf(tokens, 'output')];
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null;
  const cache = objectOf(tokens, 'cache');
  const [cached, written] = [countOf(cache, 'read'), countOf(cache, 'write')];
  return {
    inputTokens: input === null ? null : input + (cached ?? 0) + (written ?? 0),
    outputTokens: output,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: countOf(tokens, 'reasoning'),
    ...costOf(numberOf(value, 'cost')),
  };
}

function costOf(cost: number | null): { readonly costUsd?: number } {
  return cost === null || cost < 0 ? {} : { costUsd: cost };
}

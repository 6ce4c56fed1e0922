import { parseJsonObject } from '../../../../../transcript/json';
import type { JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignLineage, ForeignSession } from '../foreign';
import { asEpochTime, nameOf } from '../reading/fields';
import { rowCount, rowName, rowNumber, rowText, type ForeignRow } from '../reading/foreignDatabase';

/** Reads a row of `sessions`, joined with `parent_end_reason`. Null for a row without an id. */
export function hermesSession(row: ForeignRow, path: string, schema: number): ForeignSession | null {
  const id = rowName(row, 'id');
  if (id === null) return null;
  const startedAt = asEpochTime(rowNumber(row, 'started_at'));
  return {
    source: 'hermes',
    id,
    location: { path, key: id },
    lineage: lineageOf(row),
    title: rowName(row, 'title'),
    folder: rowName(row, 'cwd'),
    model: rowName(row, 'model'),
    startedAt,
    endedAt: asEpochTime(rowNumber(row, 'ended_at')) ?? asEpochTime(rowNumber(row, 'last_activity_at')),
    usage: usageOf(row),
    writtenBy: `schema ${schema}`,
    messageCount: rowCount(row, 'message_count'),
  };
}

/** A continuation inherits its parent's markers and source, so a marker counts only when it names the parent itself,
 *  and the source only without a marker. A child without a marker continues a parent that ended by compression. */
function lineageOf(row: ForeignRow): ForeignLineage | null {
  const parentId = rowName(row, 'parent_session_id');
  if (parentId === null) return null;
  const config = configOf(row);
  if (nameOf(config, '_reset_from') === parentId) return null;
  if (nameOf(config, '_branched_from') === parentId) return { kind: 'branch', parentId };
  const caller = nameOf(config, '_delegate_from') ?? (rowText(row, 'source') === 'subagent' ? parentId : null);
  if (caller === parentId) return { kind: 'delegate', parentId };
  switch (rowText(row, 'parent_end_reason')) {
    case 'compression':
      return { kind: 'compression', parentId };
    case 'branched':
      return { kind: 'branch', parentId };
    default:
      return null;
  }
}

function configOf(row: ForeignRow): JsonObject | null {
  const read = parseJsonObject(rowText(row, 'model_config') ?? '');
  return read.kind === 'object' ? read.value : null;
}

/** Hermes' input tokens exclude those of the cache; the total includes them. */
function usageOf(row: ForeignRow): Usage | null {
  const [input, outputTokens] = [rowCount(row, 'input_tokens'), rowCount(row, 'output_tokens')];
  const [cached, written] = [rowCount(row, 'cache_read_tokens'), rowCount(row, 'cache_write_tokens')];
  const inputTokens = input === null ? null : input + (cached ?? 0) + (written ?? 0);
  // The columns default to 0, also for sessions that were never counted.
  if ((inputTokens ?? 0) === 0 && (outputTokens ?? 0) === 0) return null;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: rowCount(row, 'reasoning_tokens'),
    ...costOf(row),
  };
}

function costOf(row: ForeignRow): { readonly costUsd?: number } {
  const cost = rowNumber(row, 'actual_cost_usd') ?? rowNumber(row, 'estimated_cost_usd');
  return cost === null || cost < 0 ? {} : { costUsd: cost };
}

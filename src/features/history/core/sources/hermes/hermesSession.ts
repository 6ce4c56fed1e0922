import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignLineage, ForeignSession } from '../foreign';
import { countOf, epochTimeOf, nameOf, numberOf, textOf, unlessZero, usageOf } from '../reading/fields';
import { foundSession } from '../reading/foundSessions';
import type { ForeignRow } from '../reading/foreignDatabase';

/** Input tokens exclude those of the cache; the total includes them. */
const tokenCounts = {
  input: 'input_tokens',
  output: 'output_tokens',
  cached: 'cache_read_tokens',
  written: 'cache_write_tokens',
  reasoning: 'reasoning_tokens',
  addsCache: true,
} as const;

/** Reads a row of `sessions`, joined with `parent_end_reason`. Null for a row without an id. */
export function hermesSession(row: ForeignRow, path: string, schema: number): ForeignSession | null {
  const id = nameOf(row, 'id');
  if (id === null) return null;
  const cost = numberOf(row, 'actual_cost_usd') ?? numberOf(row, 'estimated_cost_usd');
  return foundSession('hermes', path, {
    id,
    key: id,
    lineage: lineageOf(row),
    title: nameOf(row, 'title'),
    folder: nameOf(row, 'cwd'),
    model: nameOf(row, 'model'),
    startedAt: epochTimeOf(row, 'started_at'),
    endedAt: epochTimeOf(row, 'ended_at') ?? epochTimeOf(row, 'last_activity_at'),
    usage: unlessZero(usageOf(row, tokenCounts, cost)),
    writtenBy: `schema ${schema}`,
    messageCount: countOf(row, 'message_count'),
  }).session;
}

/** A continuation inherits its parent's markers and source, so a marker counts only when it names the parent itself,
 *  and the source only without a marker. A child without a marker continues a parent that ended by compression. */
function lineageOf(row: ForeignRow): ForeignLineage | null {
  const parentId = nameOf(row, 'parent_session_id');
  if (parentId === null) return null;
  const config = configOf(row);
  if (nameOf(config, '_reset_from') === parentId) return null;
  if (nameOf(config, '_branched_from') === parentId) return { kind: 'branch', parentId };
  const caller = nameOf(config, '_delegate_from') ?? (textOf(row, 'source') === 'subagent' ? parentId : null);
  if (caller === parentId) return { kind: 'delegate', parentId };
  switch (textOf(row, 'parent_end_reason')) {
    case 'compression':
      return { kind: 'compression', parentId };
    case 'branched':
      return { kind: 'branch', parentId };
    default:
      return null;
  }
}

function configOf(row: ForeignRow): JsonObject | null {
  const read = parseJsonObject(textOf(row, 'model_config') ?? '');
  return read.kind === 'object' ? read.value : null;
}

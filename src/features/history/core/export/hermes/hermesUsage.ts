import type { SqlDatabase } from '../../../../../store/engine/sqlDatabase';
import { readInteger, readText, readTime, usageOf } from '../../../../../store/session/tables/columns';
import type { Columns } from './hermesRow';

/** Counts of a session as Hermes Agent keeps them. Its input excludes tokens of the cache; ours includes them. */
export interface HermesUsage {
  /** Columns of `sessions`. */
  readonly totals: Columns;
  /** Rows of `session_model_usage`, without the session. */
  readonly byModel: readonly Columns[];
}

interface ModelUsage {
  calls: number;
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  reasoning: number;
  /** US dollars of the turns that know their cost; null when none does. */
  cost: number | null;
  first: number;
  last: number;
}

const nothing = { calls: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0, cost: null };

/** Reads the counts of one segment from a store that is open for reading. */
export function hermesUsage(database: SqlDatabase, sessionId: string): HermesUsage {
  const models = usageByModel(database, sessionId);
  const row = database.get('SELECT * FROM sessions WHERE id = ?', [sessionId]) ?? {};
  const [cacheRead, cacheWrite] = [readInteger(row, 'cache_read_tokens', 0), readInteger(row, 'cache_write_tokens', 0)];
  const costs = [...models.values()].flatMap(({ cost }) => cost ?? []);
  return {
    totals: {
      input_tokens: Math.max(0, readInteger(row, 'input_tokens', 0) - cacheRead - cacheWrite),
      output_tokens: readInteger(row, 'output_tokens', 0),
      cache_read_tokens: cacheRead,
      cache_write_tokens: cacheWrite,
      reasoning_tokens: readInteger(row, 'reasoning_tokens', 0),
      api_call_count: [...models.values()].reduce((sum, { calls }) => sum + calls, 0),
      estimated_cost_usd: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
      cost_status: costs.length === 0 ? null : 'estimated',
    },
    byModel: Array.from(models, ([model, usage]) => ({
      model,
      api_call_count: usage.calls,
      input_tokens: Math.max(0, usage.input - usage.cacheRead - usage.cacheWrite),
      output_tokens: usage.output,
      cache_read_tokens: usage.cacheRead,
      cache_write_tokens: usage.cacheWrite,
      reasoning_tokens: usage.reasoning,
      estimated_cost_usd: usage.cost ?? 0,
      cost_status: usage.cost === null ? null : 'estimated',
      first_seen: usage.first,
      last_seen: usage.last,
    })),
  };
}

/** Leaves out turns that a branch copied: their names begin with the branch. So do all turns of an imported session. */
function usageByModel(database: SqlDatabase, sessionId: string): ReadonlyMap<string, ModelUsage> {
  const models = new Map<string, ModelUsage>();
  const turns = database.iterate(
    `SELECT model, usage, started_at, settled_at FROM turns WHERE session_id = ?1 AND usage IS NOT NULL
       AND ((SELECT origin FROM sessions WHERE id = ?1) IS NOT NULL OR substr(uid, 1, length(?1) + 1) <> ?1 || '/')
     ORDER BY id`,
    [sessionId],
  );
  for (const turn of turns) {
    const usage = usageOf(turn);
    if (usage === null) continue;
    const model = readText(turn, 'model', '');
    const [first, last] = [
      readTime(turn, 'started_at', 0),
      readTime(turn, 'settled_at', readTime(turn, 'started_at', 0)),
    ];
    const sum = models.get(model) ?? { ...nothing, first, last };
    models.set(model, {
      calls: sum.calls + (usage.requests ?? 1),
      input: sum.input + (usage.inputTokens ?? 0),
      output: sum.output + (usage.outputTokens ?? 0),
      cacheRead: sum.cacheRead + (usage.cachedInputTokens ?? 0),
      cacheWrite: sum.cacheWrite + (usage.cacheWriteTokens ?? 0),
      reasoning: sum.reasoning + (usage.reasoningTokens ?? 0),
      cost: typeof usage.costUsd === 'number' ? (sum.cost ?? 0) + usage.costUsd : sum.cost,
      first: Math.min(sum.first, first),
      last: Math.max(sum.last, last),
    });
  }
  return models;
}

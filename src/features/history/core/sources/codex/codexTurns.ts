import type { JsonObject } from '../../../../../transcript/json';
import { countOf, own, textOf } from '../reading/fields';
import { openaiContent } from '../reading/openaiContent';
import { envelopeOf, isContext } from './codexItem';
import type { RolloutRecord } from './codexRollout';

/** Which lines of a rollout the user took back, and where the last compaction is. */
interface CodexTurns {
  isAbandoned(line: number): boolean;
  isCompacted(line: number): boolean;
}

/** Reads a rollout once for its turns. Memory grows with the number of prompts. A rollback removes the newest turns
 *  (`thread_rolled_back`); their lines stay in the file. */
export async function codexTurns(records: AsyncIterable<RolloutRecord> | Iterable<RolloutRecord>): Promise<CodexTurns> {
  const prompts: number[] = [];
  const removed: { readonly from: number; readonly to: number }[] = [];
  let compacted = 0;
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const line = record.number;
    const { type, payload } = envelopeOf(record.value);
    if (type === 'compacted') compacted = line;
    if (type === 'response_item' && isPrompt(payload)) prompts.push(line);
    if (type === 'event_msg' && textOf(payload, 'type') === 'thread_rolled_back') {
      const turns = Math.min(countOf(payload, 'num_turns') ?? 0, prompts.length);
      const [from] = prompts.splice(prompts.length - turns, turns);
      if (from !== undefined) removed.push({ from, to: line });
    }
  }
  return {
    isAbandoned: (line) => removed.some(({ from, to }) => line >= from && line < to),
    isCompacted: (line) => line < compacted,
  };
}

function isPrompt(item: JsonObject | null): boolean {
  if (item === null || textOf(item, 'type') !== 'message' || textOf(item, 'role') !== 'user') return false;
  const { parts } = openaiContent(own(item, 'content'));
  return parts.length > 0 && !isContext(item, parts);
}

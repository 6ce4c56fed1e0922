import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignView } from '../foreign';
import { isSet, nameOf, own, textOf } from '../reading/fields';
import type { OpencodeStorage } from './opencodeStorage';

/** Places of a session's messages in the conversation. */
export interface OpencodeViews {
  viewOf(id: string, value: JsonObject): ForeignView;
  /** True for a message that the model still gets after this summary. */
  keeps(summary: string, id: string): boolean;
}

/** Reads messages without their parts: memory grows with their number. `revert` names the message from which on the
 *  user took everything back. A summary that ended without an error replaces the messages before its prompt, except
 *  the last ones, from `tail_start_id` on. */
export async function opencodeViews(storage: OpencodeStorage, revert: JsonObject | null): Promise<OpencodeViews> {
  const numbers = new Map<string, number>();
  const summaries: { readonly id: string; readonly prompt: string }[] = [];
  for await (const { id, value } of storage.messages()) {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    const isDone = isSet(value, 'summary') && nameOf(value, 'finish') !== null && own(value, 'error') === undefined;
    if (textOf(value, 'role') === 'assistant' && isDone)
      summaries.push({ id, prompt: nameOf(value, 'parentID') ?? id });
  }
  const numberOf = (id: string | null): number | null => (id === null ? null : (numbers.get(id) ?? null));
  const kept = new Map<string, { readonly from: number; readonly to: number }>();
  for (const { id, prompt } of summaries) {
    const to = numberOf(prompt) ?? 0;
    kept.set(id, { from: numberOf(await tailOf(storage, prompt)) ?? to, to });
  }
  const compactedBelow = kept.get(summaries.at(-1)?.id ?? '')?.from ?? 0;
  const rewoundTurn = numberOf(nameOf(revert, 'messageID')) ?? numbers.size;
  // With a part, only that part and what follows it are taken back, so the message stays.
  const abandonedFrom = nameOf(revert, 'partID') === null ? rewoundTurn : rewoundTurn + 1;
  return {
    keeps: (summary, id) => {
      const number = numbers.get(id) ?? -1;
      const { from, to } = kept.get(summary) ?? { from: 0, to: 0 };
      return number >= from && number < to;
    },
    viewOf: (id, value) => {
      const number = numbers.get(id) ?? 0;
      if (number >= abandonedFrom) return 'abandoned';
      if (number < compactedBelow) return 'compacted';
      return isSet(value, 'summary') ? 'summary' : 'shown';
    },
  };
}

async function tailOf(storage: OpencodeStorage, prompt: string): Promise<string | null> {
  for await (const { value } of storage.parts(prompt)) {
    if (textOf(value, 'type') === 'compaction') return nameOf(value, 'tail_start_id');
  }
  return null;
}

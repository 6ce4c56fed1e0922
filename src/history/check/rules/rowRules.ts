import type { SessionRule } from '../findings/checkedSession';
import { doubledRows } from './doubledRows';

const doubledRow: SessionRule = {
  id: 'doubledRow',
  find: (session) =>
    [...doubledRows(session)].map(([row, first]) => ({
      row,
      detail: first,
      steps: [{ kind: 'hide', uid: row, absorbedInto: first }],
    })),
};

/** Rows that a program wrote for its own retries. */
const scaffolding: SessionRule = {
  id: 'scaffolding',
  find: ({ rows }) =>
    rows
      .filter(({ isScaffolding }) => isScaffolding)
      .map(({ id }) => ({ row: id, steps: [{ kind: 'hide', uid: id, absorbedInto: null }] })),
};

/** An answer without text, thinking and calls, which some providers refuse. Our requests say so in its place. */
const emptyAnswer: SessionRule = {
  id: 'emptyAnswer',
  find: ({ rows, kind }) =>
    kind === 'own' ? [] : rows.filter(({ isEmpty }) => isEmpty).map(({ id }) => ({ row: id })),
};

const damagedRow: SessionRule = {
  id: 'damagedRow',
  find: ({ rows }) =>
    rows.flatMap(({ id, damage }) =>
      damage === null ? [] : [{ row: id, detail: damage, steps: [{ kind: 'reread', uid: id }] }],
    ),
};

export const rowRules: readonly SessionRule[] = [doubledRow, scaffolding, emptyAnswer, damagedRow];

const answers = /^\s*\(empty\)\s*$/;
const prompts =
  /^\s*(You just executed tool calls but returned an empty response|\[System: (Your|The) previous (response|answer|tool call))/;

/** True for a text that an agent writes in the name of the user or the model when a request fails. */
export function isScaffoldingText(role: string, text: string): boolean {
  return role === 'assistant' ? answers.test(text) : role === 'user' && prompts.test(text);
}

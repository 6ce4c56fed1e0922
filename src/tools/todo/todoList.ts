import * as v from 'valibot';
import type { ToolResultPart } from '../../transcript/part';

export const todoToolName = 'todo_write';
export const mostTodos = 50;
const longestText = 300;

const text = v.pipe(
  v.string(),
  v.trim(),
  v.nonEmpty('is empty'),
  v.maxLength(longestText, `has more than ${longestText} characters`),
);
const item = v.object({ text, state: v.picklist(['pending', 'active', 'done'], 'must be pending, active or done') });

/** Plan of the agent and its progress: at most one item is active. */
export const todoItems = v.pipe(
  v.array(item),
  v.maxLength(mostTodos, `holds more than ${mostTodos} items: put small steps together`),
  v.check(
    (items) => items.filter(({ state }) => state === 'active').length <= 1,
    'has more than one active item: work on one at a time',
  ),
);

export type TodoItem = v.InferOutput<typeof item>;

const details = v.object({ kind: v.literal('todos'), items: todoItems });

/** List from a result of the tool. Null for other results and for failed calls. */
export function todosOf(result: ToolResultPart): readonly TodoItem[] | null {
  if (result.name !== todoToolName || result.outcome !== 'done') return null;
  const parsed = v.safeParse(details, result.details);
  return parsed.success ? parsed.output.items : null;
}

const marks = { pending: '[ ]', active: '[>]', done: '[x]' } as const;

/** One line per item, in its order. */
export function todoLines(items: readonly TodoItem[]): readonly string[] {
  return items.map(({ text, state }) => `${marks[state]} ${text.replace(/\s+/g, ' ')}`);
}

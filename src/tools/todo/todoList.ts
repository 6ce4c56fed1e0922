import * as v from 'valibot';
import type { ToolResultPart } from '../../transcript/part';
import { type AnyTool, defineTool } from '../tool';

const todoToolName = 'todo_write';
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
const todoItems = v.pipe(
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

/** Tool for the agent's todo list. The list is stored only in the row of the call that wrote it: the newest call is
 *  the list. */
export function todoWriteTool(): AnyTool {
  return defineTool({
    name: todoToolName,
    description: [
      'Writes your todo list for this conversation, whole: it replaces the one before. The person sees it. Use ' +
        'it for work of three steps or more, and bring it up to date as soon as a step is done.',
      `At most ${mostTodos} items, one of them "active". An empty list clears it.`,
    ].join(' '),
    schema: v.object({ items: todoItems }),
    // It only changes its own result, so it works in Plan mode too.
    readOnly: true,
    run: async ({ items }) => {
      const done = items.filter(({ state }) => state === 'done').length;
      const text =
        items.length === 0
          ? 'The todo list is empty now.'
          : [`The todo list, ${done} of ${items.length} done:`, ...todoLines(items)].join('\n');
      return { outcome: 'done', text, details: { kind: 'todos', items } };
    },
  });
}

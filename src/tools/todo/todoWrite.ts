import * as v from 'valibot';
import { type AnyTool, defineTool } from '../tool';
import { mostTodos, todoItems, todoLines, todoToolName } from './todoList';

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
    parameters: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          maxItems: mostTodos,
          items: {
            type: 'object',
            properties: {
              text: { type: 'string' },
              state: { type: 'string', enum: ['pending', 'active', 'done'] },
            },
            required: ['text', 'state'],
          },
        },
      },
      required: ['items'],
    },
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

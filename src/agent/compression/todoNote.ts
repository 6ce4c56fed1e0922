import { maskSecrets } from '../../models/secrecy/secrecy';
import { todoLines, type TodoItem, todosOf } from '../../tools/todo/todoList';
import type { Message } from '../../transcript/message';

const heading = '## Todo list, as it was last written';

/** Returns the handoff's note about the agent's todo list: the newest list in the covered rows, or else the note of
 *  the previous handoff. Empty when there is no list, when it was cleared, and when all items are done. Pure. */
export function todoNote(rows: readonly Message[], earlier: string | null): string {
  const newest = newestTodos(rows);
  if (newest === null) return earlier === null ? '' : noteIn(earlier);
  return newest.every(({ state }) => state === 'done')
    ? ''
    : [heading, maskSecrets(todoLines(newest).join('\n'))].join('\n');
}

function newestTodos(rows: readonly Message[]): readonly TodoItem[] | null {
  for (const row of rows.toReversed()) {
    for (const part of row.parts.toReversed()) {
      const items = part.kind === 'toolResult' ? todosOf(part) : null;
      if (items !== null) return items;
    }
  }
  return null;
}

/** Items are single lines, so the list ends at the first empty one. */
function noteIn(handoff: string): string {
  const lines = handoff.split('\n');
  const start = lines.lastIndexOf(heading);
  if (start === -1) return '';
  const end = lines.indexOf('', start);
  return lines.slice(start, end === -1 ? lines.length : end).join('\n');
}

import type { Conversation } from './conversation';
import { todosIn, type Todo } from '../../toolDetails';

/** The agent's todo list as last written. */
export interface TodoList {
  /** Id of the call that wrote it. */
  readonly callId: string;
  readonly items: readonly Todo[];
}

/** Returns the newest todo list of the loaded conversation. Null when there is none, or when it is complete and no
 *  running turn could continue it. */
export function newestTodos({ messages, turns }: Pick<Conversation, 'messages' | 'turns'>): TodoList | null {
  for (const live of messages.toReversed()) {
    if (live.row !== null && live.row.visibility.kind !== 'shown') continue;
    for (const part of live.parts.toReversed()) {
      if (part.kind !== 'toolResult') continue;
      const items = todosIn(part);
      if (items === null) continue;
      const isOver =
        items.every(({ state }) => state === 'done') && [...turns.values()].every(({ state }) => state === 'settled');
      return items.length === 0 || isOver ? null : { callId: part.callId, items };
    }
  }
  return null;
}

export function doneCount(items: readonly Todo[]): number {
  return items.filter(({ state }) => state === 'done').length;
}

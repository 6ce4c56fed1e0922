import { useMemo } from 'preact/hooks';
import { Icon } from '../../buttons';
import { FoldButton } from '../common/marks';
import { t } from '../../localization';
import { todosIn, type Todo } from '../../toolDetails';
import { useChat } from '../state/chat';
import type { Conversation } from '../state/conversation';
import { FoldState } from '../state/foldState';

/** The agent's current todo list, above the composer. Folded: the current item on one line. Open: the whole list. */
export function TodoPanel() {
  const chat = useChat();
  const { conversation } = chat.steady.value;
  const list = useMemo(
    () => (conversation === null ? null : newestTodos(conversation)),
    [conversation?.messages, conversation?.turns],
  );
  if (list === null) return null;
  const open = chat.part(FoldState).open.value.has('todos');
  const current =
    list.items.find(({ state }) => state === 'active') ?? list.items.find(({ state }) => state === 'pending');
  return (
    <section class="todos" aria-label={t('Todos')}>
      <FoldButton open={open} toggle={() => chat.part(FoldState).toggle('todos')}>
        <span class="todos-count">
          {t('Todos {done}/{count}', { done: doneCount(list.items), count: list.items.length })}
        </span>
        {!open && current !== undefined && (
          <span class="todos-current" dir="auto">
            {current.text}
          </span>
        )}
      </FoldButton>
      {open && <TodoItems items={list.items} />}
    </section>
  );
}

const states: Readonly<Record<Todo['state'], { readonly icon: string; readonly name: () => string }>> = {
  done: { icon: 'pass', name: () => t('done') },
  active: { icon: 'play-circle', name: () => t('in progress') },
  pending: { icon: 'circle-large-outline', name: () => t('to do') },
};

export function TodoItems({ items }: { readonly items: readonly Todo[] }) {
  return (
    <ul class="todo-items" tabIndex={0}>
      {items.map((item, index) => (
        <li key={index} class={`todo todo-${item.state}`}>
          <Icon name={states[item.state].icon} />
          <span class="visually-hidden">{states[item.state].name()}</span>
          <span class="todo-text" dir="auto">
            {item.text}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The agent's todo list as last written. */
export interface TodoList {
  /** Id of the call that wrote it. */
  readonly callId: string;
  readonly items: readonly Todo[];
}

/** Returns the newest todo list of the loaded conversation. Null when there is none, or when it is complete and its
 *  turn, which could continue it, has ended. */
export function newestTodos({ messages, turns }: Pick<Conversation, 'messages' | 'turns'>): TodoList | null {
  for (const live of messages.toReversed()) {
    if (live.row !== null && live.row.visibility.kind !== 'shown') continue;
    for (const part of live.parts.toReversed()) {
      if (part.kind !== 'toolResult') continue;
      const items = todosIn(part);
      if (items === null) continue;
      const writer = turns.get(live.row?.turnUid ?? '');
      const isOver = items.every(({ state }) => state === 'done') && writer?.state === 'settled';
      return items.length === 0 || isOver ? null : { callId: part.callId, items };
    }
  }
  return null;
}

export function doneCount(items: readonly Todo[]): number {
  return items.filter(({ state }) => state === 'done').length;
}

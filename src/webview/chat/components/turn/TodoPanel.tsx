import { Icon } from '../../../Icon';
import { t } from '../../../localization';
import type { Todo } from '../../../toolDetails';
import { doneCount, type TodoList } from '../../state/todos';
import { useChat } from '../common/ChatContext';

/** The agent's current todo list, above the composer. Folded: the current item on one line. Open: the whole list. */
export function TodoPanel({ list }: { readonly list: TodoList }) {
  const chat = useChat();
  const open = chat.folds.open.value.has('todos');
  const current =
    list.items.find(({ state }) => state === 'active') ?? list.items.find(({ state }) => state === 'pending');
  return (
    <section class="todos" aria-label={t('Todos')}>
      <button type="button" class="fold-button" aria-expanded={open} onClick={() => chat.folds.toggle('todos')}>
        <Icon name={open ? 'chevron-down' : 'chevron-right'} />
        <span class="todos-count">
          {t('Todos {done}/{count}', { done: doneCount(list.items), count: list.items.length })}
        </span>
        {!open && current !== undefined && (
          <span class="todos-current" dir="auto">
            {current.text}
          </span>
        )}
      </button>
      {open && <TodoItems items={list.items} />}
    </section>
  );
}

const icons: Readonly<Record<Todo['state'], string>> = {
  done: 'pass',
  active: 'play-circle',
  pending: 'circle-large-outline',
};

export function TodoItems({ items }: { readonly items: readonly Todo[] }) {
  return (
    <ul class="todo-items">
      {items.map((item, index) => (
        <li key={index} class={`todo todo-${item.state}`}>
          <Icon name={icons[item.state]} />
          <span class="visually-hidden">{stateName(item.state)}</span>
          <span class="todo-text" dir="auto">
            {item.text}
          </span>
        </li>
      ))}
    </ul>
  );
}

function stateName(state: Todo['state']): string {
  switch (state) {
    case 'done':
      return t('done');
    case 'active':
      return t('in progress');
    case 'pending':
      return t('to do');
  }
}

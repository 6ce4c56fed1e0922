import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { OfferedPrompt } from '../../../protocol/chatProtocol';
import { isPlainKey, movedIn } from '../common/listMoves';
import { completed, type Offered, offeredCommands } from './slashCommands';
import { useEffect } from 'preact/hooks';
import { t } from '../../localization';
import { useChat } from '../state/chat';

/** Milliseconds without a change before the number of suggestions is announced. */
const pauseMs = 700;

export const commandListId = 'command-list';

export function commandOptionId({ name }: Offered): string {
  return `command-${name}`;
}

interface OfferedCommands {
  readonly offered: readonly Offered[];
  /** Null while no list is shown. */
  readonly active: Offered | null;
  readonly pick: (command: Offered) => void;
  readonly typed: (text: string) => void;
  readonly close: () => void;
  /** Returns true when the list handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** List of commands above the composer. Typing "/" opens it; Escape closes it until the text changes. `started`: called
 *  when it opens. */
export function useCommands(
  text: ReadonlySignal<string>,
  prompts: readonly OfferedPrompt[],
  edit: (text: string) => void,
  started: () => void,
): OfferedCommands {
  const isOpen = useSignal(false);
  const place = useSignal(0);
  // Keys may arrive faster than renders, so each key is judged by the state at that moment.
  const find = (typed: string): Pick<OfferedCommands, 'offered' | 'active'> => {
    const offered = offeredCommands(typed, prompts);
    return { offered, active: isOpen.value ? (offered[Math.min(place.value, offered.length - 1)] ?? null) : null };
  };
  const close = (): void => {
    isOpen.value = false;
  };
  const pick = (command: Offered): void => {
    close();
    edit(completed(command));
  };
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const { offered, active } = find(text.peek());
    if (active === null || !isPlainKey(event)) return false;
    const next = movedIn(event.key, offered.indexOf(active), offered.length);
    if (next !== null) place.value = next;
    else if (event.key === 'Escape') close();
    // A fully typed command needs no completion: Enter runs it.
    else if (event.key === 'Tab' || (event.key === 'Enter' && completed(active) !== text.peek())) pick(active);
    else return false;
    event.preventDefault();
    return true;
  };
  const typed = (next: string): void => {
    const isOffered = offeredCommands(next, prompts).length > 0;
    if (isOffered && !isOpen.peek()) started();
    isOpen.value = isOffered;
    place.value = 0;
  };
  return { ...find(text.value), pick, typed, close, onKeyDown };
}

/** Announces the number of suggestions once typing pauses; null when no list is open. */
export function useAnnouncedCount(count: number | null): void {
  const chat = useChat();
  useEffect(() => {
    if (count === null) return undefined;
    return chat.timers.after(pauseMs, () =>
      chat.ui.announce(
        count === 0 ? t('No suggestions') : count === 1 ? t('1 suggestion') : t('{count} suggestions', { count }),
      ),
    );
  }, [count]);
}

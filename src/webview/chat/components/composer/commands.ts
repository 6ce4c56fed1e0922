import { type ReadonlySignal, useSignal } from '@preact/signals';
import type { OfferedPrompt } from '../../../../protocol/chatProtocol';
import { movedIn } from '../../composer/listMoves';
import { completed, type Offered, offeredCommands } from '../../composer/slashCommands';

export const commandListId = 'command-list';

export function commandOptionId({ name }: Offered): string {
  return `command-${name}`;
}

export interface OfferedCommands {
  readonly offered: readonly Offered[];
  /** Null while no list is shown. */
  readonly active: Offered | null;
  readonly pick: (command: Offered) => void;
  readonly typed: (text: string) => void;
  readonly close: () => void;
  /** Whether the key was meant for the list. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

/** The list of commands over the composer: opened by typing "/", closed by Escape until the text is another one. */
export function useCommands(
  text: ReadonlySignal<string>,
  prompts: readonly OfferedPrompt[],
  edit: (text: string) => void,
): OfferedCommands {
  const isOpen = useSignal(false);
  const place = useSignal(0);
  // Keys may come faster than drawings: each is judged by what is true when it comes.
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
    if (
      active === null ||
      event.isComposing ||
      event.keyCode === 229 ||
      event.shiftKey ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey
    )
      return false;
    const next = movedIn(event.key, offered.indexOf(active), offered.length);
    if (next !== null) place.value = next;
    else if (event.key === 'Escape') close();
    // Typed to its end, a command needs no completing: Enter runs it.
    else if (event.key === 'Tab' || (event.key === 'Enter' && completed(active) !== text.peek())) pick(active);
    else return false;
    event.preventDefault();
    return true;
  };
  const typed = (next: string): void => {
    isOpen.value = offeredCommands(next, prompts).length > 0;
    place.value = 0;
  };
  return { ...find(text.value), pick, typed, close, onKeyDown };
}

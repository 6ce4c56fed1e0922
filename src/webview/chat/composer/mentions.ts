import { useSignal } from '@preact/signals';
import type { RefObject } from 'preact';
import { useRef } from 'preact/hooks';
import type { FoundMentions, Mention } from '../../../protocol/attachmentProtocol';
import { isPlainKey, movedIn } from '../common/listMoves';
import { mentionAt, type MentionAt } from '../drafts/composerText';
import { sortedByGroup } from './suggestionGroups';
import { Attachments } from './attachments';
import { Drafts } from '../drafts/drafts';
import { useChat } from '../state/chat';

export const mentionListId = 'mention-list';
export const mentionOptionId = (place: number): string => `mention-${place}`;

interface OfferedMentions {
  /** Null while no list is shown. */
  readonly offered: readonly Mention[] | null;
  /** Index of the active mention; null when there is nothing to pick. */
  readonly active: number | null;
  readonly pick: (mention: Mention) => void;
  /** Called when the text or the caret has changed. */
  readonly moved: (isTyped: boolean) => void;
  readonly close: () => void;
  /** Returns true when the list handled the key. */
  readonly onKeyDown: (event: KeyboardEvent) => boolean;
}

interface Answer extends FoundMentions {
  readonly query: string;
}

/** List of things to mention. Typing "@" at the beginning of a word opens it; Escape closes it for as long as the
 *  caret stays in that word. */
export function useMentions(field: RefObject<HTMLTextAreaElement | null>): OfferedMentions {
  const chat = useChat();
  const open = useSignal<MentionAt | null>(null);
  const answer = useSignal<Answer | null>(null);
  const place = useSignal(0);
  const dismissed = useRef<number | null>(null);
  /** True when Enter was pressed before the response arrived: its first mention is then picked. */
  const isWanted = useRef(false);
  const asked = useRef(0);

  const close = (): void => {
    open.value = null;
    answer.value = null;
    isWanted.current = false;
    asked.current++;
  };
  const pick = (mention: Mention): void => {
    const at = open.peek();
    if (at === null || field.current === null) return;
    close();
    const { value, selectionStart } = field.current;
    const isTypedOn = selectionStart > at.start + 1 + at.query.length;
    const caret = chat.part(Attachments).mention(mention, at);
    const written = chat.part(Drafts).text.peek();
    const place = isTypedOn ? written.length - (value.length - selectionStart) : caret;
    // The field already has the text: a key pressed before the next render belongs after the mention.
    field.current.setSelectionRange(place, place);
  };
  async function ask(query: string): Promise<void> {
    const question = ++asked.current;
    for (const whole of [false, true]) {
      const found = await chat.part(Attachments).search(query, whole);
      if (question !== asked.current) return;
      put({ query, mentions: sortedByGroup(found.mentions), isWhole: found.isWhole });
      if (found.isWhole) return;
    }
  }
  /** Keeps the selected item in the list selected when the remaining results arrive. */
  function put(found: Answer): void {
    const here = place.peek() === 0 ? undefined : answer.peek()?.mentions[place.peek()]?.source;
    answer.value = found;
    if (here !== undefined)
      place.value = Math.max(
        0,
        found.mentions.findIndex(({ source }) => source === here),
      );
    if (!found.isWhole) return;
    const [first] = found.mentions;
    const wanted = isWanted.current;
    isWanted.current = false;
    if (wanted && first !== undefined) pick(first);
    else if (wanted) moved(true);
  }
  function moved(isTyped: boolean): void {
    const { value, selectionStart, selectionEnd } = field.current ?? { value: '', selectionStart: 0, selectionEnd: 0 };
    const asking = open.peek();
    // Text typed after the Enter that picks, but before the response arrives, goes after the mention.
    if (isWanted.current && asking !== null && value.startsWith(`@${asking.query}`, asking.start)) return;
    const at = selectionStart === selectionEnd ? mentionAt(value, selectionStart) : null;
    if (at?.start !== dismissed.current) dismissed.current = null;
    if (at === null || dismissed.current !== null) return close();
    const before = open.peek();
    if (before?.start === at.start && before.query === at.query) return;
    // Moving the caret alone opens no list.
    if (!isTyped && before?.start !== at.start) return close();
    open.value = at;
    place.value = 0;
    isWanted.current = false;
    void ask(at.query);
  }
  const onKeyDown = (event: KeyboardEvent): boolean => {
    const at = open.peek();
    if (at === null || !isPlainKey(event)) return false;
    const mentions = answer.peek()?.mentions ?? [];
    // An incomplete list may still get the wanted item; until then only its current items can be picked.
    const isAnswered = answer.peek()?.query === at.query && (answer.peek()?.isWhole === true || mentions.length > 0);
    const next = movedIn(event.key, place.peek(), mentions.length);
    if (event.key === 'Escape') {
      dismissed.current = at.start;
      close();
    } else if (next !== null) place.value = next;
    else if (event.key === 'Enter' || event.key === 'Tab') {
      const chosen = mentions[place.peek()];
      // Nothing matches: leave the text as it is and let the key do its usual work.
      if (isAnswered && chosen === undefined) return false;
      if (isAnswered && chosen !== undefined) pick(chosen);
      else isWanted.current = true;
    } else return false;
    event.preventDefault();
    return true;
  };
  const offered =
    open.value === null || (answer.value?.isWhole === false && answer.value.mentions.length === 0)
      ? null
      : (answer.value?.mentions ?? null);
  const active = offered === null || offered.length === 0 ? null : Math.min(place.value, offered.length - 1);
  return { offered, active, pick, moved, close, onKeyDown };
}

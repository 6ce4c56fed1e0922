import { useLayoutEffect, useRef } from 'preact/hooks';
import { FindBar } from './FindBar';
import { PromptAbove } from './PromptAbove';
import type { ShownFeed } from './shownFeed';
import type { Following } from './useFollow';
import { useFind } from './useFind';
import { useRevealed } from './useRevealed';
import { useTurnKeys } from './useTurnKeys';
import { useChat } from '../state/chat';
import { FeedPages } from '../state/feedPages';

/** Navigation aids for a long conversation, needed only after the first paint: the prompt above the text being read,
 *  keys to move between turns, find, article numbers, and a stable focus. */
export function FeedTools(props: ShownFeed) {
  const { conversation, blocks, uids, view } = props;
  const chat = useChat();
  const find = useFind(props);
  useTurnKeys(props);
  useRevealed(chat.ui.revealed, view, uids, (uid) => chat.part(FeedPages).goTo(uid));
  useNumbers(view, uids, conversation.hasEarlier || chat.part(FeedPages).away.value !== null);
  useKeptFocus(view, uids);
  return find.isOpen ? <FindBar find={find} /> : <PromptAbove blocks={blocks} uids={uids} view={view} />;
}

/** Numbers the articles of the feed. The total is unknown while the conversation continues beyond the rendered part.
 *  Set here and not where articles render, so that a new article does not re-render all of them. */
function useNumbers(view: Following, uids: readonly string[], isPart: boolean): void {
  useLayoutEffect(() => {
    const articles = view.scroller.current?.querySelectorAll('.feed article') ?? [];
    articles.forEach((article, index) => {
      article.setAttribute('aria-posinset', `${index + 1}`);
      article.setAttribute('aria-setsize', isPart ? '-1' : `${articles.length}`);
    });
  }, [uids, isPart]);
}

/** Returns the focus to the article that had it when the view was last seen, and remembers the focused article.
 *  Focuses the feed when the focused element is removed. */
function useKeptFocus({ scroller }: Following, uids: readonly string[]): void {
  const { memory } = useChat();
  const due = useRef(memory.recalled.composerFocused ? null : memory.recalled.focused);
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    const feed = scroller.current;
    if (feed === null) return undefined;
    const arrived = (event: FocusEvent): void => {
      hasFocus.current = true;
      due.current = null;
      const article = event.target instanceof Element ? event.target.closest<HTMLElement>('article[data-uid]') : null;
      memory.remember({ focused: article?.dataset['uid'] ?? null });
    };
    const left = (event: FocusEvent): void => {
      if (!(event.relatedTarget instanceof Element) || feed.contains(event.relatedTarget)) return;
      hasFocus.current = false;
      memory.remember({ focused: null });
    };
    feed.addEventListener('focusin', arrived);
    feed.addEventListener('focusout', left);
    return () => {
      feed.removeEventListener('focusin', arrived);
      feed.removeEventListener('focusout', left);
    };
  }, [scroller]);
  useLayoutEffect(() => {
    // If the page does not have the focus, this would steal it from the editor the user types into.
    const isFree = document.hasFocus() && (document.activeElement === null || document.activeElement === document.body);
    if (!isFree) return;
    const wanted = due.current;
    const article =
      wanted === null
        ? null
        : [...(scroller.current?.querySelectorAll<HTMLElement>('article[data-uid]') ?? [])].find(
            ({ dataset }) => dataset['uid'] === wanted,
          );
    if (article !== null && article !== undefined) article.focus({ preventScroll: true });
    else if (hasFocus.current) scroller.current?.focus({ preventScroll: true });
  }, [uids]);
}

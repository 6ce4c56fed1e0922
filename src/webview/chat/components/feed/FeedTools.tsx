import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Conversation } from '../../state/conversation';
import type { TurnBlock } from '../../state/conversationRows';
import { useChat } from '../common/ChatContext';
import { FindBar } from './FindBar';
import { PromptAbove } from '../turn/PromptAbove';
import type { Following } from './useFollow';
import { useFind } from './useFind';
import { useRevealed } from './useRevealed';
import { useTurnKeys } from './useTurnKeys';

export interface FeedToolsProps {
  /** What is drawn. */
  readonly conversation: Conversation;
  readonly blocks: readonly TurnBlock[];
  readonly uids: readonly string[];
  readonly view: Following;
}

/** What helps to find one's way in a long conversation, and is needed only after the first paint: the prompt above what is read, keys from turn to
 *  turn, finding words, numbers of articles, and the focus that stays. */
export function FeedTools(props: FeedToolsProps) {
  const { conversation, blocks, uids, view } = props;
  const chat = useChat();
  const find = useFind(props);
  useTurnKeys(props);
  useRevealed(chat.revealed, view, uids, (uid) => chat.pages.goTo(uid));
  useNumbers(view, uids, conversation.hasEarlier || chat.pages.away.value !== null);
  useKeptFocus(view, uids);
  return find.isOpen ? <FindBar find={find} /> : <PromptAbove blocks={blocks} uids={uids} view={view} />;
}

/** Numbers the articles of the feed. How many there are is unknown while the conversation goes on beyond what is drawn. Set here and not where they
 *  are drawn, so that a new article does not have all of them drawn again. */
function useNumbers(view: Following, uids: readonly string[], isPart: boolean): void {
  useLayoutEffect(() => {
    const articles = view.scroller.current?.querySelectorAll('.feed article') ?? [];
    articles.forEach((article, index) => {
      article.setAttribute('aria-posinset', `${index + 1}`);
      article.setAttribute('aria-setsize', isPart ? '-1' : `${articles.length}`);
    });
  }, [uids, isPart]);
}

/** Puts the focus back to the article that had it when the view was last seen, keeps a note of it, and gives it to the feed when what had it is
 *  let go of. */
function useKeptFocus({ scroller }: Following, uids: readonly string[]): void {
  const { memory } = useChat().needs;
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
    // Without the focus of the page this would take it from whatever is typed into beside it.
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

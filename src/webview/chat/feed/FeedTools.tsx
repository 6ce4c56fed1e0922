import { useLayoutEffect, useRef, useEffect } from 'preact/hooks';
import { FindBar } from './FindBar';
import { PromptAbove } from './PromptAbove';
import type { ShownFeed, Following } from './useFollow';
import { useFind } from './useFind';
import { useTurnKeys } from './useTurnKeys';
import { useChat } from '../state/chat';
import { FeedPages } from '../state/feedPages';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { Signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';

/** Milliseconds for which a revealed message stays marked. */
const markedMs = 2500;

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

/** Scrolls to the newest text. Disappears after the press; the focus then stays where it is (mouse) or moves to the
 *  conversation (keyboard). */
export function JumpButton({ view: { newCount, scroller, goToEnd } }: { readonly view: Following }) {
  const jump = (button: Element): void => {
    if (document.activeElement === button) scroller.current?.focus({ preventScroll: true });
    goToEnd();
  };
  return (
    <button
      type="button"
      class="jump"
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => jump(event.currentTarget)}
      aria-label={newCount > 0 ? t('Jump to latest, {count} new', { count: newCount }) : t('Jump to latest')}
    >
      <Icon name="arrow-down" />
      {newCount > 0 && <span>{t('{count} new', { count: newCount })}</span>}
    </button>
  );
}

type Revealed = ChatNotifications['reveal'];

/** Scrolls a requested message into view as soon as it renders, marks it for a moment and focuses it. For a row
 *  without its own article (a tool's, or a folded one), reveals the beginning of its turn. `load` renders the part
 *  of the conversation that contains a message. */
function useRevealed(
  revealed: Signal<Revealed | null>,
  view: Following,
  uids: readonly string[],
  load: (uid: string) => Promise<boolean>,
): void {
  const wanted = revealed.value;
  const sought = useRef<Revealed | null>(null);
  useEffect(() => {
    if (wanted === null) return;
    const article = articleOf(view.scroller.current, wanted);
    if (article === null) {
      if (sought.current === wanted) return;
      sought.current = wanted;
      view.aim(wanted.messageUid);
      void load(wanted.messageUid);
      return;
    }
    revealed.value = null;
    view.goTo(article);
    article.focus({ preventScroll: true });
    mark(article);
  }, [wanted, uids]);
}

function articleOf(scroller: HTMLElement | null, { messageUid, turnUid }: Revealed): HTMLElement | null {
  const articles = [...(scroller?.querySelectorAll<HTMLElement>('article[data-uid]') ?? [])];
  const own = articles.find(({ dataset }) => dataset['uid'] === messageUid);
  return (
    own ??
    articles.find(
      (article) => turnUid !== null && article.closest<HTMLElement>('[data-turn]')?.dataset['turn'] === turnUid,
    ) ??
    null
  );
}

function mark(article: HTMLElement): void {
  article.dataset['revealed'] = '';
  setTimeout(() => delete article.dataset['revealed'], markedMs);
}

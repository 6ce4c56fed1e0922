import { useLayoutEffect, useRef, useEffect, useState } from 'preact/hooks';
import { FindBar } from './FindBar';
import { articleIn, articlesIn, type ShownFeed, type Following } from './useFollow';
import { useFind } from './useFind';
import { useTurnKeys } from './useTurnKeys';
import { useChat } from '../state/chat';
import { FeedPages } from '../state/feedPages';
import { Icon } from '../../buttons';
import { t } from '../../localization';
import type { Signal } from '@preact/signals';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import { answerText } from '../../../transcript/message';
import type { TurnBlock } from '../state/conversationRows';

interface PromptAboveProps {
  readonly blocks: readonly TurnBlock[];
  readonly uids: readonly string[];
  readonly view: Following;
}

/** Number of characters of a prompt that fit into two lines of a wide panel. */
const mostShown = 300;
/** Pixels between the view's top and the prompt moved to. */
const offset = 8;

/** Shows the prompt at the top while the user reads an answer whose prompt has scrolled out above; a click scrolls
 *  to it. For sighted mouse users only: the feed already contains the prompt, and a key goes there. */
function PromptAbove({ blocks, uids, view }: PromptAboveProps) {
  const turnUid = useTurnAtTop(view, uids);
  const prompt = turnUid === null ? null : (blocks.find(({ turn }) => turn?.uid === turnUid)?.prompt ?? null);
  const text = prompt === null ? '' : answerText(prompt.parts).trim();
  if (prompt === null || text === '') return null;
  const go = (): void => {
    const article = articleIn(view.scroller.current, prompt.uid);
    if (article !== null) view.goTo(article, offset);
  };
  return (
    <button type="button" class="prompt-above" tabIndex={-1} aria-hidden="true" title={t('Go to Prompt')} onClick={go}>
      <span class="prompt-above-text">
        <b>{t('You')}</b> <span dir="auto">{text.slice(0, mostShown)}</span>
      </span>
    </button>
  );
}

/** Returns the turn that crosses the view's top edge while its prompt is above. The browser reports it
 *  (IntersectionObserver), so nothing is measured while text streams. */
function useTurnAtTop({ scroller }: Following, uids: readonly string[]): string | null {
  const [turnUid, setTurnUid] = useState<string | null>(null);
  const watch = useRef<((turns: readonly Element[]) => void) | null>(null);
  useLayoutEffect(() => {
    const root = scroller.current;
    if (root === null || typeof IntersectionObserver === 'undefined') return undefined;
    const [across, inSight, near] = [new Set<Element>(), new Set<Element>(), new Set<Element>()];
    const watched = new Set<Element>();
    const update = (): void => {
      for (const found of [across, near]) for (const one of found) if (!one.isConnected) found.delete(one);
      // With the next prompt near the top, at most the footer of the last turn is above it.
      const turn = [...across].find((one) => one.firstElementChild !== null && !inSight.has(one.firstElementChild));
      setTurnUid(near.size === 0 && turn instanceof HTMLElement ? (turn.dataset['turn'] ?? null) : null);
    };
    const noted =
      (found: Set<Element>) =>
      (entries: readonly IntersectionObserverEntry[]): void => {
        for (const { target, isIntersecting } of entries) {
          if (isIntersecting) found.add(target);
          else found.delete(target);
        }
        update();
      };
    // A line at the top of the view.
    const line = new IntersectionObserver(noted(across), { root, rootMargin: '0px 0px -100% 0px' });
    const sight = new IntersectionObserver(noted(inSight), { root });
    const top = new IntersectionObserver(noted(near), { root, rootMargin: '0px 0px -85% 0px' });
    watch.current = (turns) => {
      for (const turn of [...watched].filter((one) => !one.isConnected)) {
        line.unobserve(turn);
        for (const observer of [sight, top])
          if (turn.firstElementChild !== null) observer.unobserve(turn.firstElementChild);
        watched.delete(turn);
      }
      for (const turn of turns) {
        if (turn.firstElementChild === null || watched.has(turn)) continue;
        watched.add(turn);
        line.observe(turn);
        sight.observe(turn.firstElementChild);
        top.observe(turn.firstElementChild);
      }
    };
    return () => {
      watch.current = null;
      line.disconnect();
      sight.disconnect();
      top.disconnect();
    };
  }, [scroller]);
  useLayoutEffect(() => watch.current?.([...(scroller.current?.querySelectorAll('.turn[data-turn]') ?? [])]), [uids]);
  return turnUid;
}

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
    const article = due.current === null ? null : articleIn(scroller.current, due.current);
    if (article !== null) article.focus({ preventScroll: true });
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
  return (
    articleIn(scroller, messageUid) ??
    articlesIn(scroller).find(
      (article) => turnUid !== null && article.closest<HTMLElement>('[data-turn]')?.dataset['turn'] === turnUid,
    ) ??
    null
  );
}

function mark(article: HTMLElement): void {
  article.dataset['revealed'] = '';
  setTimeout(() => delete article.dataset['revealed'], markedMs);
}

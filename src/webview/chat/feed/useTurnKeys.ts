import { useEffect, useRef } from 'preact/hooks';
import { answerText } from '../../../transcript/message';
import { t } from '../../localization';
import type { ShownFeed, Following } from './useFollow';
import { useChat } from '../state/chat';
import { FeedPages } from '../state/feedPages';

/** Pixels between the view's top and the turn moved to. */
const offset = 8;

/** Alt+PageUp and Alt+PageDown move from turn to turn, wherever the focus is in the page. In the feed, Home and End
 *  go to the ends of the whole conversation; on an article, PageUp and PageDown go to the next one. When the focus
 *  stays elsewhere, the position is announced. */
export function useTurnKeys(props: ShownFeed): void {
  const chat = useChat();
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const { view } = latest.current;
    const isIn = (target: EventTarget | null): target is Node =>
      target instanceof Node && view.scroller.current?.contains(target) === true;
    const arrive = (turn: HTMLElement, takesFocus: boolean): void => {
      const article = turn.querySelector<HTMLElement>('article[data-uid]');
      if (article === null) return;
      view.goTo(article, offset);
      if (takesFocus) return article.focus({ preventScroll: true });
      const prompt = latest.current.blocks.find(({ turn: one }) => one?.uid === turn.dataset['turn'])?.prompt ?? null;
      chat.ui.announce(
        prompt === null
          ? (article.getAttribute('aria-label') ?? '')
          : t('You: {text}', { text: answerText(prompt.parts).slice(0, 200) }),
      );
    };
    const step = async (by: -1 | 1, takesFocus: boolean): Promise<void> => {
      const found = turnBeside(view, by);
      if (found !== null) return arrive(found, takesFocus);
      const before = latest.current.uids;
      if (by === -1 && latest.current.conversation.hasEarlier) await chat.part(FeedPages).loadEarlier();
      else if (by === 1 && chat.part(FeedPages).away.peek() !== null) await chat.part(FeedPages).loadLater();
      else if (by === 1) return view.goToEnd();
      await rendered(() => latest.current.uids !== before);
      const loaded = turnBeside(view, by);
      if (loaded !== null) arrive(loaded, takesFocus);
    };
    const toStart = async (): Promise<void> => {
      if (!(await chat.part(FeedPages).goToStart())) return;
      await rendered(() => !latest.current.conversation.hasEarlier);
      const first = view.scroller.current?.querySelector<HTMLElement>('article[data-uid]') ?? null;
      if (first !== null) view.goTo(first, offset);
    };
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const onFeed = event.target === view.scroller.current || isArticle(event.target);
      if (event.altKey) {
        if (event.key !== 'PageUp' && event.key !== 'PageDown') return;
        event.preventDefault();
        void step(event.key === 'PageUp' ? -1 : 1, isIn(event.target));
      } else if (event.key === 'Home' && isIn(event.target) && onFeed) {
        event.preventDefault();
        void toStart();
      } else if (event.key === 'End' && isIn(event.target) && onFeed) {
        event.preventDefault();
        view.goToEnd();
      } else if (
        (event.key === 'PageUp' || event.key === 'PageDown') &&
        isIn(event.target) &&
        isArticle(event.target)
      ) {
        const article = articleBeside(view, event.target, event.key === 'PageUp' ? -1 : 1);
        if (article === null) return;
        event.preventDefault();
        view.goTo(article, offset);
        article.focus({ preventScroll: true });
      }
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [chat]);
}

function isArticle(target: EventTarget | null): target is HTMLElement {
  return target instanceof HTMLElement && target.matches('article[data-uid]');
}

function articleBeside({ scroller }: Following, article: HTMLElement, by: -1 | 1): HTMLElement | null {
  const articles = [...(scroller.current?.querySelectorAll<HTMLElement>('article[data-uid]:not(.folded)') ?? [])];
  return articles[articles.indexOf(article) + by] ?? null;
}

/** Returns the turn that begins above the reading position, or below it. */
function turnBeside({ scroller }: Following, by: -1 | 1): HTMLElement | null {
  const feed = scroller.current;
  if (feed === null) return null;
  const top = feed.getBoundingClientRect().top + offset;
  const turns = [...feed.querySelectorAll<HTMLElement>('.turn')];
  const begins = (turn: HTMLElement): number => turn.getBoundingClientRect().top - top;
  // A turn within two pixels is the current one.
  if (by === -1) return turns.findLast((turn) => begins(turn) < -2) ?? null;
  const isAtEnd = feed.scrollHeight - feed.clientHeight - feed.scrollTop < 1;
  return isAtEnd ? null : (turns.find((turn) => begins(turn) > 2) ?? null);
}

/** Waits for up to 10 frames until the condition holds. */
async function rendered(holds: () => boolean): Promise<void> {
  for (let frames = 0; frames < 10 && !holds(); frames++)
    await new Promise((resolve) => requestAnimationFrame(resolve));
}

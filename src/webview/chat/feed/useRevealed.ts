import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChatNotifications } from '../../../protocol/chatProtocol';
import type { Following } from './useFollow';

type Revealed = ChatNotifications['reveal'];

/** Milliseconds for which a revealed message stays marked. */
const markedMs = 2500;

/** Scrolls a requested message into view as soon as it renders, marks it for a moment and focuses it. For a row
 *  without its own article (a tool's, or a folded one), reveals the beginning of its turn. `load` renders the part
 *  of the conversation that contains a message. */
export function useRevealed(
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

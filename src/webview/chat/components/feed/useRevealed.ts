import type { Signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChatNotifications } from '../../../../protocol/chatProtocol';
import type { Following } from './useFollow';

type Revealed = ChatNotifications['reveal'];

/** How long a message that was brought into sight stays marked, in milliseconds. */
const markedMs = 2500;

/** Brings a message that was asked for into sight, marks it for a moment and puts the focus on it, as soon as it is drawn. A row that has no
 *  article of its own (a tool's, or one that is folded away) is shown by the beginning of its turn. `load` has the part of the conversation drawn
 *  in which a message stands. */
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

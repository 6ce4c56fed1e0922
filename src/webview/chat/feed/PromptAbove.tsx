import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { answerText } from '../../../transcript/message';
import { t } from '../../localization';
import type { TurnBlock } from '../state/conversationRows';
import type { Following } from './useFollow';

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
export function PromptAbove({ blocks, uids, view }: PromptAboveProps) {
  const turnUid = useTurnAtTop(view, uids);
  const prompt = turnUid === null ? null : (blocks.find(({ turn }) => turn?.uid === turnUid)?.prompt ?? null);
  const text = prompt === null ? '' : answerText(prompt.parts).trim();
  if (prompt === null || text === '') return null;
  const go = (): void => {
    const article = [...(view.scroller.current?.querySelectorAll<HTMLElement>('article[data-uid]') ?? [])].find(
      ({ dataset }) => dataset['uid'] === prompt.uid,
    );
    if (article !== undefined) view.goTo(article, offset);
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

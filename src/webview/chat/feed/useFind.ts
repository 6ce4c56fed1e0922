import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { wordsPattern } from '../../../transcript/text/wordsPattern';
import { t } from '../../localization';
import { ConversationFind, type FindState, type Occurrence } from './conversationFind';
import { rangesIn, textPlace } from './feedText';
import { articleIn, articlesIn, type ShownFeed } from './useFollow';
import { useChat } from '../state/chat';
import { FeedPages } from '../state/feedPages';
import { FoldState } from '../state/foldState';

export interface Find {
  readonly isOpen: boolean;
  readonly state: FindState;
  readonly search: ConversationFind;
  /** Counts requests to focus the field. */
  readonly focusAsked: number;
  close(): void;
}

/** Maximum number of highlights; more could not be told apart anyway. */
const mostHighlights = 1000;
const [allName, currentName] = ['hermes-find', 'hermes-find-current'];

/** Find in the conversation: opened by Ctrl+F (Cmd+F) in the page or by the command, closed by Escape. */
export function useFind(props: ShownFeed): Find {
  const chat = useChat();
  const { host, timers } = chat;
  const latest = useRef(props);
  latest.current = props;
  const [focusAsked, setFocusAsked] = useState(0);
  const isOpen = focusAsked > 0;
  const returnTo = useRef<HTMLElement | null>(null);
  const [search] = useState(
    () =>
      new ConversationFind({
        timers,
        find: (query) => host.request('findInSession', { sessionId: latest.current.conversation.session.id, ...query }),
        stop: () => host.send('stopFind', {}),
        position: () => positionRead(latest.current),
        show: (occurrence) => void show(occurrence),
        sentenceOf: (error) => (error instanceof Error ? error.message : t('Couldn’t search the conversation.')),
      }),
  );
  const shown = useRef<Occurrence | null>(null);
  const state = search.state.value;
  shown.current = state.occurrences?.[state.current] ?? null;

  async function show({ found }: Occurrence): Promise<void> {
    const { view } = latest.current;
    if (!latest.current.conversation.messages.some(({ uid }) => uid === found.messageUid)) view.aim(found.messageUid);
    if (!(await chat.part(FeedPages).goTo(found.messageUid))) return;
    for (let frames = 0; frames < 20; frames++) {
      // The feed may re-render meanwhile, and unfolded content appears with the next render.
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const place = textPlace(latest.current.conversation, found);
      const article = place === null ? null : articleIn(view.scroller.current, place.articleUid);
      if (place === null || article === null) continue;
      const reads = latest.current.blocks
        .flatMap(({ rows }) => rows)
        .find((row) => row.kind === 'reads' && row.answers.some(({ key }) => key === place.articleUid));
      chat
        .part(FoldState)
        .unfold([...place.folds, ...(reads === undefined || found.kind === 'text' ? [] : [reads.key])]);
      const range = rangeOf(latest.current, shown.current, search.state.peek());
      if (range === null && frames < 6) continue;
      const top = article.getBoundingClientRect().top;
      const box = range?.getBoundingClientRect();
      const height = view.scroller.current?.clientHeight ?? 0;
      view.goTo(article, Math.round(height / 3 - ((box?.top ?? top) - top)));
      return;
    }
  }
  const open = (): void => {
    if (document.activeElement?.closest('.find-bar') !== null && document.activeElement !== null) return;
    returnTo.current =
      document.activeElement instanceof HTMLElement && document.activeElement !== document.body
        ? document.activeElement
        : null;
    setFocusAsked((count) => count + 1);
  };
  const close = (): void => {
    search.end();
    setFocusAsked(0);
    if (returnTo.current?.isConnected === true) returnTo.current.focus({ preventScroll: true });
    else chat.focusComposer();
  };
  const asked = chat.ui.findAsked.value;
  useEffect(() => {
    if (!asked) return;
    chat.ui.findAsked.value = false;
    open();
  }, [asked]);
  // Registered together with the field, so that a key right after it appears reaches it.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isFind =
        event.key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      const isStep = event.key === 'F3' && isOpen;
      if (event.defaultPrevented || !(isFind || isStep)) return;
      event.preventDefault();
      // VS Code listens for keys on the page's window and acts on them too: its own find opened in the text editor
      // beside the panel.
      event.stopPropagation();
      if (isFind) open();
      else search.step(event.shiftKey ? -1 : 1);
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen]);
  // A turn that has ended may contain more text.
  const running = chat.running.value?.uid ?? null;
  useEffect(() => {
    if (isOpen) search.refresh();
  }, [isOpen, running]);
  useHighlights(latest, isOpen, state);
  useEffect(() => {
    const forget = host.onNotification((notification) => {
      if (notification.name === 'findProgress') search.progressed(notification.payload);
    });
    return () => {
      forget();
      search.end();
    };
  }, [search]);
  return { isOpen, state, search, focusAsked, close };
}

/** Highlights matches in the rendered text without changing the DOM. */
function useHighlights(latest: { readonly current: ShownFeed }, isOpen: boolean, state: FindState): void {
  useEffect(() => {
    const feed = latest.current.view.scroller.current;
    const pattern = isOpen ? wordsPattern(state.text, state.matchCase) : null;
    if (pattern === null || feed === null || typeof Highlight === 'undefined') return undefined;
    const mark = (): void => {
      const ranges: Range[] = [];
      for (const part of feed.querySelectorAll('[data-part]')) {
        if (ranges.length < mostHighlights) ranges.push(...rangesIn(part, pattern, mostHighlights - ranges.length));
      }
      if (state.tools)
        for (const details of feed.querySelectorAll('.tool')) ranges.push(...rangesIn(details, pattern, 100));
      const current = rangeOf(latest.current, state.occurrences?.[state.current] ?? null, state);
      CSS.highlights.set(allName, new Highlight(...ranges));
      CSS.highlights.set(currentName, new Highlight(...(current === null ? [] : [current])));
      const own = CSS.highlights.get(currentName);
      if (own !== undefined) own.priority = 1;
    };
    let due: number | null = null;
    const observer = new MutationObserver(() => {
      due ??= requestAnimationFrame(() => {
        due = null;
        mark();
      });
    });
    mark();
    observer.observe(feed, { childList: true, characterData: true, subtree: true });
    return () => {
      observer.disconnect();
      if (due !== null) cancelAnimationFrame(due);
      CSS.highlights.delete(allName);
      CSS.highlights.delete(currentName);
    };
  }, [isOpen, state]);
}

/** Returns the range of an occurrence in the page; null when it is not rendered. */
function rangeOf(props: ShownFeed, occurrence: Occurrence | null, { text, matchCase }: FindState): Range | null {
  const pattern = wordsPattern(text, matchCase);
  const place = occurrence === null ? null : textPlace(props.conversation, occurrence.found);
  const article = place === null ? null : articleIn(props.view.scroller.current, place.articleUid);
  if (pattern === null || occurrence === null || place === null || article === null) return null;
  const texts =
    place.kind === 'tool'
      ? [...article.querySelectorAll('.tool')]
      : [...article.querySelectorAll(`[data-part=${place.kind}]`)].slice(place.ordinal, place.ordinal + 1);
  const ranges = texts.flatMap((part) => rangesIn(part, pattern));
  // A match in the source of an answer may render differently, for example inside a link's address.
  return ranges[Math.min(occurrence.nth, ranges.length - 1)] ?? null;
}

/** Position of the first visible message. */
function positionRead({ conversation, view }: ShownFeed): number {
  const feed = view.scroller.current;
  if (feed === null) return 0;
  const top = feed.getBoundingClientRect().top;
  const seen = articlesIn(feed).find((article) => article.getBoundingClientRect().bottom > top);
  return conversation.messages.find(({ uid }) => uid === seen?.dataset['uid'])?.row?.position ?? 0;
}

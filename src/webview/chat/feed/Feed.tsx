import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { t } from '../../localization';
import type { Conversation } from '../state/conversation';
import { answersIn, conversationBlocks, type TurnBlock } from '../state/conversationRows';
import { TurnView } from '../turn/TurnView';
import { useFollow } from './useFollow';
import { SessionArrival } from '../session/sessionArrival';
import { FeedPages } from '../state/feedPages';
import { lazyFeed } from './lazyFeed';
import { useChat } from '../state/chat';
import { lazyTurn } from '../turn/lazyTurn';
import { Icon, LinkButton } from '../../buttons';

/** Number of turns at the end that always get layout. */
const nearTurns = 20;

/** Number of turns at the end that render first: more than a screenful. Earlier turns render after the first paint. */
const firstTurns = 10;

/** The conversation, oldest first: its newest messages, or the part the user went to. Unchanged blocks keep their
 *  identity, so streaming text re-renders only its own turn. */
export function Feed({ conversation }: { readonly conversation: Conversation }) {
  const chat = useChat();
  const pages = chat.part(FeedPages);
  const away = pages.away.value;
  const newest = useBlocks(conversation);
  const elsewhere = useBlocks(away);
  // A part of the conversation that is not its end has no last turn.
  const blocks = useMemo(
    () => (away === null ? newest : elsewhere.map((block) => (block.isLast ? { ...block, isLast: false } : block))),
    [away === null, newest, elsewhere],
  );
  const newestUids = useStable(articleUids(newest));
  const uids = useStable(away === null ? newestUids : articleUids(blocks));
  const [restore] = useState(() => chat.part(SessionArrival).takePlace(conversation.session));
  const rendered = away ?? conversation;
  const isWhole = useAfterFirstPaint() || restore !== null || away !== null;
  const first = isWhole ? 0 : Math.max(0, blocks.length - firstTurns);
  const view = useFollow({
    session: conversation.session,
    uids,
    newest: newestUids,
    hasEarlier: isWhole && rendered.hasEarlier,
    restore,
  });
  const lazy = lazyFeed.value;
  const lazyOfTurn = lazyTurn.value;
  const loading = pages.fetching.value;
  return (
    <div class="conversation">
      <div
        class="scroller"
        ref={view.scroller}
        onScroll={view.onScroll}
        onWheel={view.onWheel}
        onKeyDown={view.onKeyDown}
        tabIndex={0}
      >
        {isWhole && rendered.hasEarlier && (
          <EdgeButton
            loading={loading === 'earlier'}
            label={t('Show Earlier Messages')}
            loadingLabel={t('Loading earlier messages…')}
            load={() => void pages.loadEarlier()}
          />
        )}
        <div ref={view.content}>
          {/* A feed may contain only articles as elements with a role, so everything else of a turn goes inside its
           * last article. */}
          <div class="feed" role="feed" aria-label={t('Conversation')} aria-busy={loading !== null}>
            {blocks.slice(first).map((block, index) => (
              <TurnView
                key={block.key}
                block={block}
                near={away === null && first + index >= blocks.length - nearTurns}
              />
            ))}
          </div>
          {rendered.activity?.turnUid === null && <CompressingLine />}
          {away === null && lazyOfTurn !== null && (
            <lazyOfTurn.TurnElsewhereCard conversationId={conversation.session.conversationId} />
          )}
        </div>
        {away !== null && (
          <EdgeButton
            loading={loading === 'later'}
            label={t('Show Later Messages')}
            loadingLabel={t('Loading later messages…')}
            load={() => void pages.loadLater()}
          />
        )}
      </div>
      {!view.following && lazy !== null && <lazy.JumpButton view={view} />}
      {isWhole && lazy !== null && <lazy.FeedTools conversation={rendered} blocks={blocks} uids={uids} view={view} />}
    </div>
  );
}

/** Returns false until the first render is painted. */
function useAfterFirstPaint(): boolean {
  const [isPainted, setPainted] = useState(false);
  useEffect(() => setPainted(true), []);
  return isPainted;
}

function useBlocks(conversation: Conversation | null): readonly TurnBlock[] {
  const previous = useRef<readonly TurnBlock[]>([]);
  return useMemo(
    () => (previous.current = conversation === null ? [] : conversationBlocks(conversation, previous.current)),
    [conversation],
  );
}

function articleUids(blocks: readonly TurnBlock[]): readonly string[] {
  return blocks.flatMap((block) => [
    ...(block.prompt === null ? [] : [block.prompt.uid]),
    ...block.rows.flatMap((row) => (row.kind === 'steering' ? [row.key] : answersIn(row).map((answer) => answer.key))),
  ]);
}

interface EdgeProps {
  readonly loading: boolean;
  readonly label: string;
  readonly loadingLabel: string;
  readonly load: () => void;
}

/** Button at the edge of the rendered messages that loads the next page. */
function EdgeButton({ loading, label, loadingLabel, load }: EdgeProps) {
  return <LinkButton label={loading ? loadingLabel : label} class="earlier" disabled={loading} act={load} />;
}

/** Returns the same array as long as its items are the same. */
function useStable(items: readonly string[]): readonly string[] {
  const kept = useRef(items);
  const same = kept.current.length === items.length && kept.current.every((item, index) => item === items[index]);
  if (!same) kept.current = items;
  return kept.current;
}

/** Status line while a session is compressed between two turns. */
function CompressingLine() {
  return (
    <p class="activity" role="status">
      <Icon name="loading" spin />
      <span>{t('Summarizing earlier messages…')}</span>
    </p>
  );
}

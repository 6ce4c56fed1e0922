import { useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../../Icon';
import { t } from '../../localization';
import type { Conversation } from '../conversation';
import { answersIn, conversationBlocks, type TurnBlock } from '../conversationRows';
import { CompressingLine } from './ActivityLine';
import { useChat } from './ChatContext';
import { TurnView } from './TurnView';
import { useFollow } from './useFollow';
import { useRevealed } from './useRevealed';

/** The conversation, oldest first. Blocks keep their identity while nothing about them changes, so text that streams redraws its own turn only. */
export function Feed({ conversation }: { readonly conversation: Conversation }) {
  const chat = useChat();
  const previous = useRef<readonly TurnBlock[]>([]);
  const blocks = useMemo(() => (previous.current = conversationBlocks(conversation, previous.current)), [conversation]);
  const uids = useStable(articleUids(blocks));
  const [restore] = useState(() => chat.takePlace(conversation.session.id));
  const view = useFollow({
    uids,
    hasEarlier: conversation.hasEarlier,
    restore,
    jumps: chat.jumpToEnd.value,
    loadEarlier: () => void chat.loadEarlier(),
    remember: (anchor) => chat.needs.memory.remember({ sessionId: conversation.session.id, anchor }),
  });
  useRevealed(chat.revealed, view, uids);
  return (
    <div class="conversation">
      <div class="scroller" ref={view.scroller} onScroll={view.onScroll} onWheel={view.onWheel} onKeyDown={view.onKeyDown} tabIndex={0}>
        {conversation.hasEarlier && <EarlierButton />}
        <div ref={view.content}>
          {/* A feed holds articles and nothing else that has a role: what belongs to a turn stands inside its last article. */}
          <div class="feed" role="feed" aria-label={t('Conversation')} aria-busy={chat.loadingEarlier.value}>
            {blocks.map((block, index) => <TurnView key={block.key} block={block} near={index >= blocks.length - 20} />)}
          </div>
          {conversation.activity?.turnUid === null && <CompressingLine />}
        </div>
      </div>
      {!view.following && <JumpButton unseen={view.unseen} jump={view.goToEnd} />}
    </div>
  );
}

function EarlierButton() {
  const chat = useChat();
  const loading = chat.loadingEarlier.value;
  return (
    <button type="button" class="link-button earlier" disabled={loading} onClick={() => void chat.loadEarlier()}>
      {loading ? t('Loading earlier messages…') : t('Show Earlier Messages')}
    </button>
  );
}

function JumpButton({ unseen, jump }: { readonly unseen: number; readonly jump: () => void }) {
  return (
    <button type="button" class="jump" onClick={jump} aria-label={unseen > 0 ? t('Jump to latest, {count} new', { count: unseen }) : t('Jump to latest')}>
      <Icon name="arrow-down" />
      {unseen > 0 && <span>{t('{count} new', { count: unseen })}</span>}
    </button>
  );
}

function articleUids(blocks: readonly TurnBlock[]): readonly string[] {
  return blocks.flatMap((block) => [
    ...(block.prompt === null ? [] : [block.prompt.uid]),
    ...block.rows.flatMap((row) => (row.kind === 'steering' ? [row.key] : answersIn(row).map((answer) => answer.key))),
  ]);
}

/** The same array as long as its items are the same. */
function useStable(items: readonly string[]): readonly string[] {
  const kept = useRef(items);
  const same = kept.current.length === items.length && kept.current.every((item, index) => item === items[index]);
  if (!same) kept.current = items;
  return kept.current;
}

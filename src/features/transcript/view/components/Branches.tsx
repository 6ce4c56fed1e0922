import { useRef, useState } from 'preact/hooks';
import { Icon } from '../../../../webview/buttons';
import { t } from '../../../../webview/localization';
import { age } from '../../../../webview/times';
import { branchRows, treeMove, type BranchRow } from '../state/branchRows';
import type { TranscriptController } from '../state/transcriptController';

/** Pixels that an arrow key moves the sash. */
const keyStep = 16;

/** Sessions that this one was branched from and that were branched from it. Enter or a click opens one in this tab. */
export function Branches({ transcript }: { readonly transcript: TranscriptController }) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [focused, setFocused] = useState<string | null>(null);
  const tree = useRef<HTMLDivElement>(null);
  const here = transcript.session.value?.conversationId ?? '';
  const rows = branchRows(transcript.branches.value, closed);
  const ids = rows.map(({ branch }) => branch.conversationId);
  const active = focused !== null && ids.includes(focused) ? focused : ids.includes(here) ? here : (ids[0] ?? '');
  const fold = (conversationId: string, isClosed: boolean): void => {
    const next = new Set(closed);
    if (isClosed) next.add(conversationId);
    else next.delete(conversationId);
    setClosed(next);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' || event.key === ' ') transcript.goToBranch(active);
    else {
      const move = treeMove(rows, active, event.key);
      if (move === null) return;
      if (move.kind === 'focus') focusItem(tree.current, move.conversationId);
      else fold(active, move.kind === 'close');
    }
    event.preventDefault();
  };
  return (
    <aside
      class="branches"
      ref={(element) => element?.style.setProperty('--branches-width', `${transcript.branchesWidth.value}px`)}
    >
      <h2 id="branches-title" class="branches-title">
        {t('Branches')}
      </h2>
      <div class="branch-tree" role="tree" aria-labelledby="branches-title" ref={tree} onKeyDown={onKeyDown}>
        {rows.map((row) => (
          <BranchItem
            key={row.branch.conversationId}
            row={row}
            isHere={row.branch.conversationId === here}
            isActive={row.branch.conversationId === active}
            now={transcript.nowMs() / 1000}
            focus={() => setFocused(row.branch.conversationId)}
            go={() => transcript.goToBranch(row.branch.conversationId)}
            fold={() => fold(row.branch.conversationId, row.isOpen)}
          />
        ))}
      </div>
    </aside>
  );
}

interface BranchItemProps {
  readonly row: BranchRow;
  readonly isHere: boolean;
  readonly isActive: boolean;
  readonly now: number;
  readonly focus: () => void;
  readonly go: () => void;
  readonly fold: () => void;
}

function BranchItem({
  row: { branch, level, place, siblings, hasBranches, isOpen },
  isHere,
  isActive,
  now,
  focus,
  go,
  fold,
}: BranchItemProps) {
  const title = branch.title ?? t('Untitled Session');
  const turns = branch.turnCount === 1 ? t('1 turn') : t('{count} turns', { count: branch.turnCount });
  const facts = [...(branch.subAgent ? [t('sub-agent')] : []), age(branch.lastActiveAt, now), turns].join(' · ');
  return (
    <div
      class={`branch${isHere ? ' here' : ''} level-${Math.min(level, 8)}`}
      role="treeitem"
      aria-level={level}
      aria-posinset={place}
      aria-setsize={siblings}
      aria-expanded={hasBranches ? isOpen : undefined}
      aria-current={isHere ? 'true' : undefined}
      aria-selected={isHere}
      aria-label={isHere ? t('{title}, {facts}, current session', { title, facts }) : `${title}, ${facts}`}
      title={title}
      data-conversation={branch.conversationId}
      tabIndex={isActive ? 0 : -1}
      onFocus={focus}
      onClick={go}
    >
      <span
        class={`twistie${hasBranches ? '' : ' none'}`}
        onClick={(event) => {
          if (!hasBranches) return;
          event.stopPropagation();
          fold();
        }}
      >
        <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} />
      </span>
      <span class="branch-words">
        <span class="branch-name" dir="auto">
          {title}
        </span>
        <span class="branch-facts">{isHere ? t('{facts} · current session', { facts }) : facts}</span>
      </span>
    </div>
  );
}

function focusItem(tree: HTMLElement | null, conversationId: string): void {
  const items = [...(tree?.querySelectorAll<HTMLElement>('[role=treeitem]') ?? [])];
  items.find(({ dataset }) => dataset['conversation'] === conversationId)?.focus();
}

/** Border between branches and rows: moves by dragging or with the arrow keys. */
export function BranchesSash({ transcript }: { readonly transcript: TranscriptController }) {
  const width = transcript.branchesWidth.value;
  return (
    <div
      class="sash"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('Width of the branches')}
      aria-valuenow={width}
      aria-valuemin={140}
      aria-valuemax={480}
      tabIndex={0}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) transcript.resizeBranches(event.clientX);
      }}
      onDblClick={() => transcript.resizeBranches(230)}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? keyStep : event.key === 'ArrowLeft' ? -keyStep : 0;
        if (step === 0) return;
        event.preventDefault();
        transcript.resizeBranches(width + step);
      }}
    />
  );
}

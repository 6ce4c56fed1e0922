import { useRef, useState, useEffect } from 'preact/hooks';
import type { RowRevision } from '../../protocol/transcriptProtocol';
import { IconButton, LinkButton } from '../../../../webview/buttons';
import { t } from '../../../../webview/localization';
import { memo } from '../../../../webview/memo';
import { clockTime, fullTime } from '../../../../webview/times';
import type { RawRow } from '../state/rowActions';
import type { TranscriptController } from '../state/transcriptController';
import { authorWord, type TranscriptRow } from '../state/transcriptRows';
import { PartView, Code } from './PartView';
import { VerifyMark } from './VerifyPanel';
import { DiffView } from '../../../../webview/DiffView';

interface RowProps {
  readonly row: TranscriptRow;
  readonly raw: boolean;
  /** True for the row that is the tab stop. */
  readonly isCurrent: boolean;
  readonly isSelected: boolean;
  /** True when the user was just taken here. */
  readonly isMarked: boolean;
  /** True for the current match of a search: nothing in the row is folded. */
  readonly isFound: boolean;
  /** Content before the row was rewritten; null until the user asks for it. */
  readonly revisions: readonly RowRevision[] | null;
  readonly rawRow: RawRow | null;
  readonly transcript: TranscriptController;
}

/** One stored row: its kind, and all of its content. */
export const Row = memo((props: RowProps) => {
  const { row, raw, isCurrent, isSelected, isMarked, isFound, revisions, rawRow, transcript } = props;
  const { message, number, state, tokens, asides } = row;
  const [isHovered, setHovered] = useState(false);
  /** True while a mouse button is pressed: the click itself selects, with its modifier keys. */
  const pressed = useRef(false);
  const { actions } = transcript;
  const onClick = (event: MouseEvent): void => {
    if (event.shiftKey) actions.extend(message.uid);
    else if (event.ctrlKey || event.metaKey) actions.toggle(message.uid);
    else actions.select(message.uid);
  };
  const onContextMenu = (event: MouseEvent): void => {
    // Over selected text, VS Code's own menu copies it.
    if ((getSelection()?.toString() ?? '') !== '') return;
    event.preventDefault();
    actions.menu.value = { uid: message.uid, x: event.clientX, y: event.clientY };
  };
  const classes = [
    'row',
    `row-${message.role}`,
    row.isHidden ? 'row-aside' : '',
    isSelected ? 'selected' : '',
    isMarked ? 'marked' : '',
  ].filter((name) => name !== '');
  return (
    <div
      class={classes.join(' ')}
      role="row"
      data-uid={message.uid}
      aria-rowindex={number + 1}
      aria-selected={isSelected}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={(event) => {
        if (event.target === event.currentTarget && !pressed.current && !actions.isSelected(message.uid))
          actions.select(message.uid);
      }}
      onPointerDown={() => (pressed.current = true)}
      onClick={(event) => {
        pressed.current = false;
        onClick(event);
      }}
      onContextMenu={onContextMenu}
      onPointerEnter={() => setHovered(true)}
      onPointerLeave={() => {
        pressed.current = false;
        setHovered(false);
      }}
    >
      <span class="cell cell-number" role="gridcell">
        {number}
      </span>
      <span class="cell cell-role" role="rowheader">
        {authorWord(message)}
      </span>
      <span class="cell cell-time" role="gridcell">
        <time dateTime={new Date(message.createdAt * 1000).toISOString()} title={fullTime(message.createdAt)}>
          {clockTime(message.createdAt, transcript.nowMs() / 1000)}
        </time>
      </span>
      <span class={`cell cell-state${isBad(row) ? ' bad' : ''}`} role="gridcell">
        {state}
        <VerifyMark uid={message.uid} transcript={transcript} />
      </span>
      <span class="cell cell-tokens" role="gridcell">
        {tokens}
      </span>
      <div class="cell cell-content" role="gridcell">
        {asides.map((aside) => (
          <p class="aside" key={aside}>
            {aside}
          </p>
        ))}
        {message.parts.length === 0 && <p class="aside">{t('Empty')}</p>}
        {message.parts.map((part, index) => (
          <PartView
            key={index}
            part={part}
            role={message.role}
            raw={raw}
            open={isFound}
            approvals={row.approvals}
            markdown={transcript.markdown}
          />
        ))}
        {row.isRevised && <Earlier row={row} raw={raw} open={isFound} revisions={revisions} transcript={transcript} />}
        {rawRow !== null && <RawRowView uid={message.uid} number={number} row={rawRow} transcript={transcript} />}
      </div>
      <span class="cell cell-actions" role="gridcell">
        {(isHovered || isCurrent) && (
          <RowToolbar row={row} isOpen={rawRow !== null} isReachable={isCurrent} transcript={transcript} />
        )}
      </span>
    </div>
  );
});

function isBad({ message }: TranscriptRow): boolean {
  return message.role === 'tool' && message.parts[0].outcome !== 'done';
}

interface RowToolbarProps {
  readonly row: TranscriptRow;
  readonly isOpen: boolean;
  /** True when the Tab key reaches it. */
  readonly isReachable: boolean;
  readonly transcript: TranscriptController;
}

/** Actions for one row, on hover and focus. All others are in its menu. */
function RowToolbar({ row: { message, number }, isOpen, isReachable, transcript }: RowToolbarProps) {
  const { actions } = transcript;
  const button = (icon: string, label: string, act: (event: MouseEvent) => void, pressed?: boolean) => (
    <IconButton icon={icon} label={label} act={act} aria-pressed={pressed} tabIndex={isReachable ? 0 : -1} />
  );
  return (
    <span
      class="row-toolbar"
      role="group"
      aria-label={t('Row {number}', { number })}
      onClick={(event) => event.stopPropagation()}
    >
      {button('json', isOpen ? t('Hide Raw Row') : t('Raw Row'), () => void actions.toggleRaw(message.uid), isOpen)}
      {button('copy', t('Copy Row'), () => actions.copy('markdown', message.uid))}
      {transcript.isOfThisHistory.value &&
        message.visibility.kind === 'shown' &&
        button('comment-discussion', t('Open in Chat'), () => actions.openInChat(message))}
      {button('ellipsis', t('More Actions…'), ({ clientX: x, clientY: y }) => {
        actions.menu.value = { uid: message.uid, x, y };
      })}
    </span>
  );
}

interface RawRowViewProps {
  readonly uid: string;
  readonly number: number;
  readonly row: RawRow;
  readonly transcript: TranscriptController;
}

/** The row as stored in the file, field by field. */
function RawRowView({ uid, number, row, transcript }: RawRowViewProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [row.kind]);
  return (
    <section class="part raw-row" ref={section}>
      <h2 class="part-title">{t('Raw Row')}</h2>
      {row.kind === 'reading' && <p class="aside">{t('Reading…')}</p>}
      {row.kind === 'gone' && <p class="aside">{t('This no longer exists.')}</p>}
      {row.kind === 'read' && (
        <>
          <Code text={row.json} label={t('Raw row {number}', { number })} open={false} />
          <p class="row-links">
            <LinkButton label={t('Copy as JSON')} act={() => transcript.markdown.copy(row.json)} />
            <LinkButton label={t('Hide Raw Row')} act={() => void transcript.actions.toggleRaw(uid)} />
          </p>
        </>
      )}
    </section>
  );
}

interface EarlierProps {
  readonly row: TranscriptRow;
  readonly raw: boolean;
  readonly open: boolean;
  /** Content before the row was rewritten; null until the user asks for it. */
  readonly revisions: readonly RowRevision[] | null;
  readonly transcript: TranscriptController;
}

/** Earlier content of a repaired row: the full text, and what changed. Read only when the user asks. */
function Earlier({ row, raw, open, revisions, transcript }: EarlierProps) {
  const { uid, role } = row.message;
  if (revisions === null) {
    return <LinkButton label={t('Show Earlier Content')} act={() => void transcript.actions.showRevisions(uid)} />;
  }
  if (revisions.length === 0) return <p class="aside">{t('No earlier content is stored for this row.')}</p>;
  return (
    <>
      {revisions.map(({ revisedAt, parts, diff }, index) => {
        const time = fullTime(revisedAt);
        return (
          <section class="part earlier-content" key={index}>
            <h2 class="part-title">{t('Before {time}', { time })}</h2>
            {parts.map((part, at) => (
              <PartView
                key={at}
                part={part}
                role={role}
                raw={raw}
                open={open}
                approvals={[]}
                markdown={transcript.markdown}
              />
            ))}
            {diff !== null && <DiffView diff={diff} label={t('Changes at {time}', { time })} nameless />}
          </section>
        );
      })}
    </>
  );
}

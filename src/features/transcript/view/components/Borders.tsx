import { IconButton, LinkButton } from '../../../../webview/buttons';
import { t, shownList } from '../../../../webview/localization';
import { memo } from '../../../../webview/memo';
import { fileText, savedTokens, turnLabels } from '../state/borderLabels';
import type { TranscriptController } from '../state/transcriptController';
import type { TranscriptEntry } from '../state/transcriptRows';

interface TurnBorderProps {
  readonly entry: TranscriptEntry & { readonly kind: 'turn' };
  readonly transcript: TranscriptController;
}

/** Line above the rows of a turn: its outcome as a whole. */
export const TurnBorder = memo(({ entry: { stored, isHidden, isContinued }, transcript }: TurnBorderProps) => {
  const { turn, files } = stored;
  if (isContinued) {
    return (
      <div class="border turn-border" role="row">
        <div class="border-cell" role="gridcell" aria-colspan={7}>
          {t('Turn {number}, continued', { number: stored.number })}
        </div>
      </div>
    );
  }
  const failure = turn.state === 'settled' ? turn.failure : null;
  const isBad = turn.state === 'settled' && turn.outcome !== 'complete';
  return (
    <div class={`border turn-border${isHidden ? ' row-aside' : ''}`} role="row">
      <div class="border-cell" role="gridcell" aria-colspan={7}>
        <p class="border-words">
          {turnLabels(stored).join(' · ')}
          <Versions stored={stored} transcript={transcript} />
        </p>
        {failure !== null && <p class={`border-note${isBad ? ' bad' : ''}`}>{failure.sentence}</p>}
        {files.length > 0 && (
          <p class="border-note">
            {files.length === 1
              ? t('1 file changed: {files}', { files: shownList(files.map(fileText)) })
              : t('{count} files changed: {files}', { count: files.length, files: shownList(files.map(fileText)) })}
          </p>
        )}
      </div>
    </div>
  );
});

/** Versions of a prompt; the others are in the transcript as well, hidden. */
function Versions({
  stored: { turn, versions },
  transcript,
}: {
  readonly stored: TurnBorderProps['entry']['stored'];
  readonly transcript: TranscriptController;
}) {
  const at = versions.findIndex(({ turnUid }) => turnUid === turn.uid);
  if (versions.length < 2 || at === -1) return null;
  const step = (by: 1 | -1, name: string, icon: string) => {
    const target = versions[at + by];
    return (
      <IconButton
        icon={icon}
        label={name}
        disabled={target === undefined}
        act={() => target !== undefined && void transcript.reveal(target.firstUid)}
      />
    );
  };
  return (
    <span class="versions">
      {step(-1, t('Previous Version'), 'chevron-left')}
      {t('version {number} of {count}', { number: at + 1, count: versions.length })}
      {step(1, t('Next Version'), 'chevron-right')}
    </span>
  );
}

interface SegmentBorderProps {
  readonly entry: TranscriptEntry & { readonly kind: 'segment' };
  readonly transcript: TranscriptController;
}

/** Marks a compression, with links to both sides: the summarized part and the summary. */
export const SegmentBorder = memo(({ entry: { before, segment, after }, transcript }: SegmentBorderProps) => (
  <div class="border segment-border" role="row">
    <div class="border-cell" role="gridcell" aria-colspan={7}>
      {before !== null && (
        <p class="border-words">
          {saved(savedTokens(segment), t('Earlier messages summarized'))}
          {' · '}
          <LinkButton label={t('Show Original')} act={() => void transcript.reveal(before.firstUid)} />
        </p>
      )}
      {after !== null && (
        <p class="border-words">
          {saved(savedTokens(after), t('This part was summarized later'))}
          {' · '}
          <LinkButton
            label={t('Go to the summary')}
            act={() => void transcript.reveal(after.handoffUid ?? after.firstUid)}
          />
        </p>
      )}
    </div>
  </div>
));

function saved(tokens: string | null, what: string): string {
  return tokens === null ? what : `${what}, ${tokens}`;
}

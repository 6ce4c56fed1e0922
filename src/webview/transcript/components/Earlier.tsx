import type { RowRevision } from '../../../protocol/transcriptProtocol';
import { DiffView } from '../../DiffView';
import { t } from '../../localization';
import { fullTime } from '../../times';
import type { TranscriptController } from '../state/transcriptController';
import type { TranscriptRow } from '../state/transcriptRows';
import { PartView } from './PartView';

interface EarlierProps {
  readonly row: TranscriptRow;
  readonly raw: boolean;
  readonly open: boolean;
  /** Content before the row was rewritten; null until the user asks for it. */
  readonly revisions: readonly RowRevision[] | null;
  readonly transcript: TranscriptController;
}

/** Earlier content of a repaired row: the full text, and what changed. Read only when the user asks. */
export function Earlier({ row, raw, open, revisions, transcript }: EarlierProps) {
  const { uid, role } = row.message;
  if (revisions === null) {
    return (
      <button type="button" class="link-button" onClick={() => void transcript.actions.showRevisions(uid)}>
        {t('Show Earlier Content')}
      </button>
    );
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

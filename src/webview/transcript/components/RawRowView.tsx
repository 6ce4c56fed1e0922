import { useEffect, useRef } from 'preact/hooks';
import { t } from '../../localization';
import type { RawRow } from '../state/rowActions';
import type { TranscriptController } from '../state/transcriptController';
import { Code } from './PartView';

interface RawRowViewProps {
  readonly uid: string;
  readonly number: number;
  readonly row: RawRow;
  readonly transcript: TranscriptController;
}

/** The row as stored in the file, field by field. */
export function RawRowView({ uid, number, row, transcript }: RawRowViewProps) {
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.scrollIntoView({ block: 'nearest' }), [row.kind]);
  return (
    <section class="part raw-row" ref={section}>
      <h2 class="part-title">{t('Raw row')}</h2>
      {row.kind === 'reading' && <p class="aside">{t('Reading…')}</p>}
      {row.kind === 'gone' && <p class="aside">{t('This row no longer exists.')}</p>}
      {row.kind === 'read' && (
        <>
          <Code text={row.json} label={t('Raw row {number}', { number })} open={false} />
          <p class="row-links">
            <button type="button" class="link-button" onClick={() => transcript.markdown.copy(row.json)}>
              {t('Copy as JSON')}
            </button>
            <button type="button" class="link-button" onClick={() => void transcript.actions.toggleRaw(uid)}>
              {t('Hide Raw Row')}
            </button>
          </p>
        </>
      )}
    </section>
  );
}

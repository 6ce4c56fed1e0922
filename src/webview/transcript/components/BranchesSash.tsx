import { t } from '../../localization';
import type { TranscriptController } from '../state/transcriptController';

/** Pixels that an arrow key moves the sash. */
const keyStep = 16;

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

import { t } from '../../localization';
import type { TranscriptController } from '../transcriptController';
import { FindBox } from './FindBox';
import { Grid } from './Grid';
import { Toolbar } from './Toolbar';

export function TranscriptApp({ transcript }: { readonly transcript: TranscriptController }) {
  if (!transcript.ready.value) return <div class="progress" role="progressbar" aria-label={t('Opening…')} />;
  const problem = transcript.problem.value;
  const title = transcript.session.value?.title ?? t('Untitled Session');
  return (
    <main class="transcript">
      <header class="transcript-head">
        <h1 class="transcript-title" dir="auto">{title}</h1>
        <p class="transcript-note">{t('What is stored, row by row. Read-only.')}</p>
        <Toolbar transcript={transcript} />
        <FindBox transcript={transcript} />
      </header>
      {problem !== null && <p class="notice notice-error transcript-problem" role="alert">{problem}</p>}
      <Grid transcript={transcript} />
    </main>
  );
}

import { useEffect, useState } from 'preact/hooks';
import { t } from '../../../../webview/localization';
import { fullTime } from '../../../../webview/times';
import type { TranscriptController } from '../state/transcriptController';
import { Branches, BranchesSash } from './Branches';
import { FindBox } from './FindBox';
import { Grid } from './Grid';
import { RowMenu } from './RowMenu';
import { SelectionBar, Toolbar } from './Toolbar';
import { VerifyPanel } from './VerifyPanel';

export function TranscriptApp({ transcript }: { readonly transcript: TranscriptController }) {
  const isWide = useMedia('(min-width: 761px)');
  if (!transcript.ready.value) return <div class="progress" role="progressbar" aria-label={t('Opening…')} />;
  const problem = transcript.problem.value;
  const session = transcript.session.value;
  const branchesShown = transcript.branches.value.length > 1 && (transcript.branchesShown.value ?? isWide);
  return (
    <main class="transcript">
      <header class="transcript-head">
        <h1 class="transcript-title" dir="auto">
          {session === null ? t('Transcript') : (session.title ?? t('Untitled Session'))}
        </h1>
        <p class="transcript-note">{noteOf(transcript)}</p>
        {session !== null && <Toolbar transcript={transcript} branchesShown={branchesShown} />}
        {session !== null && <FindBox transcript={transcript} />}
        <SelectionBar transcript={transcript} />
      </header>
      {problem !== null && <Problem sentence={problem} transcript={transcript} />}
      <VerifyPanel transcript={transcript} />
      <div class="transcript-body">
        {branchesShown && <Branches transcript={transcript} />}
        {branchesShown && isWide && <BranchesSash transcript={transcript} />}
        <Grid transcript={transcript} key={session?.conversationId} />
      </div>
      <RowMenu transcript={transcript} />
    </main>
  );
}

/** Reason why something could not be read. The content shown stays, and reading can be retried. */
function Problem({ sentence, transcript }: { readonly sentence: string; readonly transcript: TranscriptController }) {
  return (
    <div class="notice notice-error transcript-problem" role="alert">
      <div class="notice-body">
        <p>{sentence}</p>
        <div class="notice-actions">
          <button type="button" class="button compact" onClick={() => transcript.start()}>
            {t('Try Again')}
          </button>
          {transcript.file.value !== null && (
            <button type="button" class="button compact secondary" onClick={() => transcript.openAsText()}>
              {t('Open as Text')}
            </button>
          )}
          <button type="button" class="button compact secondary" onClick={() => transcript.showLog()}>
            {t('Show Log')}
          </button>
        </div>
      </div>
    </div>
  );
}

function noteOf(transcript: TranscriptController): string {
  const folder = transcript.otherFolder.value;
  const readAt = transcript.readAt.value;
  const total = transcript.stored.value?.total ?? 0;
  const rows =
    total === 0
      ? t('Stored rows. Read-only.')
      : total === 1
        ? t('Stored rows: 1. Read-only.')
        : t('Stored rows: {count}. Read-only.', { count: total });
  const note =
    folder === null ? rows : t('Session from {folder}, as it was when you opened this tab. Read-only.', { folder });
  return readAt === null ? note : `${note} ${t('Read on {time}.', { time: fullTime(readAt) })}`;
}

function useMedia(query: string): boolean {
  const [matches, setMatches] = useState(() => matchMedia(query).matches);
  useEffect(() => {
    const list = matchMedia(query);
    const changed = (): void => setMatches(list.matches);
    list.addEventListener('change', changed);
    return () => list.removeEventListener('change', changed);
  }, [query]);
  return matches;
}

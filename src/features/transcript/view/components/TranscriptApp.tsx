import { useEffect, useState } from 'preact/hooks';
import { Button } from '../../../../webview/buttons';
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
  if (transcript.origin.value === null) return <div class="progress" role="progressbar" aria-label={t('Opening…')} />;
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
          <Button primary label={t('Try Again')} act={() => transcript.start()} />
          {(transcript.origin.value?.file ?? null) !== null && (
            <Button label={t('Open as Text')} act={() => transcript.fileAction('openAsText')} />
          )}
          <Button label={t('Show Log')} act={() => transcript.host.send('showLog', {})} />
        </div>
      </div>
    </div>
  );
}

function noteOf(transcript: TranscriptController): string {
  const { otherFolder: folder = null, readAt = null } = transcript.origin.value ?? {};
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

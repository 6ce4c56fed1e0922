import { useEffect, useState } from 'preact/hooks';
import { t } from '../../localization';
import type { TranscriptController } from '../transcriptController';
import { Branches } from './Branches';
import { FindBox } from './FindBox';
import { Grid } from './Grid';
import { Toolbar } from './Toolbar';

export function TranscriptApp({ transcript }: { readonly transcript: TranscriptController }) {
  const hasRoom = useMedia('(min-width: 761px)');
  if (!transcript.ready.value) return <div class="progress" role="progressbar" aria-label={t('Opening…')} />;
  const problem = transcript.problem.value;
  const session = transcript.session.value;
  const branchesShown = transcript.branches.value.length > 1 && (transcript.branchesShown.value ?? hasRoom);
  return (
    <main class="transcript">
      <header class="transcript-head">
        <h1 class="transcript-title" dir="auto">{session?.title ?? t('Untitled Session')}</h1>
        <p class="transcript-note">{noteOf(transcript.otherFolder.value)}</p>
        <Toolbar transcript={transcript} branchesShown={branchesShown} />
        <FindBox transcript={transcript} />
      </header>
      {problem !== null && <p class="notice notice-error transcript-problem" role="alert">{problem}</p>}
      <div class="transcript-body">
        {branchesShown && <Branches transcript={transcript} />}
        <Grid transcript={transcript} key={session?.conversationId} />
      </div>
    </main>
  );
}

function noteOf(otherFolder: string | null): string {
  return otherFolder === null
    ? t('What is stored, row by row. Read-only.')
    : t('A session of {folder}, as it was when this tab was opened. Read-only.', { folder: otherFolder });
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

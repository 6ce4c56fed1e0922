import type { Failure } from '../../../src/transcript/stopReason';
import type { Settlement } from '../../../src/transcript/turn';
import { answer, prompt, session, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** Ends of turns that offer something to do, and headers with long names, for the preview. */

const question = prompt({ uid: 'u1', position: 1 }, 'Why does upload.test.ts fail on CI only?');
const begun = answer({ uid: 'a1', position: 2 }, [
  'The retry timer uses the real clock, so the test passes only where the machine is',
]);

const contextFull: Failure = {
  cause: 'context',
  sentence:
    'The session no longer fits into the context of qwen3:8b (40,960 tokens). Everything shown is saved. Compress the session, start a new one, or choose a model with a larger context.',
  technical: 'HTTP 400 from http://127.0.0.1:11434/v1/chat/completions\ncontext_length_exceeded',
};
const limitReached: Failure = {
  cause: 'spendingLimit',
  sentence:
    'This session has cost $1.02 and reached your limit of $1.00. Everything shown is saved. Continue to allow another $1.00.',
  technical: '',
};

/** */
export function endingStates(): Readonly<Record<string, PreviewState>> {
  const ends = (change: Partial<Settlement>): PreviewState =>
    chat(shownSession({ messages: [question, begun], turns: [settledTurn('turn1', 'u1', change)] }));
  const title =
    'Find out why the resumable uploads of large files fail on slow machines, and hold the clock still in their tests';
  return {
    'turn-stopped': ends({ outcome: 'interrupted', stopReason: 'user' }),
    'turn-context-full': ends({ outcome: 'failed', stopReason: 'error', failure: contextFull }),
    'turn-spending-limit': ends({ outcome: 'interrupted', stopReason: 'spendingLimit', failure: limitReached }),
    'header-long': chat(
      shownSession({
        session: session({ title, parentSessionId: 's2', parentKind: 'branch', private: true }),
        messages: [question, begun],
        turns: [settledTurn()],
        origin: { sessionId: 's2', title: `Before: ${title}`, isTrashed: false },
      }),
    ),
  };
}

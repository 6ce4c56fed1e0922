import type { Message } from '../../../src/transcript/message';
import type { Turn } from '../../../src/transcript/turn';
import { answer, call, prompt, result, runningTurn, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** Everything that is stored of a conversation, for a preview whose host reads pages of it. */
export interface StoredConversation {
  readonly messages: readonly Message[];
  readonly turns: readonly Turn[];
}

/** Messages that a view is given at first. */
const firstPage = 60;

/** A conversation of this many turns; the first one alone speaks of a zeppelin, the third has tool calls, and thinking. */
export function longConversation(turns: number): StoredConversation {
  const ofTurn = (index: number): readonly Message[] => {
    const [turnUid, position] = [`lt${index}`, index * 10 + 1];
    const asked = prompt(
      { uid: `lu${index}`, position, turnUid },
      index === 0
        ? 'Question 1: where does the zeppelin land?'
        : `Question ${index + 1}: what does part ${index + 1} of this folder do, and why is it there at all?`,
    );
    const text =
      index === 0
        ? 'The **zeppelin** lands on the roof of `upload.ts`.'
        : `Part ${index + 1} does what its name says.\n\n${'It is called from the queue, and it waits for the clock. '.repeat(3 + (index % 5) * 2)}`;
    if (index !== 2) return [asked, answer({ uid: `la${index}`, position: position + 1, turnUid }, [text])];
    return [
      asked,
      answer({ uid: `lc${index}`, position: position + 1, turnUid }, [
        { kind: 'thinking', text: 'A balloon would be lighter.' },
        call('lk1', 'run_command', { command: 'npm test' }),
      ]),
      result(
        { uid: `lr${index}`, position: position + 2, turnUid },
        'lk1',
        'run_command',
        'FAIL: gondola.test.ts',
        'failed',
      ),
      answer({ uid: `la${index}`, position: position + 3, turnUid }, [text]),
    ];
  };
  return {
    messages: Array.from({ length: turns }, (_, index) => ofTurn(index)).flat(),
    turns: Array.from({ length: turns }, (_, index) => settledTurn(`lt${index}`, `lu${index}`)),
  };
}

/** States of long conversations, for the preview. */
export function feedStates(): Readonly<Record<string, PreviewState>> {
  const stored = longConversation(400);
  const shown = shownSession({
    messages: stored.messages.slice(-firstPage),
    turns: stored.turns.slice(-firstPage / 2),
    hasEarlier: true,
  });
  const asked = prompt({ uid: 'lu400', position: 5001, turnUid: 'lt400' }, 'And what is the newest part?');
  const running = shownSession({
    ...shown,
    messages: [...shown.messages, asked],
    openTurn: runningTurn('lt400', 'lu400'),
    activity: { kind: 'answering' },
  });
  const read = shownSession({
    messages: [
      prompt(
        { uid: 'u1', position: 1 },
        'Why does upload.test.ts fail on CI only, and what would have to be done so that it never does that again, on no machine, however slow it is?',
      ),
      answer({ uid: 'a1', position: 2 }, ['The retry timer uses the real clock. '.repeat(120)]),
    ],
    turns: [settledTurn()],
  });
  return {
    'feed-long': chat(shown, { stored }),
    'feed-running': chat(running, { stored: { ...stored, messages: [...stored.messages, asked] } }),
    'feed-prompt-above': chat(read),
    'feed-find': chat(shown, { stored, find: 'the queue' }),
    'feed-find-none': chat(shown, { stored, find: 'submarine' }),
  };
}

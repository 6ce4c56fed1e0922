import type { Verification, VerifiedTurn } from '../../../src/protocol/verifyProtocol';
import { textHash } from '../../../src/transcript/deliveryEntry';
import { noMemory } from '../../../src/webview/chat/connection/viewMemory';
import { transcriptState } from '../builders/transcriptState';
import { afternoon, answer, prompt, session, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** States of the witness, of Verify Session and of Pull the Plug, for the preview. */

const answered =
  'This text is a script, written so that there is something long to watch, to stop and to look for afterwards. Each piece of it is written to the session’s file on this disk, and the write is confirmed; only then is it shown. So whatever you can read is already';
const crashed = settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'crash' });
const messages = [
  prompt({ uid: 'u1', position: 1 }, 'Give me a long answer about this folder'),
  answer({ uid: 'a1', position: 2 }, [answered]),
];
const shown = shownSession({ messages, turns: [crashed] });

function recalled(text: string): object {
  return {
    ...noMemory(),
    sessionId: session().id,
    witness: [
      {
        id: session().conversationId,
        messages: [{ m: 'a1', t: 'turn1', p: [`0 t ${text.length} ${textHash(text)}`] }],
      },
    ],
  };
}

const pulled = {
  forgotten: [],
  crashDemo: { conversationId: session().conversationId, turnUid: 'turn1', at: afternoon + 11 },
};

function turn(number: number | null, change: Partial<VerifiedTurn> = {}): VerifiedTurn {
  const name = `${number ?? 'hidden'}`;
  return {
    turnUid: `turn${name}`,
    messageUid: `u${name}`,
    number,
    at: afternoon + (number ?? 0) * 60,
    verdict: 'same',
    reported: [`a${name}`],
    shown: 2600,
    onDisk: 2600,
    stored: 2600,
    missing: [],
    unread: [],
    ...change,
  };
}

function found(turns: readonly VerifiedTurn[], change: Partial<Verification> = {}): Verification {
  const sum = (of: (turn: VerifiedTurn) => number): number => turns.reduce((all, each) => all + of(each), 0);
  return {
    sessionId: session().id,
    at: afternoon,
    turns,
    turnCount: turns.filter(({ number }) => number !== null).length,
    rows: turns.length * 2,
    shown: sum((each) => each.shown),
    onDisk: sum((each) => each.onDisk),
    findings: [],
    unread: [],
    fileUnchecked: null,
    note: null,
    ...change,
  };
}

const rows = transcriptState({
  messages: [1, 2, 3].flatMap((number) => [
    prompt({ uid: `u${number}`, position: number * 2, turnUid: `turn${number}` }, `Prompt ${number}`),
    answer({ uid: `a${number}`, position: number * 2 + 1, turnUid: `turn${number}` }, [answered]),
  ]),
});
const unreported = { verdict: 'unreported', reportDelivery: [], shown: 0, onDisk: 0 } as const;
const lost = turn(2, {
  verdict: 'missing',
  onDisk: 0,
  shown: 1284,
  stored: 1200,
  missing: [{ messageUid: 'a2', part: 0, kind: 'text', shown: 1284, stored: 1200 }],
});
const unread = turn(2, {
  verdict: 'unread',
  onDisk: 1000,
  shown: 1284,
  stored: 1000,
  unread: [{ messageUid: 'a2', shown: 284, sentence: 'The history file couldn’t be read (EIO).' }],
});

export function deliveryStates(): Readonly<Record<string, PreviewState>> {
  return {
    'plug-pulled': chat(shown, { recalled: recalled(answered), requests: { reportDelivery: pulled } }),
    'plug-lost': chat(shown, { recalled: recalled(`${answered} gone`), requests: { reportDelivery: pulled } }),
    'crash-lost': chat(shown, { recalled: recalled(`${answered} gone`) }),
    'verify-same': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify', 'Turn by Turn'],
      requests: { verify: found([turn(1), turn(2, { verdict: 'more', stored: 2700 }), turn(null), turn(3)]) },
    },
    'verify-missing': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify'],
      requests: {
        verify: found([turn(1), lost, turn(3, unreported)], {
          findings: [{ sentence: 'A turn has ended, and a tool call of it has no result.', messageUid: 'a3' }],
        }),
      },
    },
    'verify-unread': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify'],
      requests: {
        verify: found([turn(1), unread, turn(3)], { unread: ['The history file couldn’t be read (EIO).'] }),
      },
    },
    'verify-unwitnessed': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify'],
      requests: {
        verify: found([turn(1, unreported), turn(2, unreported), turn(3, unreported)], {
          note: 'This session is a copy from another folder. Only that folder’s window knows what it showed.',
        }),
      },
    },
    'verify-running': { view: 'transcript', bootstrap: rows, press: ['Verify'] },
  };
}

import { textHash } from '../../../src/transcript/deliveryEntry';
import { noMemory } from '../../../src/webview/chat/connection/viewMemory';
import { transcriptState } from '../builders/transcriptState';
import { afternoon, answer, prompt, session, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';
import { verification, verifiedTurn } from '../builders/verification';

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

const rows = transcriptState({
  messages: [1, 2, 3].flatMap((number) => [
    prompt({ uid: `u${number}`, position: number * 2, turnUid: `turn${number}` }, `Prompt ${number}`),
    answer({ uid: `a${number}`, position: number * 2 + 1, turnUid: `turn${number}` }, [answered]),
  ]),
});
const unreported = { verdict: 'unreported', reportDelivery: [], shown: 0, onDisk: 0 } as const;
const lost = verifiedTurn(2, {
  verdict: 'missing',
  onDisk: 0,
  shown: 1284,
  stored: 1200,
  missing: [{ messageUid: 'a2', part: 0, kind: 'text', shown: 1284, stored: 1200 }],
});
const unread = verifiedTurn(2, {
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
      requests: {
        verify: verification([
          verifiedTurn(1),
          verifiedTurn(2, { verdict: 'more', stored: 2700 }),
          verifiedTurn(null),
          verifiedTurn(3),
        ]),
      },
    },
    'verify-missing': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify'],
      requests: {
        verify: verification([verifiedTurn(1), lost, verifiedTurn(3, unreported)], {
          findings: [{ sentence: 'A turn has ended, and a tool call of it has no result.', messageUid: 'a3' }],
        }),
      },
    },
    'verify-unread': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify'],
      requests: {
        verify: verification([verifiedTurn(1), unread, verifiedTurn(3)], {
          unread: ['The history file couldn’t be read (EIO).'],
        }),
      },
    },
    'verify-unwitnessed': {
      view: 'transcript',
      bootstrap: rows,
      press: ['Verify'],
      requests: {
        verify: verification([verifiedTurn(1, unreported), verifiedTurn(2, unreported), verifiedTurn(3, unreported)], {
          note: 'This session is a copy from another folder. Only that folder’s window knows what it showed.',
        }),
      },
    },
    'verify-running': { view: 'transcript', bootstrap: rows, press: ['Verify'] },
  };
}

import type { ShownSession } from '../../../src/protocol/chatProtocol';
import type { ChatSync, TurnElsewhere } from '../../../src/protocol/syncProtocol';
import { session } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

const turn: TurnElsewhere = {
  conversationId: session().conversationId,
  machine: 'Desktop',
  prompt: 'Make the retry wait twice as long each time, and say so in the README.',
  text: 'The wait is in `upload.ts`, in `retryDelay`. It is constant there:\n\n```ts\nconst retryDelay = 500;\n```\n\nI make it a function of the attempt',
  call: { kind: 'toolCall', callId: 'c1', name: 'run_command', arguments: '{"command":"npm test -- upload"}' },
  isAlive: true,
  isStopAsked: false,
};

/** What the chat shows of sync. */
export function syncStates(shown: ShownSession): Readonly<Record<string, PreviewState>> {
  const scene = (sync: Omit<ChatSync, 'refused'>, refused: ChatSync['refused'] = []): PreviewState =>
    chat(shown, {}, { sync: { ...sync, refused } });
  return {
    'sync-even': scene({ line: 'Saved here · On the server up to 14:02', state: 'even', turn: null }),
    'sync-elsewhere': scene({ line: 'Saved here · On the server up to 14:02', state: 'even', turn }),
    'sync-newer': scene({ line: 'Saved here · Sessions that wait: 1', state: 'failed', turn: null }, [
      {
        conversationId: shown.session.conversationId,
        sentence:
          'This session was saved by a newer version of Hermes on another machine. Update the extension to continue it here. Until then you can read it.',
      },
    ]),
    'sync-lost': scene({
      line: 'Saved here · On the server up to 14:02 · To send: 3',
      state: 'overdue',
      turn: { ...turn, isAlive: false, machine: 'Laptop of a colleague with a long name' },
    }),
  };
}

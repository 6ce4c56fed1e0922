import { describe, expect, it } from 'vitest';
import { SessionOpener } from '../../../../src/host/library/sessionOpener';
import { StoreError } from '../../../../src/store/storeError';
import type { SwitchTarget } from '../../../../src/gateway/gateway';
import type { Message } from '../../../../src/transcript/message';
import { userMessage } from '../scriptedGateway';

/** A session "s1" that goes on as "s2", shown nowhere yet. */
function opener(options: { readonly shown?: string } = {}) {
  const done: unknown[] = [];
  const rows: Message[] = [{ ...userMessage('m1', 'hello'), turnUid: 't1', position: 40 }];
  const window = {
    gateway: {
      surfaces: { shownSession: () => options.shown ?? null },
      switching: {
        switchSession: async (surface: string, target: SwitchTarget) => {
          if (target.reason === 'resume' && target.sessionId === 'trashed')
            throw new StoreError('invalid', 'This session is in the trash.', 'trashed');
          done.push(['switch', surface, target]);
          return { sessionId: 's2', draft: null, notice: null };
        },
      },
    },
    history: {
      store: {
        conversationTip: async (id: string) => (id === 's1' ? 's2' : id),
        getMessage: async (uid: string) => rows.find((row) => row.uid === uid) ?? null,
      },
      status: { settled: async () => undefined },
    },
    activeChat: {
      surface: { id: 'chat', reveal: (message: unknown) => void done.push(['reveal', message]) },
      tab: null,
      focus: async () => void done.push(['focus']),
    },
    chat: { show: async () => void done.push(['show']) },
    chatTabs: {
      open: async (id: string) => {
        done.push(['tab', id]);
        return { reveal: (message: unknown) => void done.push(['reveal in tab', message]) };
      },
    },
    transcripts: { current: { open: (...where: readonly unknown[]) => void done.push(['transcript', ...where]) } },
  };
  const made = new SessionOpener(window as never);
  return { made, done, rows };
}

describe('opening a search result', () => {
  it("shows the session's newest segment, and the message in it", async () => {
    const { made, done } = opener();
    await made.open('s1', 'm1', 'chat');
    expect(done).toEqual([
      ['switch', 'chat', { reason: 'resume', sessionId: 's2' }],
      ['show'],
      ['reveal', { messageUid: 'm1', turnUid: 't1' }],
    ]);
  });

  it('leaves an already shown session in place; without a message, focus goes to the composer', async () => {
    const { made, done } = opener({ shown: 's2' });
    await made.open('s1', null, 'chat');
    expect(done).toEqual([['focus']]);
  });

  it('opens a message that the chat does not show in the transcript', async () => {
    const hidden = opener({ shown: 's2' });
    hidden.rows.push({
      ...userMessage('h1', 'old'),
      visibility: { kind: 'hidden', reason: 'rewound', absorbedInto: null },
    });
    await hidden.made.open('s1', 'h1', 'chat');
    expect(hidden.done.slice(1)).toEqual([['transcript', 's1', 'h1']]);
  });

  it('finds a merged message in the one that absorbed it, and a carried one where it was written', async () => {
    const { made, done, rows } = opener({ shown: 's2' });
    rows.push(
      { ...userMessage('copy', 'hello'), carriedFrom: 'm1' },
      { ...userMessage('gone', 'lo'), visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'copy' } },
    );
    await made.open('s1', 'gone', 'chat');
    expect(done.at(-1)).toEqual(['reveal', { messageUid: 'm1', turnUid: 't1' }]);
  });

  it('opens tabs and transcripts, and nothing if the session cannot be opened', async () => {
    const { made, done } = opener();
    await made.open('s1', 'm1', 'tab');
    await made.open('s1', 'm1', 'transcript');
    await expect(made.open('trashed', 'm1', 'chat')).rejects.toThrow('in the trash');
    expect(done).toEqual([
      ['tab', 's1'],
      ['reveal in tab', { messageUid: 'm1', turnUid: 't1' }],
      ['transcript', 's1', 'm1'],
    ]);
  });
});

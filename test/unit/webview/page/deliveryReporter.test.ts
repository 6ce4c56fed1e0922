import { signal } from '@preact/signals';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ChatNotifications, ChatResults } from '../../../../src/protocol/chatProtocol';
import { textHash } from '../../../../src/transcript/deliveryEntry';
import type { ChatHost } from '../../../../src/webview/chat/connection/chatHost';
import { initialState, reduce, type ChatViewState } from '../../../../src/webview/chat/state/chatState';
import type { SavedReport } from '../../../../src/webview/chat/verify/deliveryReport';
import { DeliveryReporter } from '../../../../src/webview/chat/verify/deliveryReporter';
import { RefusedRequest } from '../../../../src/webview/rpc';
import {
  afternoon,
  answer,
  prompt,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../support/builders/viewMessages';
import { ManualClock } from '../../../support/manualClock';
import { noMemory } from '../../../../src/webview/chat/connection/viewMemory';

type Reported = ChatResults['reportDelivery'];
type CrashOf = Parameters<Parameters<ChatHost['onNotification']>[0]>[0];

let state = signal<ChatViewState>(initialState);
let clock = new ManualClock(afternoon);
let asked: unknown[] = [];
let sent: unknown[] = [];
let kept: SavedReport | null = null;
let answers: (Reported | Error)[] = [];
let listeners: ((told: CrashOf) => void)[] = [];

beforeEach(() => {
  state = signal<ChatViewState>(initialState);
  clock = new ManualClock(afternoon);
  [asked, sent, answers, listeners, kept] = [[], [], [], [], null];
});

function keeper(recalled: unknown = undefined): DeliveryReporter {
  const made = new DeliveryReporter({
    state,
    host: {
      request: async (name: string, payload: unknown) => {
        asked.push([name, payload]);
        const next = answers.shift() ?? { forgotten: [], crashDemo: null };
        if (next instanceof Error) throw next;
        return next as never;
      },
      send: (name: string, payload: unknown) => void sent.push([name, payload]),
      onNotification: (listener: (told: CrashOf) => void) => {
        listeners.push(listener);
        return () => undefined;
      },
    } as ChatHost,
    timers: { nowMs: () => clock.now() * 1000, after: (delayMs, callback) => clock.after(delayMs, callback) },
    memory: {
      recalled: { ...noMemory(), witness: recalled },
      remember: ({ witness }) => (kept = witness as SavedReport),
    },
  });
  made.start();
  return made;
}

function show(text: string, change: Parameters<typeof shownSession>[0] = { openTurn: runningTurn() }): void {
  const shown = shownSession({
    messages: [
      prompt({ uid: 'u1', position: 1 }, 'go'),
      answer({ uid: 'a1', position: 2 }, [text], {
        state: change.openTurn === undefined ? 'final' : 'streaming',
        lastSeq: text.length,
      }),
    ],
    ...change,
  });
  const payload: ChatNotifications['shown'] = shown;
  state.value = reduce(state.peek(), { kind: 'notified', notification: { name: 'shown', payload } }, 0);
}

const told = (text: string): unknown => [
  'reportDelivery',
  {
    conversations: [
      {
        conversationId: session().conversationId,
        entries: [
          { messageUid: 'a1', turnUid: 'turn1', part: 0, kind: 'text', length: text.length, hash: textHash(text) },
        ],
      },
    ],
  },
];
const nothing = ['reportDelivery', { conversations: [] }];
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
};
const crashed = (): ReturnType<typeof settledTurn> =>
  settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'crash' });

describe('the keeper of the delivery report', () => {
  it('reports rendered text to the host once a second while text streams, and at once when the turn has ended', async () => {
    keeper();
    show('Hello');
    await clock.advance(250);
    show('Hello world');
    await clock.advance(250);
    expect([asked, kept?.[0]?.messages[0]?.p]).toEqual([[nothing], [`0 t 11 ${textHash('Hello world')}`]]);
    await clock.advance(1000);
    expect(asked).toEqual([nothing, told('Hello world')]);
    show('Hello world!', { turns: [settledTurn()] });
    await clock.advance(1);
    await settle();
    expect(asked.at(-1)).toEqual(told('Hello world!'));
  });

  it('reports everything it remembers when the page is back, and again what the host could not take', async () => {
    const recalled = [
      { id: session().conversationId, messages: [{ m: 'a1', t: 'turn1', p: [`0 t 5 ${textHash('Hello')}`] }] },
    ];
    answers = [new RefusedRequest({ cause: 'invalid', sentence: 'Not now.' })];
    keeper(recalled);
    await settle();
    await clock.advance(2500);
    expect(asked).toEqual([told('Hello'), told('Hello')]);
  });

  it('forgets what is no longer stored, and what is erased', async () => {
    const recalled = ['gone', 'erased', 'stays'].map((id) => ({
      id,
      messages: [{ m: `${id}1`, t: null, p: [`0 t 5 ${textHash('Hello')}`] }],
    }));
    answers = [{ forgotten: ['gone'], crashDemo: null }];
    keeper(recalled);
    await settle();
    for (const listener of listeners)
      listener({ name: 'deliveryRequest', payload: { kind: 'erased', conversationIds: ['erased'] } });
    expect(kept?.map(({ id }) => id)).toEqual(['stays']);
  });

  it('reports after a power loss how much was restored, until the user has read it', async () => {
    const recalled = [
      { id: session().conversationId, messages: [{ m: 'a1', t: 'turn1', p: [`0 t 5 ${textHash('Hello')}`] }] },
    ];
    answers = [{ forgotten: [], crashDemo: { conversationId: session().conversationId, turnUid: 'turn1', at: 77 } }];
    show('Hello world', { turns: [crashed()] });
    const kept = keeper(recalled);
    await settle();
    const first = kept.crashOf(crashed());
    first?.dismiss();
    expect([{ at: first?.at, shown: first?.shown, onDisk: first?.onDisk }, kept.crashOf(crashed()), sent]).toEqual([
      { at: 77, shown: 5, onDisk: 5 },
      null,
      [['crashDemoSeen', {}]],
    ]);
  });

  it('reports missing text after any crash, and nothing where none is missing', async () => {
    const recalled = (text: string): unknown => [
      {
        id: session().conversationId,
        messages: [{ m: 'a1', t: 'turn1', p: [`0 t ${text.length} ${textHash(text)}`] }],
      },
    ];
    show('Hello', { turns: [crashed()] });
    const whole = keeper(recalled('Hello')).crashOf(crashed());
    const lost = keeper(recalled('Hello world')).crashOf(crashed());
    expect([whole, lost?.at, lost?.shown, lost?.onDisk]).toEqual([null, null, 11, 0]);
  });
});

import { describe, expect, it } from 'vitest';
import { StoreDesk } from '../../../src/host/storeDesk';
import { TranscriptBridge } from '../../../src/host/transcriptBridge';
import type { ConversationBranch } from '../../../src/store/conversations';
import { ManualClock } from '../../support/manualClock';
import { RecordingLog } from './recordingLog';
import { RecordingPort, settle } from './recordingPort';
import { ScriptedGateway, session, userMessage } from './scriptedGateway';
import { openState, StoreAtHand, noSpills } from './storeAtHand';

function branch(conversationId: string, parentConversationId: string | null): ConversationBranch {
  return { conversationId, tipId: conversationId, title: null, parentConversationId, branchedFrom: null, lastActiveAt: 1, turnCount: 1 };
}

function tab(options: { readonly sessionId?: string; readonly reveal?: string; readonly opening?: boolean } = {}) {
  const gateway = new ScriptedGateway(session('s1'));
  gateway.rows.push(userMessage('u1', 'hello'));
  const connection = new StoreAtHand(options.opening === true ? { kind: 'opening', blockedBy: null } : openState);
  const clock = new ManualClock();
  const port = new RecordingPort();
  const titles: (string | null)[] = [];
  const opened: unknown[] = [];
  const tips = new Map<string, string>();
  const tree: ConversationBranch[] = [branch('s1', null)];
  const bridge = new TranscriptBridge('transcript:1', options.sessionId ?? 's1', options.reveal ?? null, port, {
    gateway,
    sessions: {
      getSession: async (id) => gateway.sessions.get(id) ?? null,
      getMessage: async (uid) => gateway.rows.find((row) => row.uid === uid) ?? null,
      conversationTip: async (id) => tips.get(id) ?? id,
      branchesOf: async () => tree,
      revisionsOf: async (uid) => [{ revisedAt: 7, parts: [{ kind: 'text', text: `${uid} before` }] }],
    },
    store: new StoreDesk(connection, (message) => message, noSpills),
    clock,
    localization: {},
    editor: {
      openInChat: async (...where) => void opened.push(['chat', ...where]),
      branchFrom: async (...where) => void opened.push(['branch', ...where]),
      rewindTo: async (...where) => void opened.push(['rewind', ...where]),
      exportSession: async (...where) => void opened.push(['export', ...where]),
      copy: async () => undefined,
      openLink: async () => undefined,
    },
    isElsewhere: (id) => id === 'elsewhere',
    onSession: ({ title }) => titles.push(title),
    log: new RecordingLog(),
  });
  return { gateway, connection, clock, port, titles, opened, bridge, tips, tree };
}

const rows = { messages: [userMessage('u1', 'hello')], turns: [], hasEarlier: false, later: 0, total: 1 };
const state = { session: session('s1'), rows, branches: [branch('s1', null)], problem: null, reveal: null, otherFolder: null, localization: {} };

describe('the transcript tab', () => {
  it('shows every stored row, hidden ones too, and asks for earlier ones', async () => {
    const { port, gateway, titles } = tab();
    port.command('ready');
    await settle();
    port.request(1, 'loadRows', { sessionId: 's1', wanted: { kind: 'before', position: 17 }, limit: 50 });
    await settle();
    expect({ told: port.notifications, answered: port.responses, calls: gateway.calls, titles }).toEqual({
      told: [['bootstrap', state]],
      answered: [expect.objectContaining({ id: 1, ok: true, result: rows })],
      calls: ['read s1 before end hidden true', 'read s1 before 17 hidden true'],
      titles: ['Title of s1'],
    });
  });

  it('says in words that a session is not there, or that the store cannot be read', async () => {
    const gone = tab({ sessionId: 'gone' });
    gone.port.command('ready');
    await settle();
    expect(gone.port.notifications).toEqual([['bootstrap', expect.objectContaining({ session: null, rows: null, problem: "Session gone is not in this folder's history." })]]);
  });

  it('waits for a store that is being opened, and reads again when it comes back', async () => {
    const { port, connection } = tab({ opening: true });
    port.command('ready');
    await settle();
    expect({ told: port.notifications, asked: connection.asked }).toEqual({ told: [], asked: ['open'] });
    connection.become(openState);
    await settle();
    connection.become({ kind: 'continuedElsewhere' });
    connection.become(openState);
    await settle();
    expect(port.notifications.map(([name]) => name)).toEqual(['bootstrap', 'bootstrap']);
  });

  it('reads again when rows of its session changed, and once a second while it is answering', async () => {
    const { port, gateway, clock } = tab();
    port.command('ready');
    await settle();
    gateway.changed('other');
    gateway.changed('s1');
    gateway.run('s1');
    await settle();
    const before = port.notifications.length;
    await clock.advance(3000);
    gateway.running = [];
    await clock.advance(5000);
    const changes = (told: typeof port.notifications): readonly unknown[] => told.filter(([name]) => name === 'changed').map(([, payload]) => payload);
    expect({ before: changes(port.notifications.slice(0, before)), during: changes(port.notifications.slice(before)).length, timers: clock.waiting }).toEqual({
      before: [{ sessionId: 's1' }, { sessionId: 's1' }],
      during: 4,
      timers: 0,
    });
  });

  it('follows the title, opens the session in the chat, and reveals a row', async () => {
    const { port, gateway, titles, opened, bridge } = tab();
    port.command('ready');
    await settle();
    await gateway.renameSession('s1', 'Better');
    await settle();
    port.command('openInChat', { messageUid: 'u1' });
    bridge.reveal('u1');
    await settle();
    expect({ titles, opened, last: port.notifications.at(-1) }).toEqual({ titles: ['Title of s1', 'Better'], opened: [['chat', 's1', 'u1']], last: ['reveal', { messageUid: 'u1' }] });
  });

  it('begins at a row that it is to reveal, with the rows around it; a row carried over by a compression is the one it repeats', async () => {
    const { port, gateway } = tab({ reveal: 'copy' });
    gateway.rows.push({ ...userMessage('copy', 'hello'), position: 900, carriedFrom: 'u1' });
    port.command('ready');
    await settle();
    expect({ reveal: port.notifications.map(([, payload]) => payload), calls: gateway.calls }).toEqual({
      reveal: [expect.objectContaining({ reveal: 'u1' })],
      calls: ['read s1 before 1 hidden true', 'read s1 after 0 hidden true'],
    });
  });

  it('goes on with its session when a compression begins another segment', async () => {
    const { port, gateway, tips, clock } = tab();
    port.command('ready');
    await settle();
    gateway.sessions.set('s2', session('s2', { conversationId: 's1', parentSessionId: 's1', parentKind: 'compression' }));
    tips.set('s1', 's2');
    gateway.changed('s1');
    await settle();
    gateway.changed('s2');
    gateway.run('s2');
    await settle();
    await clock.advance(1000);
    gateway.running = [];
    await clock.advance(2000);
    const changes = port.notifications.filter(([name]) => name === 'changed').map(([, payload]) => payload);
    expect({ sessions: new Set(changes.map((change) => JSON.stringify(change))), enough: changes.length >= 4 }).toEqual({ sessions: new Set(['{"sessionId":"s2"}']), enough: true });
  });

  it('tells the branches again when one was made anywhere, and only when they are others', async () => {
    const { port, gateway, clock, tree } = tab();
    port.command('ready');
    await settle();
    gateway.changed('other');
    await clock.advance(100);
    tree.push(branch('b1', 's1'));
    gateway.changed('b1');
    gateway.changed('b1');
    await clock.advance(100);
    expect(port.notifications.filter(([name]) => name === 'branches')).toEqual([['branches', tree]]);
  });

  it('goes to another session of the tree in the same tab, unless another tab shows that one', async () => {
    const { port, gateway, opened, bridge } = tab();
    gateway.sessions.set('b1', session('b1'));
    port.command('ready');
    await settle();
    port.command('goTo', { sessionId: 'elsewhere', messageUid: null });
    await settle();
    const stayed = bridge.sessionId;
    port.command('goTo', { sessionId: 'b1', messageUid: 'u1' });
    await settle();
    port.command('branchFrom', { messageUid: 'u1' });
    port.command('rewindTo', { messageUid: 'u1' });
    port.command('exportSession');
    port.request(4, 'revisions', { messageUid: 'u1' });
    await settle();
    expect({ stayed, now: bridge.sessionId, told: port.notifications.at(-1), opened, revisions: port.responses }).toEqual({
      stayed: 's1',
      now: 'b1',
      told: ['bootstrap', expect.objectContaining({ session: session('b1'), reveal: 'u1' })],
      opened: [['branch', 'b1', 'u1'], ['rewind', 'b1', 'u1'], ['export', 'b1']],
      revisions: [expect.objectContaining({ id: 4, ok: true, result: [{ revisedAt: 7, parts: [{ kind: 'text', text: 'u1 before' }] }] })],
    });
  });

  it('posts nothing while its page is unloaded, and leaves nothing behind', async () => {
    const { port, gateway, bridge, clock } = tab();
    port.command('ready');
    await settle();
    bridge.pageUnloaded();
    gateway.changed('s1');
    gateway.run('s1');
    await settle();
    expect(port.notifications.length).toBe(1);
    bridge.dispose();
    expect({ attached: gateway.attached, timers: clock.waiting }).toEqual({ attached: 0, timers: 0 });
  });
});

import { describe, expect, it } from 'vitest';
import { StoreDesk } from '../../../src/host/storeDesk';
import { TranscriptBridge } from '../../../src/host/transcriptBridge';
import { ManualClock } from '../../support/manualClock';
import { RecordingLog } from './recordingLog';
import { RecordingPort, settle } from './recordingPort';
import { ScriptedGateway, session, userMessage } from './scriptedGateway';
import { openState, StoreAtHand, noSpills } from './storeAtHand';

function tab(options: { readonly sessionId?: string; readonly reveal?: string; readonly opening?: boolean } = {}) {
  const gateway = new ScriptedGateway(session('s1'));
  gateway.rows.push(userMessage('u1', 'hello'));
  const connection = new StoreAtHand(options.opening === true ? { kind: 'opening', blockedBy: null } : openState);
  const clock = new ManualClock();
  const port = new RecordingPort();
  const titles: (string | null)[] = [];
  const opened: string[] = [];
  const bridge = new TranscriptBridge('transcript:1', options.sessionId ?? 's1', options.reveal ?? null, port, {
    gateway,
    sessions: { getSession: async (id) => gateway.sessions.get(id) ?? null },
    store: new StoreDesk(connection, (message) => message, noSpills),
    clock,
    localization: {},
    editor: { openInChat: async (id) => void opened.push(id), copy: async () => undefined, openLink: async () => undefined },
    onSession: ({ title }) => titles.push(title),
    log: new RecordingLog(),
  });
  return { gateway, connection, clock, port, titles, opened, bridge };
}

const rows = { messages: [userMessage('u1', 'hello')], turns: [], hasEarlier: false, total: 1 };

describe('the transcript tab', () => {
  it('shows every stored row, hidden ones too, and asks for earlier ones', async () => {
    const { port, gateway, titles } = tab({ reveal: 'u1' });
    port.command('ready');
    await settle();
    port.request(1, 'loadRows', { sessionId: 's1', before: 17, limit: 50 });
    await settle();
    expect({ told: port.notifications, answered: port.responses, calls: gateway.calls, titles }).toEqual({
      told: [['bootstrap', { session: session('s1'), rows, problem: null, reveal: 'u1', localization: {} }]],
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
    expect({ before: port.notifications.slice(1, before), during: port.notifications.slice(before).map(([name]) => name), timers: clock.waiting }).toEqual({
      before: [['changed', { sessionId: 's1' }], ['changed', { sessionId: 's1' }]],
      during: ['changed', 'changed', 'changed', 'changed'],
      timers: 0,
    });
  });

  it('follows the title, opens the session in the chat, and reveals a row', async () => {
    const { port, gateway, titles, opened, bridge } = tab();
    port.command('ready');
    await settle();
    await gateway.renameSession('s1', 'Better');
    port.command('openInChat');
    bridge.reveal('u1');
    await settle();
    expect({ titles, opened, last: port.notifications.at(-1) }).toEqual({ titles: ['Title of s1', 'Better'], opened: ['s1'], last: ['reveal', { messageUid: 'u1' }] });
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

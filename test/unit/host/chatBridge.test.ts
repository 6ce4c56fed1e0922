import { afterEach, describe, expect, it } from 'vitest';
import { Emitter } from '../../../src/base/disposable';
import type { WorkNotifications } from '../../../src/protocol/workProtocol';
import { ChatBridge } from '../../../src/host/chatBridge';
import { noAttachments } from '../../../src/host/attachments/promptAttachments';
import { type ChatFiles, noChangedFiles } from '../../../src/host/changedFiles/chatFiles';
import type { ChatEditor } from '../../../src/host/chatHandlers';
import { ownMemory } from '../../../src/host/chatTabMemory';
import type { ChatModels } from '../../../src/host/chatModels';
import { StoreDesk } from '../../../src/host/storeDesk';
import { noWitness } from '../../../src/host/witness/chatWitness';
import type { FoundSession } from '../../../src/store/conversations';
import { StoreError } from '../../../src/store/storeError';
import type { StoreState } from '../../../src/store/ownership/storeState';
import { RecordingLog } from './recordingLog';
import { RecordingPort, settle } from './recordingPort';
import { delivered, ScriptedGateway, session, userMessage } from './scriptedGateway';
import { openState, StoreAtHand, noSpills } from './storeAtHand';
import { noCodeActions } from '../../support/noCodeActions';

let bridges: readonly ChatBridge[] = [];
afterEach(() => {
  for (const bridge of bridges) bridge.dispose();
  bridges = [];
});

function world(options: { readonly store?: StoreState; readonly remembered?: string; readonly files?: ChatFiles } = {}) {
  const gateway = new ScriptedGateway(session('s1'), session('s2'));
  const connection = new StoreAtHand(options.store);
  const store = new StoreDesk(connection, (message) => message, noSpills);
  const meta = new Map<string, string>(options.remembered === undefined ? [] : [['shown:chat', options.remembered]]);
  const done: string[] = [];
  const written: string[] = [];
  const record = (what: string) => async (argument: string | null) => void done.push(`${what} ${argument ?? ''}`);
  const editor: ChatEditor = {
    openTranscript: record('transcript'), pickSession: record('pickSession'), pickModel: record('pickModel'), openSettings: record('settings'),
    showLog: () => void done.push('log'), copy: record('copy'), openLink: record('link'), code: noCodeActions, searchSessions: record('search'), exportSession: record('export'), openMemory: () => record('memory')(null), setUp: record('setUp'), runAction: record('action'),
  };
  const changes = new Emitter<void>();
  const models: ChatModels & { fire(): void } = {
    stateOf: (ref) => ({ chosen: null, problem: `model of ${ref ?? 'default'}` }),
    choices: async () => ({ models: [], problems: [] }),
    setup: { searching: false, entries: [] },
    discover: async () => ({ searching: false, entries: [] }),
    onDidChange: changes.event,
    fire: () => changes.fire(),
  };
  const sessions = {
    getSession: async (id: string) => gateway.sessions.get(id) ?? null,
    getMessage: async (uid: string) => gateway.rows.find((row) => row.uid === uid) ?? null,
    getTurn: async () => null,
    approval: async () => null,
    findSession: async (): Promise<FoundSession> => ({ kind: 'none' }),
    conversationTip: async (id: string) => id,
    getMeta: async (key: string) => meta.get(key) ?? null,
    setMeta: async (key: string, value: string) => {
      meta.set(key, value);
      written.push(`${key} ${value}`);
    },
  };
  const log = new RecordingLog();
  const needs = {
    gateway, sessions, store, models, editor, log, files: options.files ?? noChangedFiles, attachments: noAttachments, witness: noWitness, onChange: () => undefined,
    surroundings: () => ({ restricted: false, folderName: 'sample', demoPrompts: [], localization: {}, promptFiles: [] }),
  };
  const bridge = new ChatBridge('chat', needs);
  const tab = (sessionId: string): ChatBridge => {
    const made = new ChatBridge('tab:1', { ...needs, sessions: ownMemory(sessions, sessionId) });
    bridges = [...bridges, made];
    return made;
  };
  bridges = [...bridges, bridge];
  return { gateway, connection, bridge, meta, written, done, models, log, tab };
}

async function shownIn(port: RecordingPort): Promise<readonly string[]> {
  await settle();
  return port.notifications.map(([name]) => name);
}

describe('the chat view\'s tie to the gateway', () => {
  it('draws everything when a page is ready, and nothing before', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    gateway.changed('s1');
    expect(await shownIn(port)).toEqual([]);
    port.command('ready');
    await settle();
    expect(port.notifications).toEqual([
      ['bootstrap', expect.objectContaining({ shown: null, newDraft: 'draft of the empty state', folderName: 'sample', store: { kind: 'open', notices: [] }, model: { chosen: null, problem: 'model of default' } })],
    ]);
  });

  it('neither loses nor reorders what happens while a snapshot is read', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    let arrive: () => void = () => undefined;
    gateway.beforeSnapshotArrives = new Promise((resolve) => (arrive = resolve));
    gateway.rows.push(userMessage('u1', 'hello'));
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    gateway.happen('s1', delivered(1, 'One ', 0));
    gateway.happen('s1', delivered(2, 'two.', 4));
    await settle();
    expect(port.notifications.length).toBe(1);
    arrive();
    await settle();
    gateway.happen('s1', delivered(3, ' Three.', 8));
    expect(port.notifications.slice(1)).toEqual([
      ['shown', expect.objectContaining({ session: session('s1'), messages: gateway.rows, draft: 'draft of s1' })],
      ['model', { chosen: null, problem: 'model of default' }],
      ['turnEvent', { sessionId: 's1', event: delivered(1, 'One ', 0) }],
      ['turnEvent', { sessionId: 's1', event: delivered(2, 'two.', 4) }],
      ['turnEvent', { sessionId: 's1', event: delivered(3, ' Three.', 8) }],
    ]);
  });

  it('shows only the last session when the person switches faster than snapshots arrive', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    let arrive: () => void = () => undefined;
    gateway.beforeSnapshotArrives = new Promise((resolve) => (arrive = resolve));
    port.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    gateway.happen('s1', delivered(1, 'of s1', 0));
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    arrive();
    await settle();
    expect(port.notifications.map(([name, payload]) => [name, name === 'bootstrap' ? payload : null])).toEqual([
      ['bootstrap', expect.objectContaining({ shown: expect.objectContaining({ session: session('s2') }) })],
    ]);
  });

  it('posts nothing to a hidden page and draws it again when it is back', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    const before = port.posted.length;
    bridge.pageUnloaded();
    gateway.happen('s1', delivered(1, 'unseen', 0));
    gateway.changed('s1');
    await settle();
    expect(port.posted.length).toBe(before);
    gateway.rows.push(userMessage('u1', 'hello'));
    port.command('ready');
    await settle();
    expect(port.notifications.at(-1)).toEqual(['bootstrap', expect.objectContaining({ shown: expect.objectContaining({ messages: gateway.rows }) })]);
  });

  it('serves a new webview from then on, and the old one no more', async () => {
    const { bridge, gateway } = world();
    const [old, fresh] = [new RecordingPort(), new RecordingPort()];
    const ended = bridge.connect(old);
    bridge.connect(fresh);
    fresh.command('ready');
    await settle();
    ended.dispose();
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    old.request(1, 'switchSession', { target: { reason: 'new_session' } });
    expect(await shownIn(fresh)).toEqual(['bootstrap', 'shown', 'model']);
    expect({ old: old.posted, calls: gateway.calls }).toEqual({ old: [], calls: ['switch chat s1'] });
  });

  it('comes back to the session that was shown last', async () => {
    const { bridge, gateway, meta } = world({ remembered: 's2' });
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    expect(port.notifications.at(-1)).toEqual(['bootstrap', expect.objectContaining({ shown: expect.objectContaining({ session: session('s2') }) })]);
    await gateway.switchSession('chat', { reason: 'new_session' });
    await settle();
    expect(meta.get('shown:chat')).toBe('');
  });

  it('starts empty when the remembered session is not stored any more', async () => {
    const { bridge, gateway } = world({ remembered: 'gone' });
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    expect({ calls: gateway.calls, last: port.notifications.at(-1) }).toEqual({ calls: [], last: ['bootstrap', expect.objectContaining({ shown: null })] });
  });

  it('says that the store is being opened, and draws the session when it is open', async () => {
    const { bridge, connection } = world({ store: { kind: 'opening', blockedBy: null }, remembered: 's1' });
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    expect(port.notifications).toEqual([['bootstrap', expect.objectContaining({ shown: null, store: { kind: 'opening' } })]]);
    connection.become(openState);
    await settle();
    expect(port.notifications.at(-1)).toEqual([
      'bootstrap',
      expect.objectContaining({ store: { kind: 'open', notices: [] }, shown: expect.objectContaining({ session: session('s1') }) }),
    ]);
  });

  it('keeps what is shown when the store goes away, says why, and carries out the way back', async () => {
    const { bridge, connection, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    const before = port.notifications.length;
    connection.become({ kind: 'continuedElsewhere' });
    connection.become({ kind: 'failed', error: new StoreError('full', 'The disk is full. Free some space, then try again.', 'ENOSPC') });
    port.command('runAction', { action: 'store.retry' });
    await settle();
    expect(port.notifications.slice(before)).toEqual([
      ['store', { kind: 'elsewhere', sentence: 'Continued in another window. Everything shown is saved.', actions: [{ action: 'store.reclaim', label: 'Continue Here' }] }],
      [
        'store',
        {
          kind: 'failed', cause: 'full', sentence: 'The disk is full. Free some space, then try again.', technical: 'ENOSPC',
          actions: [{ action: 'store.retry', label: 'Try Again' }, { action: 'openSettings:hermes.storage.path', label: 'Choose a Storage Folder' }, { action: 'showLog', label: 'Show Log' }],
        },
      ],
    ]);
    expect(connection.asked).toEqual(['retry']);
  });

  it('holds a prompt that is sent while the store is being opened, instead of refusing it', async () => {
    const { bridge, connection, gateway } = world({ store: { kind: 'opening', blockedBy: null } });
    const port = new RecordingPort();
    bridge.connect(port);
    port.request(1, 'submit', { sessionId: null, uid: 'u1', text: 'hello' });
    await settle();
    connection.become({ kind: 'opening', blockedBy: 'Another window is closing.' });
    await settle();
    expect({ calls: gateway.calls, responses: port.responses }).toEqual({ calls: [], responses: [] });
    connection.become(openState);
    await settle();
    expect(gateway.calls).toEqual(['submit chat new hello']);
    expect(port.responses).toMatchObject([{ id: 1, ok: true, result: { kind: 'started', sessionId: 's1' } }]);
  });

  it('passes on what is to become of a prompt while a turn runs, and refuses what it does not know', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.request(1, 'submit', { sessionId: 's1', uid: 'u1', text: 'hello', busy: 'steer' });
    port.request(2, 'submit', { sessionId: 's1', uid: 'u2', text: 'hello', busy: 'shout' });
    await settle();
    expect(gateway.calls).toEqual(['submit chat s1 hello (steer)']);
    expect(port.responses).toMatchObject([{ id: 2, ok: false }, { id: 1, ok: true }]);
  });

  it('saves what the composer held before it switches, and hands on what there is to say', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('saveDraft', { key: 's1', text: 'half a thought' });
    port.request(1, 'switchSession', { target: { reason: 'resume', sessionId: 's2' } });
    port.request(2, 'switchSession', { target: { reason: 'rewind', sessionId: 's1', turns: 0 } });
    await settle();
    expect(gateway.calls).toEqual(['draft s1 half a thought', 'switch chat s2']);
    expect(port.responses).toMatchObject([{ id: 2, ok: false }, { id: 1, ok: true, result: { sessionId: 's2', notice: null } }]);
  });

  it('has files put back before a prompt is asked again and behind a rewind, where that was asked for, and says what stayed', async () => {
    const takeBack = async (turnUid: string): Promise<string> => {
      gateway.calls.push(`files of ${turnUid}`);
      return 'a.ts stays as it is.';
    };
    const { bridge, gateway } = world({ files: { ...noChangedFiles, takeBack } });
    const port = new RecordingPort();
    bridge.connect(port);
    port.request(1, 'retry', { turnUid: 't1', files: true });
    await settle();
    port.request(2, 'retry', { turnUid: 't2' });
    await settle();
    port.request(3, 'editAndResend', { turnUid: 't3', text: 'other', uid: 'e1', files: true });
    await settle();
    port.request(4, 'switchSession', { target: { reason: 'rewind', sessionId: 's1', to: 'u1', files: true } });
    await settle();
    port.request(5, 'switchSession', { target: { reason: 'rewind', sessionId: 's1', to: 'u1' } });
    await settle();
    expect(gateway.calls).toEqual(['files of t1', 'retry t1', 'retry t2', 'files of t3', 'edit t3 other', 'switch chat new', 'files of t1', 'switch chat new']);
    expect(port.responses.map((response) => ('result' in response ? response.result : null))).toMatchObject([
      { notice: 'a.ts stays as it is.' }, { notice: null }, { notice: 'a.ts stays as it is.' }, { notice: 'a.ts stays as it is.' }, { notice: null },
    ]);
  });

  it('draws what turns changed in files, and tells it again when it changes', async () => {
    const changes = new Emitter<WorkNotifications['changedFiles']>();
    const file = { path: '/w/a.ts', shown: 'a.ts', kind: 'edited', added: 1, removed: 1, state: 'open' } as const;
    const { bridge, gateway } = world({ files: { ...noChangedFiles, ofTurns: async () => ({ t1: [file] }), onDidChange: changes.event } });
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    changes.fire({ sessionId: 's1', turnUid: 't1', files: [{ ...file, state: 'kept' }] });
    expect(port.notifications.slice(-2).map(([, payload]) => payload)).toEqual([
      expect.objectContaining({ shown: expect.objectContaining({ changes: { t1: [file] } }) }), { sessionId: 's1', turnUid: 't1', files: [{ ...file, state: 'kept' }] },
    ]);
  });

  it('says that rows of the session shown have changed, and not where another one is shown', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    for (const sessionId of ['s1', 's1', 's2']) {
      await gateway.switchSession('chat', { reason: 'resume', sessionId });
      await settle();
    }
    expect(port.notifications.filter(([name]) => name === 'shown').map(([, payload]) => payload)).toMatchObject([
      { session: { id: 's1' }, changed: false }, { session: { id: 's1' }, changed: true }, { session: { id: 's2' }, changed: false },
    ]);
  });

  it('names what a session was branched from, by its newest segment, or that it was erased', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    gateway.sessions.set('b', session('b', { parentSessionId: 's1', parentKind: 'branch' }));
    gateway.sessions.set('b2', session('b2', { parentSessionId: 'b', parentKind: 'compression', conversationId: 'b' }));
    gateway.sessions.set('s1', session('s1', { trashedAt: 5 }));
    gateway.sessions.set('c', session('c', { parentSessionId: null, parentKind: 'branch' }));
    bridge.connect(port);
    port.command('ready');
    await settle();
    const origins: unknown[] = [];
    for (const sessionId of ['b2', 's2', 'c']) {
      await gateway.switchSession('chat', { reason: 'resume', sessionId });
      await settle();
      origins.push(port.notifications.filter(([name]) => name === 'shown').at(-1)?.[1]);
    }
    expect(origins).toMatchObject([{ origin: { sessionId: 's1', title: 'Title of s1', isTrashed: true } }, { origin: null }, { origin: { sessionId: null } }]);
  });

  it('counts what it shows as seen only while its page is there, and what came meanwhile when it is back', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    const seen = [bridge.isVisible()];
    port.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    seen.push(bridge.isVisible());
    bridge.pageUnloaded();
    seen.push(bridge.isVisible());
    const before = gateway.calls.length;
    port.command('ready');
    await settle();
    expect({ seen, back: bridge.isVisible(), calls: gateway.calls.slice(before) }).toEqual({ seen: [false, true, false], back: true, calls: ['seen s1'] });
  });

  it('writes nothing to the store before what is shown was read, and what is remembered already never', async () => {
    const { bridge, gateway, written } = world({ remembered: 's1' });
    await settle();
    const restored = [...written];
    const port = new RecordingPort();
    bridge.connect(port);
    let arrive: () => void = () => undefined;
    gateway.beforeSnapshotArrives = new Promise((resolve) => (arrive = resolve));
    const writes = (): readonly string[] => [...gateway.calls.filter((call) => call.startsWith('seen')), ...written];
    port.command('ready');
    await settle();
    const drawing = writes();
    arrive();
    await settle();
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    await settle();
    expect({ restored, drawing, after: writes() }).toEqual({ restored: [], drawing: [], after: ['seen s1', 'shown:chat s2'] });
  });

  it('tells what runs in the background, and no longer of what the person dismissed', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    const list = async (state: 'running' | 'complete', unread: boolean): Promise<void> => {
      gateway.listed.set('s2', { lastTurn: { state }, unread });
      gateway.changed('s2');
      await settle();
    };
    await list('running', false);
    await list('complete', true);
    port.command('dismissBackground', { sessionId: 's2' });
    await settle();
    expect(port.notifications.filter(([name]) => name === 'background').map(([, payload]) => payload)).toEqual([
      [{ sessionId: 's2', title: 'Title of s2', state: 'running' }], [{ sessionId: 's2', title: 'Title of s2', state: 'complete' }], [],
    ]);
  });

  it('tells of a new title and of a chosen model', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    const before = port.notifications.length;
    port.request(1, 'rename', { sessionId: 's1', title: 'Better' });
    await settle();
    port.request(2, 'selectModel', { sessionId: 's1', ref: 'Local/m' });
    await settle();
    expect(port.notifications.slice(before).filter(([name]) => name !== 'recentSessions')).toEqual([
      ['sessionRenamed', { sessionId: 's1', title: 'Better' }],
      ['model', { chosen: null, problem: 'model of Local/m' }],
    ]);
  });

  it('focuses the composer as soon as the page is there', async () => {
    const { bridge } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    bridge.focusComposer();
    port.command('ready');
    expect(await shownIn(port)).toEqual(['bootstrap', 'focusComposer']);
  });

  it('keeps what is to go into the composer until a page shows it, and gives it once', async () => {
    const { bridge } = world();
    bridge.insertPrompt('`a.ts:1`');
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    expect(await shownIn(port)).toEqual(['bootstrap', 'insertPrompt']);
    bridge.insertPrompt('more');
    expect(port.notifications.slice(1)).toEqual([['insertPrompt', { text: '`a.ts:1`' }], ['insertPrompt', { text: 'more' }]]);
  });

  it('leaves nothing behind when it is disposed', async () => {
    const { bridge, gateway, models } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    bridge.dispose();
    const before = port.posted.length;
    models.fire();
    port.request(1, 'switchSession', { target: { reason: 'new_session' } });
    await settle();
    expect({ attached: gateway.attached, posted: port.posted.length, calls: gateway.calls }).toEqual({ attached: 0, posted: before, calls: [] });
  });

  it('shows, in a folder the window moves to, what was shown there last, and nothing of the one it left', async () => {
    const { bridge, connection, gateway, meta } = world({ remembered: 's1' });
    const port = new RecordingPort();
    bridge.connect(port);
    port.command('ready');
    await settle();
    const before = bridge.shownSession;
    connection.become({ kind: 'opening', blockedBy: null });
    bridge.leaveStore();
    const between = bridge.shownSession;
    meta.set('shown:chat', 's2');
    connection.become(openState);
    await settle();
    expect({ before, between, after: bridge.shownSession, drawn: gateway.shownSession('chat'), last: port.notifications.at(-1)?.[0] }).toEqual({
      before: 's1', between: null, after: 's2', drawn: 's2', last: 'bootstrap',
    });
  });
});

describe('a message that is to be seen', () => {
  it('is told behind the drawing that holds it, once, also to a page that was away', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    gateway.rows.push(userMessage('u1', 'hello'));
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    bridge.reveal({ messageUid: 'u1', turnUid: 't1' });
    await settle();
    const away = port.notifications.length;
    port.command('ready');
    await settle();
    const back = port.notifications.map(([name]) => name);
    bridge.reveal({ messageUid: 'u1', turnUid: 't1' });
    await settle();
    expect({ away, back, again: port.notifications.slice(back.length) }).toEqual({
      away: 0,
      back: ['bootstrap', 'reveal'],
      again: [['shown', expect.objectContaining({ messages: gateway.rows })], ['model', expect.anything()], ['reveal', { messageUid: 'u1', turnUid: 't1' }]],
    });
  });

  it('is forgotten when the person goes to another session first', async () => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    bridge.reveal({ messageUid: 'u1', turnUid: 't1' });
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    port.command('ready');
    await settle();
    expect(port.notifications.map(([name]) => name)).toEqual(['bootstrap']);
  });
});

describe('the surface of a tab', () => {
  it('shows the session it was opened for beside the panel, takes part in what happens there, and leaves no trace in the store', async () => {
    const { bridge, gateway, meta, tab } = world();
    const [panelPort, tabPort] = [new RecordingPort(), new RecordingPort()];
    bridge.connect(panelPort);
    panelPort.command('ready');
    await gateway.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    tab('s1').connect(tabPort);
    tabPort.command('ready');
    await settle();
    tabPort.request(1, 'submit', { sessionId: 's1', uid: 'p1', text: 'from the tab' });
    panelPort.request(1, 'submit', { sessionId: 's2', uid: 'p2', text: 'from the panel' });
    await settle();
    gateway.happen('s1', delivered(1, 'only for the tab', 0));
    await settle();
    const events = (port: RecordingPort): number => port.notifications.filter(([name]) => name === 'turnEvent').length;
    expect({ shown: [gateway.shownSession('chat'), gateway.shownSession('tab:1')], events: [events(panelPort), events(tabPort)], meta: [...meta], sent: gateway.calls.filter((call) => call.startsWith('submit')) }).toEqual({
      shown: ['s2', 's1'],
      events: [0, 1],
      meta: [['shown:chat', 's2']],
      sent: ['submit tab:1 s1 from the tab', 'submit chat s2 from the panel'],
    });
  });
});

describe('a rule that could not be kept', () => {
  it.each([
    ['run(*)', 'would allow everything of its kind'], ['edit(/**)', 'would allow everything of its kind'], ['read(~/**)', 'would allow everything of its kind'], ['npm test', 'is not a rule'],
  ])('%s is refused while the question stays', async (rule, why) => {
    const { bridge, gateway } = world();
    const port = new RecordingPort();
    bridge.connect(port);
    port.request(1, 'decideApproval', { approvalId: 'a1', decision: { kind: 'allow', scope: 'session', rules: ['run(npm test)', rule] } });
    await settle();
    expect([JSON.stringify(port.posted).includes(why), gateway.calls.filter((call) => call.startsWith('decide'))]).toEqual([true, []]);
  });
});

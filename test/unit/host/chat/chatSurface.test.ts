import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import type { CurrentFile } from '../../../../src/protocol/attachmentProtocol';
import { StoreError } from '../../../../src/store/storeError';
import { RecordingPort, settle } from '../recordingPort';
import { delivered, session, userMessage } from '../scriptedGateway';
import { openState, elsewhereState } from '../storeAtHand';
import { readySurface, surfaceWorld, shownIn } from '../surfaceWorld';
import { noAttachments } from '../../../support/emptyHost';

describe("the chat view's connection to the gateway", () => {
  it('renders everything when a page is ready, and nothing before', async () => {
    const { gateway, port } = surfaceWorld();
    gateway.changed('s1');
    expect(await shownIn(port)).toEqual([]);
    port.command('ready');
    await settle();
    expect(port.notifications).toEqual([
      [
        'bootstrap',
        expect.objectContaining({
          shown: null,
          newDraft: 'draft of the empty state',
          folderName: 'sample',
          store: { kind: 'open', notices: [] },
          model: { chosen: null, problem: 'model of default' },
        }),
      ],
    ]);
  });

  it('sends the current file after everything else, and again when it changes', async () => {
    const changes = new Emitter<undefined>();
    let currentFile: CurrentFile | null = { kind: 'file', source: 'file:a.ts', label: 'a.ts' };
    const attachments = {
      ...noAttachments,
      get currentFile() {
        return currentFile;
      },
      onDidChangeCurrentFile: (listener: () => void) => changes.event(listener),
    };
    const { port } = await readySurface({ attachments });
    currentFile = null;
    changes.fire(undefined);
    expect(port.notifications.map(([name, payload]) => (name === 'currentFile' ? [name, payload] : name))).toEqual([
      'bootstrap',
      ['currentFile', { kind: 'file', source: 'file:a.ts', label: 'a.ts' }],
      ['currentFile', null],
    ]);
  });

  it('offers custom agents while our own agent answers, and none while an agent of another maker does', async () => {
    const planner = { name: 'planner', description: 'Plans', missingTools: [], missingModel: null, handoffs: [] };
    let isHosted = false;
    const { gateway, port, models } = await readySurface({ agents: () => (isHosted ? null : [planner]) });
    await gateway.customAgents.choose('chat', null, 'planner');
    for (const next of [true, true, false]) {
      isHosted = next;
      models.fire();
      await settle();
    }
    expect(port.notifications.flatMap(([name, payload]) => (name === 'agents' ? [payload] : []))).toEqual([
      { sessionId: null, chosen: null, offered: [planner] },
      { sessionId: null, chosen: null, offered: [] },
      { sessionId: null, chosen: 'planner', offered: [planner] },
    ]);
  });

  it('neither loses nor reorders events while a snapshot is read', async () => {
    const { gateway, port } = await readySurface();
    let arrive: () => void = () => undefined;
    gateway.beforeSnapshotArrives = new Promise((resolve) => (arrive = resolve));
    gateway.rows.push(userMessage('u1', 'hello'));
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
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

  it('offers to retry a session that could not be read, and removes the notice after it succeeds', async () => {
    const { gateway, port } = await readySurface();
    gateway.rows.push(userMessage('u1', 'hello'));
    gateway.beforeSnapshotArrives = Promise.reject(
      new StoreError('unknown', 'What was kept aside cannot be read now.', 'closed'),
    );
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    const action = 'offer.shown session.0.0';
    const notices = (): readonly unknown[] =>
      port.notifications.filter(([name]) => name === 'store').map(([, payload]) => payload);
    const failed = notices().at(-1);
    gateway.beforeSnapshotArrives = Promise.resolve();
    port.command('runAction', { action });
    await settle();
    expect({
      failed,
      shown: port.notifications.filter(([name]) => name === 'shown').at(-1)?.[1],
      after: notices().at(-1),
    }).toEqual({
      failed: {
        kind: 'open',
        notices: [{ sentence: 'What was kept aside cannot be read now.', actions: [{ action, label: 'Try Again' }] }],
      },
      shown: expect.objectContaining({ messages: gateway.rows }),
      after: { kind: 'open', notices: [] },
    });
  });

  it('shows only the last session when the user switches faster than snapshots arrive', async () => {
    const { gateway, port } = surfaceWorld();
    let arrive: () => void = () => undefined;
    gateway.beforeSnapshotArrives = new Promise((resolve) => (arrive = resolve));
    port.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    gateway.happen('s1', delivered(1, 'of s1', 0));
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    arrive();
    await settle();
    expect(port.notifications.map(([name, payload]) => [name, name === 'bootstrap' ? payload : null])).toEqual([
      ['bootstrap', expect.objectContaining({ shown: expect.objectContaining({ session: session('s2') }) })],
    ]);
  });

  it('posts nothing to a hidden page and renders it again when it is visible', async () => {
    const { surface, gateway, port } = surfaceWorld();
    port.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    const before = port.posted.length;
    surface.pageUnloaded();
    gateway.happen('s1', delivered(1, 'unseen', 0));
    gateway.changed('s1');
    await settle();
    expect(port.posted.length).toBe(before);
    gateway.rows.push(userMessage('u1', 'hello'));
    port.command('ready');
    await settle();
    expect(port.notifications.at(-1)).toEqual([
      'bootstrap',
      expect.objectContaining({ shown: expect.objectContaining({ messages: gateway.rows }) }),
    ]);
  });

  it('serves a new webview from then on, and the old one no more', async () => {
    const { surface, gateway } = surfaceWorld();
    const [old, fresh] = [new RecordingPort(), new RecordingPort()];
    const ended = surface.connect(old);
    surface.connect(fresh);
    fresh.command('ready');
    await settle();
    ended.dispose();
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    old.request(1, 'switchSession', { target: { reason: 'new_session' } });
    expect(await shownIn(fresh)).toEqual(['bootstrap', 'shown', 'model']);
    expect({ old: old.posted, calls: gateway.calls }).toEqual({ old: [], calls: ['switch chat s1'] });
  });

  it('returns to the session that was shown last', async () => {
    const { gateway, meta, port } = await readySurface({ remembered: 's2' });
    expect(port.notifications.at(-1)).toEqual([
      'bootstrap',
      expect.objectContaining({ shown: expect.objectContaining({ session: session('s2') }) }),
    ]);
    await gateway.switching.switchSession('chat', { reason: 'new_session' });
    await settle();
    expect(meta.get('shown:chat')).toBe('');
  });

  it('starts empty when the remembered session is no longer stored', async () => {
    const { gateway, port } = await readySurface({ remembered: 'gone' });
    expect({ calls: gateway.calls, last: port.notifications.at(-1) }).toEqual({
      calls: [],
      last: ['bootstrap', expect.objectContaining({ shown: null })],
    });
  });

  it('says that the store is being opened, and renders the session when it is open', async () => {
    const { connection, port } = await readySurface({ store: { kind: 'opening' }, remembered: 's1' });
    expect(port.notifications).toEqual([
      ['bootstrap', expect.objectContaining({ shown: null, store: { kind: 'opening' } })],
    ]);
    connection.become(openState);
    await settle();
    expect(port.notifications.at(-1)).toEqual([
      'bootstrap',
      expect.objectContaining({
        store: { kind: 'open', notices: [] },
        shown: expect.objectContaining({ session: session('s1') }),
      }),
    ]);
  });

  it('keeps the shown content when the store fails, says why, and carries out the recovery action', async () => {
    const { connection, gateway, port } = surfaceWorld();
    port.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    const before = port.notifications.length;
    connection.become(elsewhereState);
    connection.become({
      kind: 'failed',
      error: new StoreError('full', 'The disk is full. Free some space, then try again.', 'ENOSPC'),
    });
    port.command('runAction', { action: 'store.retry' });
    await settle();
    expect(port.notifications.slice(before)).toEqual([
      [
        'store',
        {
          kind: 'elsewhere',
          readable: false,
          sentence: 'Your sessions are open in another window.',
          actions: [{ action: 'store.takeOver', label: 'Take Over' }],
        },
      ],
      [
        'store',
        {
          kind: 'failed',
          cause: 'full',
          sentence: 'The disk is full. Free some space, then try again.',
          technical: 'ENOSPC',
          actions: [
            { action: 'store.retry', label: 'Try Again' },
            { action: 'openSettings:hermes.storage.path', label: 'Choose a Storage Folder' },
            { action: 'showLog', label: 'Show Log' },
          ],
        },
      ],
    ]);
    expect(connection.asked).toEqual(['retry']);
  });
});

describe('a message to reveal', () => {
  it('is posted once after the snapshot that contains it, also to a page that was hidden', async () => {
    const { surface, gateway, port } = surfaceWorld();
    gateway.rows.push(userMessage('u1', 'hello'));
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    surface.reveal({ messageUid: 'u1', turnUid: 't1' });
    await settle();
    const away = port.notifications.length;
    port.command('ready');
    await settle();
    const back = port.notifications.map(([name]) => name);
    surface.reveal({ messageUid: 'u1', turnUid: 't1' });
    await settle();
    expect({ away, back, again: port.notifications.slice(back.length) }).toEqual({
      away: 0,
      back: ['bootstrap', 'reveal'],
      again: [
        ['shown', expect.objectContaining({ messages: gateway.rows })],
        ['model', expect.anything()],
        ['reveal', { messageUid: 'u1', turnUid: 't1' }],
      ],
    });
  });

  it('is dropped when the user goes to another session first', async () => {
    const { surface, gateway, port } = surfaceWorld();
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    surface.reveal({ messageUid: 'u1', turnUid: 't1' });
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    port.command('ready');
    await settle();
    expect(port.notifications.map(([name]) => name)).toEqual(['bootstrap']);
  });
});

describe('the surface of a tab', () => {
  it('shows the session it was opened for next to the panel, takes part in it, and leaves no trace in the store', async () => {
    const { surface, gateway, meta, tab } = surfaceWorld();
    const [panelPort, tabPort] = [new RecordingPort(), new RecordingPort()];
    surface.connect(panelPort);
    panelPort.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    tab('s1').connect(tabPort);
    tabPort.command('ready');
    await settle();
    tabPort.request(1, 'submit', { sessionId: 's1', uid: 'p1', text: 'from the tab' });
    panelPort.request(1, 'submit', { sessionId: 's2', uid: 'p2', text: 'from the panel' });
    await settle();
    gateway.happen('s1', delivered(1, 'only for the tab', 0));
    await settle();
    const events = (port: RecordingPort): number => port.notifications.filter(([name]) => name === 'turnEvent').length;
    expect({
      shown: [gateway.surfaces.shownSession('chat'), gateway.surfaces.shownSession('tab:1')],
      events: [events(panelPort), events(tabPort)],
      meta: [...meta],
      sent: gateway.calls.filter((call) => call.startsWith('submit')),
    }).toEqual({
      shown: ['s2', 's1'],
      events: [0, 1],
      meta: [['shown:chat', 's2']],
      sent: ['submit tab:1 s1 from the tab', 'submit chat s2 from the panel'],
    });
  });
});

describe('a rule that could not be saved', () => {
  it.each([
    ['run(*)', 'would allow everything of its kind'],
    ['edit(/**)', 'would allow everything of its kind'],
    ['read(~/**)', 'would allow everything of its kind'],
    ['npm test', 'is not a rule'],
  ])('%s is refused while the question stays', async (rule, why) => {
    const { gateway, port } = surfaceWorld();
    port.request(1, 'decideApproval', {
      approvalId: 'a1',
      decision: { kind: 'allow', scope: 'session', rules: ['run(npm test)', rule] },
    });
    await settle();
    expect([
      JSON.stringify(port.posted).includes(why),
      gateway.calls.filter((call) => call.startsWith('decide')),
    ]).toEqual([true, []]);
  });
});

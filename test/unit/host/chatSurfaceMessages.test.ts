import type { SessionStore } from '../../../src/store/session/sessionStore';
import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../src/gateway/gateway';
import { RecordingPort, settle } from './recordingPort';
import { session } from './scriptedGateway';
import { openState } from './storeAtHand';
import { readySurface, surfaceWorld, shownIn } from './surfaceWorld';
import { noChangedFiles } from '../../support/emptyHost';

describe('the messages of a chat view', () => {
  it('hold a prompt that is sent while the store is being opened, instead of refusing it', async () => {
    const { connection, gateway, port } = surfaceWorld({ store: { kind: 'opening' } });
    port.request(1, 'submit', { sessionId: null, uid: 'u1', text: 'hello' });
    await settle();
    connection.become({ kind: 'opening' });
    await settle();
    expect({ calls: gateway.calls, responses: port.responses }).toEqual({ calls: [], responses: [] });
    connection.become(openState);
    await settle();
    expect(gateway.calls).toEqual(['submit chat new hello']);
    expect(port.responses).toMatchObject([{ id: 1, ok: true, result: { kind: 'started', sessionId: 's1' } }]);
  });

  it('pass on what happens to a prompt while a turn runs, and refuse unknown values', async () => {
    const { gateway, port } = surfaceWorld();
    port.request(1, 'submit', { sessionId: 's1', uid: 'u1', text: 'hello', busy: 'steer' });
    port.request(2, 'submit', { sessionId: 's1', uid: 'u2', text: 'hello', busy: 'shout' });
    await settle();
    expect(gateway.calls).toEqual(['submit chat s1 hello (steer)']);
    expect(port.responses).toMatchObject([
      { id: 2, ok: false },
      { id: 1, ok: true },
    ]);
  });

  it("save the composer's draft before a switch, and pass on its notices", async () => {
    const { gateway, port } = surfaceWorld();
    port.request(3, 'saveDraft', { key: 's1', text: 'half a thought' });
    port.request(1, 'switchSession', { target: { reason: 'resume', sessionId: 's2' } });
    port.request(2, 'switchSession', { target: { reason: 'rewind', sessionId: 's1', turns: 0 } });
    await settle();
    expect(gateway.calls).toEqual(['draft s1 half a thought', 'switch chat s2']);
    expect(port.responses).toMatchObject([
      { id: 2, ok: false },
      { id: 3, ok: true, result: null },
      { id: 1, ok: true, result: { sessionId: 's2', notice: null } },
    ]);
  });

  it("save the composer's draft before anything is done with the prompt, which clears that draft", async () => {
    const { gateway, port } = surfaceWorld();
    let store: () => void = () => undefined;
    const stored = new Promise<void>((resolve) => (store = resolve));
    const setDraft: SessionStore['setDraft'] = async (key, text, _parts, around) => {
      await stored;
      gateway.calls.push(`draft ${key} ${text}${JSON.stringify(around)}`);
    };
    Object.assign(gateway.store, { setDraft });
    const submit = gateway.intake.submit.bind(gateway);
    gateway.intake.submit = (surfaceId, prompt) => (
      gateway.calls.push(JSON.stringify(prompt.draft)),
      submit(surfaceId, prompt)
    );
    port.request(1, 'saveDraft', { key: 's1', text: '', sent: [{ uid: 'u1', text: '/queue hello' }] });
    port.request(2, 'submit', {
      sessionId: 's1',
      uid: 'u1',
      text: 'hello',
      draft: { key: 's1', text: '/queue hello' },
    });
    await settle();
    const early = [...gateway.calls];
    store();
    await settle();
    expect([early, gateway.calls]).toEqual([
      [],
      [
        'draft s1 {"sent":[{"uid":"u1","text":"/queue hello"}]}',
        '{"key":"s1","text":"/queue hello","shownKey":"shown:chat"}',
        'submit chat s1 hello',
      ],
    ]);
  });

  it('render a page loaded after Enter once it is certain whether the prompt is stored, even if it was refused', async () => {
    const { surface, gateway } = surfaceWorld();
    const [gone, port] = [new RecordingPort(), new RecordingPort()];
    surface.connect(gone);
    let refuse: (error: Error) => void = () => undefined;
    gateway.intake.submit = () => new Promise((_resolve, reject) => (refuse = reject));
    gone.request(1, 'submit', { sessionId: 's1', uid: 'u1', text: 'hello' });
    surface.connect(port);
    port.command('ready');
    await settle();
    const early = port.notifications.length;
    refuse(new GatewayError('closing', 'This window is closing.'));
    await settle();
    expect([early, port.notifications.map(([name]) => name)]).toEqual([0, ['bootstrap']]);
  });

  it('restore files before a prompt is asked again and after a rewind, if requested, and say what stayed', async () => {
    const takeBack = async (turnUid: string): Promise<string> => {
      gateway.calls.push(`files of ${turnUid}`);
      return 'a.ts stays as it is.';
    };
    const { gateway, port } = surfaceWorld({ files: { ...noChangedFiles, takeBack } });
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
    expect(gateway.calls).toEqual([
      'files of t1',
      'retry t1',
      'retry t2',
      'files of t3',
      'edit t3 other',
      'switch chat new',
      'files of t1',
      'switch chat new',
    ]);
    expect(port.responses.map((response) => ('result' in response ? response.result : null))).toMatchObject([
      { notice: 'a.ts stays as it is.' },
      { notice: null },
      { notice: 'a.ts stays as it is.' },
      { notice: 'a.ts stays as it is.' },
      { notice: null },
    ]);
  });

  it('render what turns changed in files, and send it again when it changes', async () => {
    const file = { path: '/w/a.ts', shown: 'a.ts', kind: 'edited', added: 1, removed: 1, state: 'open' } as const;
    const { gateway, port, surface } = surfaceWorld({
      files: { ...noChangedFiles, ofTurns: async () => ({ t1: [file] }) },
    });
    port.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    surface.filesChanged({ sessionId: 's1', turnUid: 't1', files: [{ ...file, state: 'kept' }] });
    expect(port.notifications.slice(-2).map(([, payload]) => payload)).toEqual([
      expect.objectContaining({ shown: expect.objectContaining({ changes: { t1: [file] } }) }),
      { sessionId: 's1', turnUid: 't1', files: [{ ...file, state: 'kept' }] },
    ]);
  });

  it('report that rows of the shown session changed, but not while another one is shown', async () => {
    const { gateway, port } = await readySurface();
    for (const sessionId of ['s1', 's1', 's2']) {
      await gateway.switching.switchSession('chat', { reason: 'resume', sessionId });
      await settle();
    }
    expect(port.notifications.filter(([name]) => name === 'shown').map(([, payload]) => payload)).toMatchObject([
      { session: { id: 's1' }, changed: false },
      { session: { id: 's1' }, changed: true },
      { session: { id: 's2' }, changed: false },
    ]);
  });

  it('name the session that a session was branched from, by its newest segment, or say that it was erased', async () => {
    const { gateway, port } = surfaceWorld();
    gateway.stored.set('b', session('b', { parentSessionId: 's1', parentKind: 'branch' }));
    gateway.stored.set('b2', session('b2', { parentSessionId: 'b', parentKind: 'compression', conversationId: 'b' }));
    gateway.stored.set('s1', session('s1', { trashedAt: 5 }));
    gateway.stored.set('c', session('c', { parentSessionId: null, parentKind: 'branch' }));
    port.command('ready');
    await settle();
    const origins: unknown[] = [];
    for (const sessionId of ['b2', 's2', 'c']) {
      await gateway.switching.switchSession('chat', { reason: 'resume', sessionId });
      await settle();
      origins.push(port.notifications.filter(([name]) => name === 'shown').at(-1)?.[1]);
    }
    expect(origins).toMatchObject([
      { origin: { sessionId: 's1', title: 'Title of s1', isTrashed: true } },
      { origin: null },
      { origin: { sessionId: null } },
    ]);
  });

  it('count content as seen only while its page is visible, and what came meanwhile when it returns', async () => {
    const { surface, gateway, port } = surfaceWorld();
    const seen = [surface.isVisible()];
    port.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
    await settle();
    seen.push(surface.isVisible());
    surface.pageUnloaded();
    seen.push(surface.isVisible());
    const before = gateway.calls.length;
    port.command('ready');
    await settle();
    expect({ seen, back: surface.isVisible(), calls: gateway.calls.slice(before) }).toEqual({
      seen: [false, true, false],
      back: true,
      calls: ['seen s1'],
    });
  });

  it('write nothing to the store before the session was read, and never rewrite what the store already has', async () => {
    const { surface, gateway, written } = surfaceWorld({ remembered: 's1' });
    await settle();
    const restored = [...written];
    const port = new RecordingPort();
    surface.connect(port);
    let arrive: () => void = () => undefined;
    gateway.beforeSnapshotArrives = new Promise((resolve) => (arrive = resolve));
    const writes = (): readonly string[] => [...gateway.calls.filter((call) => call.startsWith('seen')), ...written];
    port.command('ready');
    await settle();
    const drawing = writes();
    arrive();
    await settle();
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's2' });
    await settle();
    expect({ restored, drawing, after: writes() }).toEqual({
      restored: [],
      drawing: [],
      after: ['seen s1', 'shown:chat s2'],
    });
  });

  it('report background work, and stop reporting what the user dismissed', async () => {
    const { gateway, port } = await readySurface();
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
      [{ sessionId: 's2', title: 'Title of s2', state: 'running' }],
      [{ sessionId: 's2', title: 'Title of s2', state: 'complete' }],
      [],
    ]);
  });

  it('report a new title and a chosen model', async () => {
    const { gateway, port } = surfaceWorld();
    port.command('ready');
    await gateway.switching.switchSession('chat', { reason: 'resume', sessionId: 's1' });
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

  it('keep text for the composer until a page shows it, and deliver it once', async () => {
    const { surface } = surfaceWorld();
    surface.insertPrompt('`a.ts:1`');
    const port = new RecordingPort();
    surface.connect(port);
    port.command('ready');
    expect(await shownIn(port)).toEqual(['bootstrap', 'insertPrompt']);
    surface.insertPrompt('more');
    expect(port.notifications.slice(1)).toEqual([
      ['insertPrompt', { text: '`a.ts:1`' }],
      ['insertPrompt', { text: 'more' }],
    ]);
  });

  it('leave nothing registered when the view is disposed', async () => {
    const { surface, gateway, models, port } = await readySurface();
    surface.dispose();
    const before = port.posted.length;
    models.fire();
    port.request(1, 'switchSession', { target: { reason: 'new_session' } });
    await settle();
    expect({ attached: gateway.attached, posted: port.posted.length, calls: gateway.calls }).toEqual({
      attached: 0,
      posted: before,
      calls: [],
    });
  });

  it('show, in a folder the window moves to, what was shown there last, and nothing of the previous folder', async () => {
    const { surface, connection, gateway, meta, port } = await readySurface({ remembered: 's1' });
    const before = surface.shownSession;
    connection.become({ kind: 'opening' });
    surface.leaveStore();
    const between = surface.shownSession;
    meta.set('shown:chat', 's2');
    connection.become(openState);
    await settle();
    expect({
      before,
      between,
      after: surface.shownSession,
      drawn: gateway.surfaces.shownSession('chat'),
      last: port.notifications.at(-1)?.[0],
    }).toEqual({
      before: 's1',
      between: null,
      after: 's2',
      drawn: 's2',
      last: 'bootstrap',
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { HermesApi, SessionSwitched, TurnEvent } from '../../../../src/features/api/core/hermes';
import { ExtensionApi } from '../../../../src/features/api/core/extensionApi';
import { MemoryProviders } from '../../../../src/memory/memoryProviders';
import { gate } from '../../../support/conformance';
import { reply } from '../../../support/modelServer';
import { World, type WorldOptions } from '../../../support/world';
import { RecordingLog } from '../../host/recordingLog';

let world: World;
const apis: ExtensionApi[] = [];
afterEach(async () => {
  for (const api of apis.splice(0)) api.dispose();
  await world.close();
});

interface House {
  readonly hermes: HermesApi;
  readonly api: ExtensionApi;
  readonly log: RecordingLog;
}

async function house(options: WorldOptions = {}): Promise<House> {
  world = await World.create(options);
  const log = new RecordingLog();
  const api = new ExtensionApi({
    gateway: world.gateway,
    store: world.store,
    log,
    memory: new MemoryProviders(() => 'builtin', log),
    chosenMemory: () => 'builtin',
  });
  apis.push(api);
  return { hermes: api.exports.getApi(1), api, log };
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: { readonly code?: unknown }) => error.code,
  );

/** Everything of a value, down to the last object, is frozen. */
function isFrozen(value: unknown): boolean {
  return (
    typeof value !== 'object' || value === null || (Object.isFrozen(value) && Object.values(value).every(isFrozen))
  );
}

/** Waits until the API, which looks things up before it tells of them, has come so far. */
const until = (value: () => unknown, wanted: unknown): Promise<void> => expect.poll(value).toEqual(wanted);

describe('the API', () => {
  it('has version 1, and says so to an extension that asks for another version', async () => {
    const { api, hermes } = await house();
    const { getApi }: { getApi(version: unknown): unknown } = api.exports;
    expect([hermes.apiVersion, hermes === api.exports.getApi(1), Object.isFrozen(hermes)]).toEqual([1, true, true]);
    expect(() => getApi(2)).toThrow(
      'This Hermes has version 1 of its API, not 2. Update Hermes, or the extension that asks for it.',
    );
  });

  it('refuses every call after Hermes is deactivated, and calls no listener any more', async () => {
    const { hermes, api } = await house();
    world.server.otherwise(reply().says('ok'));
    const events: TurnEvent[] = [];
    hermes.onTurnEvent((event) => events.push(event));
    api.dispose();
    await world.ask(world.surface(), 'q1');
    expect({
      events,
      list: await codeOf(hermes.sessions.list()),
      read: await codeOf(hermes.sessions.read('s')),
    }).toEqual({ events: [], list: 'closed', read: 'closed' });
    expect(() => hermes.onTurnEvent(() => undefined)).toThrow('Hermes was deactivated.');
    expect(() =>
      hermes.registerMemoryProvider({
        name: 'late',
        create: () => ({ initialize: () => undefined, syncTurn: () => undefined }),
      }),
    ).toThrow('Hermes was deactivated.');
  });
});

describe('sessions of the API', () => {
  it('are listed newest first, page by page, and read as the user sees them: calls and results, nothing that is only sent', async () => {
    const { hermes } = await house();
    world.server.script(
      reply().says('Looking.').calls('list_directory', { path: 'nowhere' }),
      reply().thinks('Hm.').says('Nothing there.'),
      reply().says('Second.'),
    );
    const panel = world.surface();
    const { sessionId: first } = await world.ask(panel, 'What is there?');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const { sessionId: second } = await world.ask(panel, 'And now?');
    const [newest] = await hermes.sessions.list({ limit: 1 });
    const older = newest === undefined ? [] : await hermes.sessions.list({ before: newest });
    const page = await hermes.sessions.read(first);
    expect({
      listed: [newest, ...older].map((entry) => [entry?.id, entry?.preview, entry?.turnCount, entry?.state]),
      messages: page.messages.map(({ role, parts }) => [role, ...parts.map((part) => Object.keys(part).join(' '))]),
      turns: page.turns.map((turn) => [turn.state, turn.state === 'settled' && turn.stopReason]),
      frozen: [isFrozen(page), isFrozen(newest), isFrozen(older)],
      secret: JSON.stringify(page).includes('api_content'),
    }).toEqual({
      listed: [
        [second, 'And now?', 1, 'complete'],
        [first, 'What is there?', 1, 'complete'],
      ],
      messages: [
        ['user', 'kind text'],
        ['assistant', 'kind text', 'kind callId name arguments'],
        ['tool', 'kind callId name outcome text'],
        ['assistant', 'kind text', 'kind text'],
      ],
      turns: [['settled', 'stop']],
      frozen: [true, true, true],
      secret: false,
    });
  });

  it('are read backward page by page, including summarized parts, under any id they have had', async () => {
    const { hermes } = await house();
    world.server.otherwise(reply().says('The parser reads tokens and builds a tree. '.repeat(200), { in: 'whole' }));
    const panel = world.surface();
    const { sessionId: before } = await world.ask(panel, 'q1');
    for (const prompt of ['q2', 'q3', 'q4']) await world.ask(panel, prompt);
    const { sessionId: after } = await world.gateway.compression.compress(before, null);
    await world.ask(panel, 'q5');
    const prompts: string[] = [];
    let page = await hermes.sessions.read(before, { limit: 3 });
    for (;;) {
      prompts.unshift(
        ...page.messages.flatMap(({ role, parts: [part] }) =>
          role === 'user' && part.kind === 'text' ? [part.text] : [],
        ),
      );
      const position = page.messages[0]?.position;
      if (!page.hasEarlier || position === undefined) break;
      page = await hermes.sessions.read(after, { limit: 3, before: position });
    }
    expect({
      prompts,
      id: page.session.id,
      conversation: page.session.conversationId,
      listed: (await hermes.sessions.list()).map(({ id }) => id),
    }).toEqual({
      prompts: ['q1', 'q2', 'q3', 'q4', 'q5'],
      id: after,
      conversation: before,
      listed: [after],
    });
  });

  it('that are private or in the trash do not exist for the API; bad arguments are named', async () => {
    const { hermes } = await house();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session', private: true });
    const { sessionId: secret } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const { sessionId: trashed } = await world.ask(panel, 'q2');
    await world.gateway.actions.trash(trashed);
    const {
      list,
      read,
    }: { list(query: unknown): Promise<unknown>; read(id: unknown, query?: unknown): Promise<unknown> } =
      hermes.sessions;
    expect({
      list: await hermes.sessions.list(),
      read: await Promise.all([secret, trashed, 'unknown'].map((id) => codeOf(read(id)))),
      bad: await Promise.all(
        [
          list({ limit: 0 }),
          list({ limit: 501 }),
          list({ before: 'x' }),
          read(7),
          read(''),
          read('s', { limit: 1.5 }),
        ].map(codeOf),
      ),
    }).toEqual({ list: [], read: ['notFound', 'notFound', 'notFound'], bad: Array<string>(6).fill('invalid') });
    await expect(list({ limit: 0 })).rejects.toThrow('sessions.list cannot be called so: limit: ');
  });

  it('report that they cannot be read while the store fails', async () => {
    const { hermes } = await house();
    const { StoreError } = await import('../../../../src/store/storeError');
    const mend = world.breakStore(() => new StoreError('full', 'The disk is full.', 'ENOSPC'));
    const code = await codeOf(hermes.sessions.list());
    mend();
    expect(code).toBe('unavailable');
  });
});

describe('events of the API', () => {
  it('report a turn in order, each after its content is on disk', async () => {
    const { hermes } = await house();
    world.server.script(
      reply().says('Looking.').calls('list_directory', { path: 'nowhere' }),
      reply().says('Nothing ').says('there.'),
    );
    const events: TurnEvent[] = [];
    const unstored: string[] = [];
    hermes.onTurnEvent((event) => {
      events.push(event);
      const uids =
        event.kind === 'opened'
          ? [event.prompt.id]
          : event.kind === 'stored'
            ? [event.message.id]
            : event.kind === 'delivered'
              ? event.chunks.map(({ messageId }) => messageId)
              : [];
      for (const uid of uids)
        if (world.query(`SELECT 1 AS n FROM messages WHERE uid = '${uid}'`).length === 0) unstored.push(uid);
    });
    const { sessionId } = await world.ask(world.surface(), 'What is there?');
    await until(() => events.at(-1)?.kind, 'settled');
    const [opened, settled] = [events[0], events.at(-1)];
    expect({
      kinds: [...new Set(events.map(({ kind }) => kind))],
      sessions: [...new Set(events.map((event) => event.sessionId))],
      unstored,
      frozen: events.every(isFrozen),
      said: events
        .flatMap((event) => (event.kind === 'delivered' ? event.chunks.map(({ text }) => text) : []))
        .join(''),
      opened: opened?.kind === 'opened' && opened.prompt.parts,
      settled: settled?.kind === 'settled' && [settled.turn.outcome, settled.turn.stopReason, settled.messages.length],
    }).toEqual({
      kinds: ['opened', 'delivered', 'stored', 'settled'],
      sessions: [sessionId],
      unstored: [],
      frozen: true,
      said: 'Looking.Nothing there.',
      opened: [{ kind: 'text', text: 'What is there?' }],
      settled: ['complete', 'stop', 4],
    });
  });

  it('report every switch with its ids, and no private session', async () => {
    const { hermes } = await house();
    world.server.otherwise(reply().says('ok'));
    const switches: SessionSwitched[] = [];
    const changed = new Set<string>();
    const turns = new Set<string>();
    hermes.onDidSwitchSession((event) => switches.push(event));
    hermes.onDidChangeSessions(({ sessionIds }) => sessionIds.forEach((id) => changed.add(id)));
    hermes.onTurnEvent(({ sessionId }) => turns.add(sessionId));
    const panel = world.surface();
    const { sessionId: first } = await world.ask(panel, 'q1');
    const { sessionId: branch } = await world.gateway.switching.switchSession(panel.id, {
      reason: 'branch',
      sessionId: first,
      from: null,
    });
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session', private: true });
    const { sessionId: secret } = await world.ask(panel, 'q2');
    await world.gateway.actions.setPinned(secret, true);
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId: first });
    await world.gateway.switching.switchSession(panel.id, { reason: 'rewind', sessionId: first, turns: 1 });
    await until(() => switches.at(-1)?.reason, 'rewind');
    const line = ({ previousSessionId, sessionId, parentSessionId, reason }: SessionSwitched) => [
      previousSessionId,
      sessionId,
      parentSessionId,
      reason,
    ];
    expect({
      switches: switches.map(line),
      changed: [...changed].sort(),
      turns: [...turns],
      frozen: isFrozen(switches) || switches.every(isFrozen),
    }).toEqual({
      switches: [
        [null, first, null, 'new_session'],
        [first, branch, first, 'branch'],
        [branch, null, null, 'new_session'],
        [null, first, null, 'resume'],
        [first, first, null, 'rewind'],
      ],
      changed: [first, branch].sort(),
      turns: [first],
      frozen: true,
    });
  });

  it('continue after a listener throws, rejects or hangs; the failure is logged once', async () => {
    const { hermes, log } = await house();
    world.server.script(reply().says('one ').says('two ').says('three'));
    const held = gate();
    const heard: string[] = [];
    hermes.onTurnEvent(() => {
      throw new Error('broken with sk-proj-abc123def456ghi7');
    });
    hermes.onTurnEvent(() => Promise.reject(new Error('rejecting')));
    hermes.onTurnEvent(() => held.opened);
    const listening = hermes.onTurnEvent(({ kind }) => heard.push(kind));
    const ends: string[] = [];
    hermes.onTurnEvent(({ kind, sessionId }) => void (kind === 'settled' && ends.push(sessionId)));
    const panel = world.surface();
    await world.ask(panel, 'q1');
    await until(() => ends.length, 1);
    listening.dispose();
    const count = heard.length;
    world.server.script(reply().says('again'));
    await world.ask(panel, 'q2');
    await until(() => ends.length, 2);
    held.open();
    expect({
      first: heard[0],
      last: heard.at(-1),
      later: heard.length - count,
      answers: panel.settled.length,
      logged: log.lines.filter((line) => line.includes('A listener')),
    }).toEqual({
      first: 'opened',
      last: 'settled',
      later: 0,
      answers: 2,
      logged: [
        'warn: A listener of another extension for onTurnEvent failed: broken with [key]',
        'warn: A listener of another extension for onTurnEvent failed: rejecting',
      ],
    });
  });

  it('report only that a session is gone, without its id', async () => {
    const { hermes } = await house();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const changes: (readonly string[])[] = [];
    hermes.onDidChangeSessions((change) => changes.push(change.sessionIds));
    await world.gateway.actions.forget(sessionId);
    await until(() => changes, [[]]);
  });
});

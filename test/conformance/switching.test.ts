import { describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/base/clock';
import type { Surface } from '../../src/gateway/gateway';
import { account, readElsewhere, sound, storedLines } from '../support/account';
import {
  askUntil,
  gate,
  resumed,
  seeded,
  sent,
  worldPerTest,
  refusal,
  heard,
  owing,
  talked,
} from '../support/conformance';
import { reply } from '../support/modelServer';
import { RecordingMemory } from '../support/recordingMemory';
import { type World } from '../support/world';

const { create } = worldPerTest();

/** What a refusal leaves as it was: the list, what is shown, and what is stored. */
async function standing(world: World, surface: Surface, sessionId: string) {
  const list = (await world.gateway.store.listSessions({ limit: 50 })).map(({ id, title }) => `${id} ${title}`);
  return {
    list,
    shown: world.gateway.surfaces.shownSession(surface.id),
    stored: storedLines(world, sessionId),
    sessions: readElsewhere(world, 'SELECT count(*) FROM sessions'),
  };
}

describe('reset', () => {
  it('ends the session, which stays in the list; the next prompt starts one without a parent, and memory is notified', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    world.server.script(reply().says('a2'));
    const outcome = await world.gateway.switching.switchSession(panel.id, { reason: 'reset' });
    const toldAtOnce = heard(world, { OLD: sessionId }).at(-1);
    const next = await world.ask(panel, 'q2');
    await world.gateway.shutdown();
    expect({
      outcome,
      toldAtOnce,
      reason: (await world.store.getSession(sessionId))?.endReason,
      parent: (await world.store.getSession(next.sessionId))?.parentSessionId,
      listed: (await world.gateway.store.listSessions({ limit: 9 })).length,
      sent: sent(world, 1),
      memory: heard(world, { OLD: sessionId, NEW: next.sessionId }),
    }).toEqual({
      outcome: { sessionId: null, draft: null, notice: null },
      toldAtOnce: 'end OLD',
      reason: 'reset',
      parent: null,
      listed: 2,
      sent: ['user: q2'],
      memory: [
        'initialize OLD',
        'sync OLD: q1 -> a1',
        'end OLD',
        'switch NEW reset reset',
        'sync NEW: q2 -> a2',
        'shutdown',
      ],
    });
  });

  it('of a session that is answering is refused with a sentence, and nothing changes', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().says('slow ').waitsFor(held.opened).says('answer'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'slow ');
    const said = await refusal(world.gateway.switching.switchSession(panel.id, { reason: 'reset' }));
    const shown = world.gateway.surfaces.shownSession(panel.id);
    held.open();
    expect({
      said,
      shown,
      ended: (await world.store.getSession(sessionId))?.endReason,
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      said: 'Hermes is answering in this session. Stop it first.',
      shown: sessionId,
      ended: null,
      ...sound,
      stored: ['user: q1', 'assistant: slow answer'],
    });
  });
});

describe('a new session', () => {
  it('ends the previous one for memory as soon as the user presses New, once, and its first prompt only switches', async () => {
    const world = await create({ memory: (log) => [new RecordingMemory(log, { previous: true })] });
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await new Promise((resolve) => setImmediate(resolve));
    const pressed = heard(world, { OLD: sessionId });
    const next = await world.ask(panel, 'q2');
    await world.gateway.shutdown();
    expect({ pressed, since: heard(world, { OLD: sessionId, NEW: next.sessionId }).slice(pressed.length) }).toEqual({
      pressed: ['initialize OLD', 'sync OLD: q1 -> ok', 'end OLD'],
      since: ['switch NEW new_session reset from OLD', 'sync NEW: q2 -> ok', 'shutdown'],
    });
  });

  it.each([
    ['stays empty', ['initialize RUN', 'sync RUN: q1 -> one two', 'end RUN']],
    ['is left for another one', ['initialize RUN', 'initialize OTHER', 'sync RUN: q1 -> one two', 'end RUN']],
    ['is left for the one before', ['initialize RUN', 'sync RUN: q1 -> one two']],
  ] as const)('ends the previous one after the turn that runs there, if it %s', async (what, memory) => {
    const world = await create();
    const held = gate();
    const other = await seeded(world, (history) => history.user('q').assistant('a'));
    world.memoryLog.length = 0;
    world.server.script(reply().says('one ').waitsFor(held.opened).says('two'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'one ');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    if (what !== 'stays empty')
      await world.gateway.switching.switchSession(panel.id, {
        reason: 'resume',
        sessionId: what === 'is left for another one' ? other.sessionId : sessionId,
      });
    held.open();
    await world.idle();
    await world.gateway.shutdown();
    const log = heard(world, { RUN: sessionId, OTHER: other.sessionId });
    expect(log.filter((line) => line !== 'shutdown')).toEqual(memory);
  });

  it('starts again for memory when the user returns to the session that has ended', async () => {
    const world = await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    await world.ask(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.gateway.shutdown();
    expect(heard(world, { OLD: sessionId }).filter((line) => line !== 'shutdown')).toEqual([
      'initialize OLD',
      'sync OLD: q1 -> ok',
      'end OLD',
      'initialize OLD',
      'sync OLD: q2 -> ok',
      'end OLD',
    ]);
  });

  it('reports, when it is resumed, the session that was left, in addition to the parent by lineage', async () => {
    const world = await create({ memory: (log) => [new RecordingMemory(log, { previous: true })] });
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const first = await world.ask(panel, 'q1');
    const { sessionId: branch } = await world.gateway.switching.switchSession(panel.id, {
      reason: 'branch',
      sessionId: first.sessionId,
      from: null,
    });
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const third = await world.ask(panel, 'q3');
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId: branch ?? '' });
    await world.gateway.shutdown();
    expect(
      heard(world, { FIRST: first.sessionId, BRANCH: branch ?? '', THIRD: third.sessionId }).filter((line) =>
        line.startsWith('switch'),
      ),
    ).toEqual([
      'switch BRANCH branch from FIRST parent FIRST',
      'switch THIRD new_session reset from BRANCH',
      'switch BRANCH resume from THIRD parent FIRST',
    ]);
  });
});

describe('a session that is left', () => {
  it('keeps its model: a model chosen there is not that of the next session, nor of new ones (B93 S128 S129)', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    world.server.script(reply().says('a2'), reply().says('a3'));
    await world.gateway.actions.selectModel(sessionId, 'Local/other-model');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const next = await world.ask(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    await world.ask(panel, 'q3');
    const modelOf = async (id: string) => (await world.store.getSession(id))?.model;
    expect({
      first: await modelOf(sessionId),
      next: await modelOf(next.sessionId),
      saved: world.savedModels,
      turns: readElsewhere(world, 'SELECT model FROM turns ORDER BY id'),
    }).toEqual({
      first: 'Local/other-model',
      next: 'Local/test-model',
      saved: [],
      turns: ['Local/test-model', 'Local/test-model', 'Local/other-model'],
    });
  });

  it('is verified: shown text that could not be written after its turn is written then (B17)', async () => {
    const world = await create();
    const { panel, sessionId } = await owing(world);
    const before = (await account(world, panel, sessionId)).missing;
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    expect(before).toEqual(['Hello ']);
    await vi.waitFor(async () => expect((await account(world, panel, sessionId)).missing).toEqual([]));
  });

  it('ends for memory although its agent was released while idle, which did not count as its end (B188)', async () => {
    let later = 0;
    const world = await create({ clock: { ...systemClock, now: () => systemClock.now() + later } });
    world.server.otherwise(reply().says('ok'));
    const [panel, other] = [world.surface(), world.surface()];
    const first = await world.ask(panel, 'q1');
    later += 4000;
    const beside = await world.ask(other, 'q2');
    const names = { FIRST: first.sessionId, BESIDE: beside.sessionId };
    const whenIdle = heard(world, names).filter((line) => line === 'shutdown' || line.startsWith('end'));
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.ask(panel, 'q3');
    const since = heard(world, { ...names, SECOND: second.sessionId }).slice(-4);
    expect({ whenIdle, since }).toEqual({
      whenIdle: ['shutdown'],
      since: ['initialize FIRST', 'end FIRST', 'switch SECOND new_session reset', 'sync SECOND: q3 -> ok'],
    });
  });

  it.each([false, true])(
    'ends for memory once when it is deleted after its agent was released (New pressed before: %s) (B188)',
    async (isLeft) => {
      let later = 0;
      const world = await create({ clock: { ...systemClock, now: () => systemClock.now() + later } });
      world.server.otherwise(reply().says('ok'));
      const [panel, tab, other] = [world.surface(), world.surface(), world.surface()];
      const { sessionId } = await world.ask(panel, 'q1');
      // Each surface had an agent of its own.
      if (!isLeft) await world.gateway.switching.switchSession(tab.id, { reason: 'resume', sessionId });
      later += 4000;
      await world.ask(other, 'q2');
      const ends = (): readonly string[] => heard(world, { GONE: sessionId }).filter((line) => line === 'end GONE');
      const whenIdle = ends();
      if (isLeft) await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
      await world.gateway.actions.trash(sessionId);
      await world.gateway.shutdown();
      expect({ whenIdle, after: ends() }).toEqual({ whenIdle: [], after: ['end GONE'] });
    },
  );

  it('continues its queue in the background without taking the agent of the shown session', async () => {
    const world = await create();
    const held = gate();
    world.server.script(
      reply().says('one ').waitsFor(held.opened).says('done'),
      reply().says('aside'),
      reply().says('two'),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'one ');
    await world.send(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const aside = await world.askBeside(panel, 'q3');
    held.open();
    while ((await world.store.queue(sessionId)).length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await world.idle();
    await world.gateway.shutdown();
    const log = heard(world, { LEFT: sessionId, SHOWN: aside.sessionId });
    expect({
      left: log.filter((line) => line.includes('LEFT')),
      shown: log.filter((line) => line.includes('SHOWN')),
    }).toEqual({
      left: ['initialize LEFT', 'sync LEFT: q1 -> one done', 'sync LEFT: q2 -> two', 'end LEFT'],
      shown: ['initialize SHOWN', 'sync SHOWN: q3 -> aside'],
    });
  });
});

describe('a private session', () => {
  it('is stored like any other, and memory is not notified of it, nor of its place in a switch', async () => {
    const world = await create();
    world.server.script(reply().says('a1'), reply().says('a2'), reply().says('a3'));
    const panel = world.surface();
    const before = await world.ask(panel, 'q1');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session', private: true });
    const said = world.gateway.surfaces.startsPrivate(panel.id);
    const hidden = await world.ask(panel, 'q2');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const after = await world.ask(panel, 'q3');
    await world.gateway.shutdown();
    expect({
      said,
      private: (await world.store.getSession(hidden.sessionId))?.private,
      stored: storedLines(world, hidden.sessionId),
      memory: heard(world, { BEFORE: before.sessionId, AFTER: after.sessionId, HIDDEN: hidden.sessionId }),
    }).toEqual({
      said: true,
      private: true,
      stored: ['user: q2', 'assistant: a2'],
      memory: [
        'initialize BEFORE',
        'sync BEFORE: q1 -> a1',
        'end BEFORE',
        'shutdown',
        'initialize AFTER',
        'sync AFTER: q3 -> a3',
        'shutdown',
      ],
    });
  });
});

describe('a session reference', () => {
  it('may be its title in any case, its id, or the beginning of the id (S127 S137)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, (history) => history.user('q').assistant('a'));
    await world.gateway.actions.rename(sessionId, 'My Project');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const found = [
      await world.gateway.sessions.find('my project'),
      await world.gateway.sessions.find(sessionId),
      await world.gateway.sessions.find('20260101_0'),
    ];
    expect(found).toEqual([sessionId, sessionId, sessionId]);
  });

  it('may be its id or title in brackets or quotes, unless a title contains them itself (S136)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, (history) => history.user('q').assistant('a'));
    await world.gateway.actions.rename(sessionId, 'My Project');
    world.server.otherwise(reply().says('ok'));
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const bracketed = await world.ask(panel, 'hello');
    await world.gateway.actions.rename(bracketed.sessionId, '[my project]');
    const names = [
      `[${sessionId}]`,
      `(${sessionId})`,
      `<${sessionId}>`,
      `{${sessionId}}`,
      `"${sessionId}"`,
      `'${sessionId}'`,
      `\`${sessionId}\``,
      `“${sessionId}”`,
      `«${sessionId}»`,
      `"[ ${sessionId} ]" `,
      '<20260101_0>',
      '“My Project”',
    ];
    expect({
      found: [...new Set(await Promise.all(names.map((name) => world.gateway.sessions.find(name))))],
      own: await world.gateway.sessions.find('[My Project]'),
      none: [
        await refusal(world.gateway.sessions.find('[]')),
        await refusal(world.gateway.sessions.find(`[${sessionId}"`)),
      ],
    }).toEqual({
      found: [sessionId],
      own: bracketed.sessionId,
      none: ['No session matches “[]”.', `No session matches “[${sessionId}"”.`],
    });
  });

  it('that matches no session or several is refused with a sentence, and nothing changes (S126)', async () => {
    const world = await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const first = await world.ask(panel, 'build the parser');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.ask(panel, 'build the parser');
    const before = await standing(world, panel, second.sessionId);
    const year = first.sessionId.slice(0, 4);
    const several = await refusal(world.gateway.sessions.find(year));
    expect({
      none: await refusal(world.gateway.sessions.find('nothing of the kind')),
      several: several.replace(first.sessionId, 'FIRST').replace(second.sessionId, 'SECOND'),
      changed: (await standing(world, panel, second.sessionId)).shown === before.shown,
    }).toEqual({
      none: 'No session matches “nothing of the kind”.',
      several: `2 sessions fit “${year}”: “build the parser” (SECOND), “build the parser” (FIRST). Type more of the id or of the title.`,
      changed: true,
    });
  });

  it('to one without rows opens its only branch that has some; if there is none it says so, and keeps the id (B155)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, () => undefined);
    const alone = await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    await world.store.createSession({
      id: 'branch',
      startedAt: 2,
      parentSessionId: sessionId,
      parentKind: 'branch',
      model: 'Local/test-model',
    });
    const turnless = {
      turnUid: null,
      createdAt: 2,
      visibility: { kind: 'shown' as const },
      carriedFrom: null,
      position: 1,
    };
    await world.store.putMessages([
      { ...turnless, uid: 'm1', sessionId: 'branch', role: 'user', parts: [{ kind: 'text', text: 'q' }] },
    ]);
    expect({
      alone,
      then: await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId }),
    }).toEqual({
      alone: { sessionId, draft: null, notice: 'This session has no messages yet. Send a prompt to start.' },
      then: { sessionId: 'branch', draft: null, notice: null },
    });
  });
});

describe('deleting', () => {
  it('permanently leaves no row and nothing to find, and reports what it cannot erase (B180)', async () => {
    const world = await create();
    world.server.script(reply().says('a secret answer'), reply().says('a2'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'a secret question');
    await world.gateway.switching.switchSession(panel.id, { reason: 'branch', sessionId, from: null });
    await world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId });
    const report = await world.gateway.actions.forget(sessionId);
    const left = readElsewhere(world, `SELECT count(*) FROM messages WHERE session_id = '${sessionId}'`);
    expect({
      ids: report.sessionIds,
      branches: report.branches.map(({ title }) => title),
      sentences: report.sentences,
      left,
      shown: world.gateway.surfaces.shownSession(panel.id),
      told: world.memoryLog.filter((line) => line.startsWith('forg')).length,
      gone: await refusal(world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId })),
    }).toEqual({
      ids: [sessionId],
      branches: ['a secret question #2'],
      sentences: [],
      left: ['0'],
      shown: null,
      told: 1,
      gone: 'This session no longer exists. Open another one from the list.',
    });
  });

  it('a session that is answering is refused with a sentence, both to the trash and permanently, and nothing changes', async () => {
    const world = await create();
    const held = gate();
    world.server.script(reply().says('slow ').waitsFor(held.opened).says('answer'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'slow ');
    const said = [
      await refusal(world.gateway.actions.trash(sessionId)),
      await refusal(world.gateway.actions.forget(sessionId)),
    ];
    held.open();
    expect({
      said,
      shown: world.gateway.surfaces.shownSession(panel.id),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      said: [
        'Hermes is answering in this session. Stop it first.',
        'Hermes is answering in this session. Stop it first.',
      ],
      shown: sessionId,
      ...sound,
      stored: ['user: q1', 'assistant: slow answer'],
    });
  });

  it('into the trash is undone by restoring; meanwhile the session is not listed, shown or opened', async () => {
    const world = await create();
    const { panel, sessionId } = await talked(world);
    await world.gateway.actions.trash(sessionId);
    const ids = async (state: 'active' | 'trash') =>
      (await world.gateway.store.listSessions({ limit: 9, state })).map(({ id }) => id);
    const meanwhile = {
      active: await ids('active'),
      trash: await ids('trash'),
      shown: world.gateway.surfaces.shownSession(panel.id),
    };
    const said = await refusal(world.gateway.switching.switchSession(panel.id, { reason: 'resume', sessionId }));
    await world.gateway.actions.restore(sessionId);
    const back = await resumed(world, sessionId);
    expect({
      meanwhile,
      said,
      active: await ids('active'),
      ended: world.memoryLog.includes(`end ${sessionId}`),
      ...(await account(world, back, sessionId)),
    }).toEqual({
      meanwhile: { active: [], trash: [sessionId], shown: null },
      said: 'This session is in the trash. Restore it, then open it.',
      active: [sessionId],
      ended: true,
      ...sound,
      stored: ['user: q1', 'assistant: a1'],
    });
  });
});

describe('titles', () => {
  it('that are empty, too long, or taken by a branch are refused with a sentence; compression and automatic ones change none', async () => {
    const world = await create();
    world.server.otherwise(reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.gateway.actions.rename(sessionId, 'Mine');
    const { sessionId: branch } = await world.gateway.switching.switchSession(panel.id, {
      reason: 'branch',
      sessionId,
      from: null,
    });
    const said = [
      await refusal(world.gateway.actions.rename(sessionId, ' \u200b ')),
      await refusal(world.gateway.actions.rename(sessionId, 'x'.repeat(201))),
      await refusal(world.gateway.actions.rename(branch ?? '', 'mine')),
    ];
    await world.ask(panel, 'q2');
    const titles = [await world.store.getSession(sessionId), await world.store.getSession(branch ?? '')].map(
      (session) => session?.title,
    );
    expect({ said: said.map((sentence) => sentence !== 'not refused' && sentence.length > 20), titles }).toEqual({
      said: [true, true, true],
      titles: ['Mine', 'Mine #2'],
    });
  });
});

describe('unread marks', () => {
  it('show an answer that arrived out of sight as unread until its session is shown', async () => {
    const world = await create();
    world.server.script(reply().says('a1'));
    const panel = world.surface();
    Object.assign(panel, { isVisible: () => false });
    const { sessionId } = await world.ask(panel, 'q1');
    const unread = async () => (await world.gateway.store.listSessions({ limit: 9 })).map((session) => session.unread);
    const before = await unread();
    await resumed(world, sessionId);
    expect(before).toEqual([true]);
    await vi.waitFor(async () => expect(await unread()).toEqual([false]));
  });
});

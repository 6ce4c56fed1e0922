import { describe, expect, it } from 'vitest';
import { StoreError } from '../../src/store/storeError';
import { account, readElsewhere, sound, storedLines } from '../support/account';
import {
  askUntil,
  gate,
  resumed,
  seeded,
  sent,
  worldPerTest,
  refusal,
  talked,
  type Talk,
} from '../support/conformance';
import { reply } from '../support/modelServer';
import type { World } from '../support/world';

const { create } = worldPerTest();

/** The rows that are shown, in order. */
const uidsOf = async (world: World, sessionId: string): Promise<readonly string[]> =>
  (await world.store.activeMessages(sessionId)).map(({ uid }) => uid);

async function branched(
  world: World,
  { panel, sessionId }: Pick<Talk, 'panel' | 'sessionId'>,
  from: string | null,
  title?: string,
) {
  const outcome = await world.gateway.switching.switchSession(panel.id, {
    reason: 'branch',
    sessionId,
    from,
    ...(title === undefined ? {} : { title }),
  });
  return { ...outcome, sessionId: outcome.sessionId ?? '' };
}

const sessionCount = (world: World): readonly string[] => readElsewhere(world, 'SELECT count(*) FROM sessions');

describe.each(['openai', 'anthropic'] as const)('a branch, over the %s protocol', (protocol) => {
  it('has a copy of everything, its own name, and a parent that stays unchanged (B17 S160 S165 S170)', async () => {
    const world = await create({ protocol });
    const talk = await talked(world, 2);
    await world.gateway.actions.rename(talk.sessionId, 'My Coding Session');
    const before = storedLines(world, talk.sessionId);
    const { sessionId } = await branched(world, talk, null);
    world.server.script(reply().says('a3'));
    await world.ask(talk.panel, 'q3');
    const branch = await world.store.getSession(sessionId);
    expect({
      shown: world.gateway.surfaces.shownSession(talk.panel.id) === sessionId,
      parent: branch?.parentSessionId === talk.sessionId,
      kind: branch?.parentKind,
      title: branch?.title,
      source: branch?.titleSource,
      original: storedLines(world, talk.sessionId),
      wire: sent(world, 2),
      ...(await account(world, talk.panel, sessionId)),
    }).toEqual({
      shown: true,
      parent: true,
      kind: 'branch',
      title: 'My Coding Session #2',
      source: 'person',
      original: before,
      wire: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2', 'user: q3'],
      ...sound,
      stored: [...before, 'user: q3', 'assistant: a3'],
    });
  });
});

describe('a branch', () => {
  it('from an answer in the middle reaches up to it; from a prompt to just before it, with its text in the composer', async () => {
    const world = await create();
    const talk = await talked(world, 2);
    const uids = await uidsOf(world, talk.sessionId);
    const ofAnswer = await branched(world, talk, uids[1] ?? '');
    const ofPrompt = await branched(world, talk, uids[2] ?? '');
    expect({
      answer: storedLines(world, ofAnswer.sessionId),
      prompt: storedLines(world, ofPrompt.sessionId),
      drafts: [ofAnswer.draft, ofPrompt.draft, await world.gateway.store.draft(ofPrompt.sessionId)],
    }).toEqual({
      answer: ['user: q1', 'assistant: a1'],
      prompt: ['user: q1', 'assistant: a1'],
      drafts: [null, 'q2', 'q2'],
    });
  });

  it('stays in the list when its parent is opened again and ends (B90)', async () => {
    const world = await create();
    const talk = await talked(world, 2);
    const { sessionId } = await branched(world, talk, null);
    await world.gateway.switching.switchSession(talk.panel.id, { reason: 'resume', sessionId: talk.sessionId });
    world.server.script(reply().says('a3'));
    await world.ask(talk.panel, 'q3');
    await world.gateway.switching.switchSession(talk.panel.id, { reason: 'reset' });
    await world.reopen();
    const list = await world.gateway.store.listSessions({ limit: 9 });
    expect(list.map(({ id, branchOf }) => [id, branchOf?.sessionId ?? null])).toEqual([
      [talk.sessionId, null],
      [sessionId, talk.sessionId],
    ]);
  });

  it('that seemed to fail exists once, whole; one that could not be created leaves nothing, and reports it (B98)', async () => {
    const world = await create();
    const talk = await talked(world, 2);
    world.failAfter('branchSession', 1, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
    const { sessionId } = await branched(world, talk, null);
    const once = [sessionCount(world), storedLines(world, sessionId)];
    const repair = world.failing(['branchSession']);
    const said = await refusal(branched(world, talk, null));
    repair();
    expect({
      once,
      said,
      then: sessionCount(world),
      shown: world.gateway.surfaces.shownSession(talk.panel.id),
    }).toEqual({
      once: [['2'], ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2']],
      said: 'The disk is full. Free some space.',
      then: ['2'],
      shown: sessionId,
    });
  });

  it('takes the given title; if that is taken it keeps its own, and says why (S161 S166)', async () => {
    const world = await create();
    const talk = await talked(world, 2);
    await world.gateway.actions.rename(talk.sessionId, 'Parser');
    const named = await branched(world, talk, null, 'refactor approach');
    const taken = await branched(world, talk, null, 'parser');
    const titleOf = async (id: string) => (await world.store.getSession(id))?.title;
    expect({
      named: [await titleOf(named.sessionId), named.notice],
      taken: [await titleOf(taken.sessionId), taken.notice?.startsWith('The branch was created without this title.')],
    }).toEqual({
      named: ['refactor approach', null],
      taken: ['Parser #2', true],
    });
  });

  it('of a session without an answer is refused with a sentence, and nothing changes (S162)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, () => undefined);
    const said = await refusal(branched(world, { panel, sessionId }, null));
    const unknown = await refusal(branched(world, { panel, sessionId: 'nope' }, null));
    expect({
      said,
      unknown,
      shown: world.gateway.surfaces.shownSession(panel.id),
      sessions: sessionCount(world),
    }).toEqual({
      said: 'This session has no answer yet to branch from.',
      unknown: 'This session no longer exists. Open another one from the list.',
      shown: sessionId,
      sessions: ['1'],
    });
  });

  it('is reported to memory once, with its parent; what follows is remembered under the branch (S164 S168)', async () => {
    const world = await create();
    const talk = await talked(world, 2);
    const { sessionId } = await branched(world, talk, null);
    world.server.script(reply().says('a3'));
    await world.ask(talk.panel, 'q3');
    await world.gateway.shutdown();
    const log = world.memoryLog.map((line) => line.replaceAll(sessionId, 'BRANCH').replaceAll(talk.sessionId, 'MAIN'));
    expect(log).toEqual([
      'initialize MAIN',
      'sync MAIN: q1 -> a1',
      'sync MAIN: q2 -> a2',
      'switch BRANCH branch parent MAIN',
      'sync BRANCH: q3 -> a3',
      'shutdown',
    ]);
  });

  it('of a session that is answering copies what is settled, and the answer continues in its own session', async () => {
    const world = await create();
    const talk = await talked(world, 2);
    const held = gate();
    world.server.script(reply().says('slow ').waitsFor(held.opened).says('answer'));
    await askUntil(world, talk.panel, 'q3', 'slow ');
    const { sessionId } = await branched(world, talk, null);
    held.open();
    await world.idle();
    const back = await resumed(world, talk.sessionId);
    expect({ branch: storedLines(world, sessionId), ...(await account(world, back, talk.sessionId)) }).toEqual({
      branch: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'],
      ...sound,
      stored: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2', 'user: q3', 'assistant: slow answer'],
    });
  });
});

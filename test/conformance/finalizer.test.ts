import { describe, expect, it } from 'vitest';
import { account, sound } from '../support/account';
import { askUntil, ended, sent, worldPerTest, talked } from '../support/conformance';
import { refuses, reply } from '../support/modelServer';

const { create } = worldPerTest();

describe('a turn that ends', () => {
  it('at its budget stores the summary as its last answer, and not the note that requested it (S193)', async () => {
    const world = await create({ maxIterations: 2 });
    world.server.script(reply().calls('list_directory', { path: 'nowhere' }), reply().says('I only got this far.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look everywhere');
    const { stored } = await account(world, panel, sessionId);
    expect({
      ended: ended(panel),
      asked: sent(world, 1).some((line) => line.includes('No further tool calls')),
      stored: [stored.at(-1), stored.some((line) => line.includes('No further tool calls'))],
    }).toEqual({
      ended: 'complete iterations',
      asked: true,
      stored: ['assistant: I only got this far.', false],
    });
  });

  it('in any other way than completion is never called complete (S194)', async () => {
    const world = await create({ continuesBroken: false });
    world.server.script(
      reply().says('Half ').drops(),
      refuses(400, { message: 'no' }),
      reply(),
      reply(),
      reply(),
      reply(),
      reply().says('no').finishes('contentFilter'),
    );
    const panel = world.surface();
    for (const prompt of ['dropped', 'refused', 'silent', 'declined']) await world.ask(panel, prompt);
    expect(panel.settled.map(({ turn }) => `${turn.outcome} ${turn.stopReason}`)).toEqual([
      'interrupted connectionLost',
      'failed error',
      'failed empty',
      'complete refusal',
    ]);
  });

  it('leaves the creation time of the answer unchanged (S195)', async () => {
    const world = await create();
    world.server.script(reply().says('one ').pauses(40).says('two'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one ');
    const born = (await world.rows(sessionId))[1]?.createdAt;
    await panel.untilSettled(1);
    expect((await world.rows(sessionId))[1]?.createdAt).toBe(born);
  });
});

describe('memory is notified of a turn', () => {
  const synced = (log: readonly string[]) =>
    log.filter((line) => line.startsWith('sync')).map((line) => line.replace(/^sync \S+ /, ''));

  it('but not if it was stopped (B114 S180)', async () => {
    const world = await create();
    world.server.script(reply().says('half ').hangs(), reply().says('a2'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'half ');
    await world.gateway.turns.stop(sessionId);
    await world.ask(panel, 'q2');
    await world.gateway.shutdown();
    expect(synced(world.memoryLog)).toEqual(['q2 -> a2']);
  });

  it('but not if nothing was said (S184)', async () => {
    const world = await create();
    world.server.script(reply(), reply(), reply(), reply());
    await world.ask(world.surface(), 'q1');
    await world.gateway.shutdown();
    expect(synced(world.memoryLog)).toEqual([]);
  });

  it('and nothing fails if there is no provider (S185)', async () => {
    const world = await create({ memory: () => [] });
    const { panel, sessionId } = await talked(world);
    expect(await account(world, panel, sessionId)).toEqual({ ...sound, stored: ['user: q1', 'assistant: a1'] });
  });
});

import { describe, expect, it } from 'vitest';
import type { MemoryProvider } from '../../src/memory/memoryProvider';
import { account, sound } from '../support/account';
import { askUntil, ended, sent, worldPerTest, talked } from '../support/conformance';
import { refuses, reply } from '../support/modelServer';

const { create } = worldPerTest();

describe('a turn that ends', () => {
  it('with text before its tools and text after them has both, and surfaces receive at the end what is stored (S190)', async () => {
    const world = await create();
    world.server.script(
      reply().says("I'll check.").calls('list_directory', { path: 'nowhere' }),
      reply().says('Done.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'check');
    const told = panel.lastMessages.flatMap((message) =>
      message.role === 'assistant'
        ? [message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('')]
        : [],
    );
    expect({ told, ...(await account(world, panel, sessionId)) }).toEqual({
      told: ["I'll check.", 'Done.'],
      ...sound,
      stored: [
        'user: check',
        'assistant: I\'ll check. [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant: Done.',
      ],
    });
  });

  it('keeps the prompt as the user wrote it, whatever note was sent with it (S191)', async () => {
    const world = await create({ continuesBroken: false });
    world.server.script(reply().says('Half ').drops(), reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'one');
    await world.ask(panel, 'clean prompt');
    const { stored } = await account(world, panel, sessionId);
    expect({ noted: sent(world, 1).at(-1)?.includes('Your previous turn'), prompt: stored[2] }).toEqual({
      noted: true,
      prompt: 'user: clean prompt',
    });
  });

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

  it('that was completed, with the prompt and the answer, under its session (S104 S183)', async () => {
    const world = await create();
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'q1');
    await world.gateway.shutdown();
    expect(world.memoryLog.filter((line) => line.startsWith('sync'))).toEqual([`sync ${sessionId}: q1 -> a1`]);
  });

  it('but not if it was stopped (B114 S180)', async () => {
    const world = await create();
    world.server.script(reply().says('half ').hangs(), reply().says('a2'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'q1', 'half ');
    await world.gateway.stop(sessionId);
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

  it('and the turn neither waits for a provider nor fails with one; the log names it (S186 B124 B189)', async () => {
    const throwing: MemoryProvider = {
      name: 'throwing',
      initialize: () => Promise.resolve(),
      syncTurn: () => Promise.reject(new TypeError('not a function')),
    };
    const hanging: MemoryProvider = {
      name: 'hanging',
      initialize: () => Promise.resolve(),
      syncTurn: () => new Promise(() => undefined),
    };
    const world = await create({ memory: () => [throwing, hanging] });
    const { panel, sessionId } = await talked(world);
    world.server.script(reply().says('a2'));
    await world.ask(panel, 'q2');
    expect({
      warned: world.logLines.filter((line) => line.startsWith('warn')),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      warned: Array.from({ length: 2 }, () => 'warn Memory provider throwing: syncTurn failed: not a function'),
      ...sound,
      stored: ['user: q1', 'assistant: a1', 'user: q2', 'assistant: a2'],
    });
  });
});

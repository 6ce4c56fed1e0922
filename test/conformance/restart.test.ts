import { readdirSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { describe, expect, it } from 'vitest';
import { account, sound, storedLines, storedTurns } from '../support/account';
import { askUntil, ended, resumed, sent, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';

const { create } = worldPerTest();
const note = 'Your previous turn ended when the program ended unexpectedly';

describe.each(['openai', 'anthropic'] as const)('after the process died, over the %s protocol', (protocol) => {
  it('the next prompt says, on the wire only, that the turn before was cut off, and the prompt stays as it was written (B150 S191)', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().calls('list_directory', { path: 'nowhere' }),
      reply().says('Half an ').hangs(),
      reply().says('Back.'),
      reply().says('Yes.'),
    );
    const { sessionId } = await askUntil(world, world.surface(), 'look', 'Half an ');
    await world.crash();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'go on');
    await world.ask(next, 'sure?');
    // It stays with the prompt it was sent with, so that later requests begin with the same bytes.
    const told = [2, 3].map((index) =>
      sent(world, index)
        .filter((line) => line.includes(note))
        .map((line) => line.split('\n').at(-1)),
    );
    expect({ told, ...(await account(world, next, sessionId)) }).toEqual({
      told: [['go on'], ['go on']],
      ...sound,
      stored: [
        'user: look',
        'assistant: [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant: Half an ',
        'user: go on',
        'assistant: Back.',
        'user: sure?',
        'assistant: Yes.',
      ],
    });
  });

  it('a call that was running has a result that says it may have run (B41)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().calls('list_directory', {}, { id: 'a' }), reply().hangs(), reply().says('Back.'));
    const { sessionId } = await world.send(world.surface(), 'look');
    await world.server.request(1);
    world.damageStore("DELETE FROM messages WHERE role = 'tool'");
    await world.crash();
    const next = await resumed(world, sessionId);
    await world.ask(next, 'go on');
    const { stored, refused } = await account(world, next, sessionId);
    expect({ result: stored[2], refused, ended: ended(next) }).toEqual({
      result: 'tool: interrupted: (Interrupted before a result was recorded. It may have run, in whole or in part.)',
      refused: [],
      ended: 'complete stop',
    });
  });

  it('a transcript that ends with a tool result, without a cut-off turn, is no interruption (B151)', async () => {
    const world = await create({ protocol });
    world.server.script(reply().calls('list_directory', { path: 'nowhere' }), reply().says('lost'), reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look');
    world.damageStore("DELETE FROM messages WHERE content = 'lost'");
    await world.reopen();
    const next = await resumed(world, sessionId);
    const wentOn = world.gateway.turns.running().length;
    await world.ask(next, 'next');
    expect({
      wentOn,
      told: sent(world, 2).some((line) => line.includes('Your previous turn')),
      ended: ended(next),
    }).toEqual({ wentOn: 0, told: false, ended: 'complete stop' });
  });
});

describe('after a restart', () => {
  it('Hermes reads nothing but the store: there is no second transcript beside it (B152)', async () => {
    const world = await create();
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'q1');
    const whileOpen = readdirSync(path.join(world.home, 'store')).sort();
    writeFileSync(
      path.join(world.home, 'store', `${sessionId}.jsonl`),
      '{"role":"assistant","content":"never said"}\n',
    );
    await world.reopen();
    expect({ whileOpen, stored: storedLines(world, sessionId) }).toEqual({
      whileOpen: ['state.db', 'state.db.wal'],
      stored: ['user: q1', 'assistant: a1'],
    });
  });

  it('a window that is closed in the middle of a tool loop keeps every finished round (B153)', async () => {
    const world = await create();
    world.server.script(
      reply().says('One.').calls('list_directory', { path: 'nowhere' }),
      reply().says('Two.').calls('list_directory', { path: 'neither' }),
      reply().hangs(),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'look');
    await world.server.request(2);
    await world.reopen();
    expect({ stored: storedLines(world, sessionId), turns: storedTurns(world, sessionId) }).toEqual({
      stored: [
        'user: look',
        'assistant: One. [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant: Two. [list_directory {"path":"neither"}]',
        'tool: failed: There is no file or folder at neither.',
        'assistant (closing): (Stopped before an answer: the window was closed.)',
      ],
      turns: ['interrupted windowClosed'],
    });
  });

  it('a turn that ended without any text says how it ended: a stop, a closed window and a crash differ (B154)', async () => {
    const world = await create();
    world.server.otherwise(reply().hangs());
    const panel = world.surface();
    const stopped = await world.send(panel, 'one');
    await world.server.request(0);
    await world.gateway.turns.stop(stopped.sessionId);
    const told = ended(panel);
    await world.send(panel, 'two');
    await world.server.request(1);
    await world.reopen();
    await world.send(await resumed(world, stopped.sessionId), 'three');
    await world.server.request(2);
    await world.crash();
    expect({
      told,
      turns: storedTurns(world, stopped.sessionId),
      rows: storedLines(world, stopped.sessionId).filter((line) => line.startsWith('assistant (closing)')).length,
    }).toEqual({
      told: 'interrupted user',
      turns: ['interrupted user', 'interrupted windowClosed', 'interrupted crash'],
      rows: 3,
    });
  });
});

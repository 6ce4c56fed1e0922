import { describe, expect, it } from 'vitest';
import { delegateTaskTool } from '../../src/tools/delegate/delegateTask';
import { account, readElsewhere, sound } from '../support/account';
import { askingTools } from '../support/askingTools';
import { resumed, worldPerTest } from '../support/conformance';
import { reply } from '../support/modelServer';

const { create } = worldPerTest();

describe.each(['openai', 'anthropic'] as const)('a running sub-agent, over the %s protocol', (protocol) => {
  const working = async () => {
    const asks = askingTools();
    asks.holds.set('slow', new Promise(() => undefined));
    const world = await create({ protocol, tools: [...asks.tools, delegateTaskTool()] });
    world.server.script(
      reply().says('I hand it on.').calls('delegate_task', { task: 'Look' }),
      reply().says('I look.').calls('look', { name: 'slow' }),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'go');
    while (!asks.ran.includes('look slow')) await new Promise((resolve) => setTimeout(resolve, 2));
    const [child = ''] = readElsewhere(world, "SELECT id FROM sessions WHERE parent_kind = 'delegate'");
    return { world, panel, sessionId, child };
  };
  const ends = (world: Parameters<typeof readElsewhere>[0]) =>
    readElsewhere(world, 'SELECT stop_reason FROM turns ORDER BY settled_at, id');

  it('dies with its process: its text is in its session, its call says that it may have run, and the session continues (S209)', async () => {
    const { world, sessionId, child } = await working();
    await world.crash();
    const next = await resumed(world, sessionId);
    world.server.script(reply().says('Once more.'));
    await world.ask(next, 'and now?');
    const { stored, ...rest } = await account(world, next, sessionId);
    expect({ ends: ends(world), its: await world.lines(child), stored, rest }).toEqual({
      ends: ['crash', 'crash', 'stop'],
      its: [
        'user: Look',
        expect.stringMatching(/^assistant: I look\. +\[look /),
        expect.stringMatching(/^tool: interrupted: /),
        expect.stringMatching(/^assistant \(closing\): /),
      ],
      stored: [
        'user: go',
        expect.stringMatching(/^assistant: I hand it on\. +\[delegate_task /),
        expect.stringMatching(/^tool: interrupted: /),
        expect.stringMatching(/^assistant \(closing\): /),
        'user: and now?',
        'assistant: Once more.',
      ],
      rest: sound,
    });
  });

  it('is stopped before the turn it works for, which keeps what it said (S210)', async () => {
    const { world, panel, sessionId, child } = await working();
    const order: string[] = [];
    world.gateway.surfaces.onDidTurnEvent(({ sessionId: of, event }) => event.kind === 'turnSettled' && order.push(of));
    await world.gateway.turns.stop(sessionId);
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({ order, ends: ends(world), result: stored[2], rest }).toEqual({
      order: [child, sessionId],
      ends: ['user', 'user'],
      result:
        'tool: interrupted: I look.\n\n(The person stopped the sub-agent. What it said until then stands above. What it changed stays changed.)',
      rest: sound,
    });
  });
});

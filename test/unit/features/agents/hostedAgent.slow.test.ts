import { afterEach, expect, test } from 'vitest';
import { HostedWorld, script } from '../../../support/acpAgent/hostedWorld';

let hosted: HostedWorld;
afterEach(() => hosted.close());

const words = (count: number, from = 1): string =>
  Array.from({ length: count }, (_, index) => `w${from + index} `).join('');

test('an answer of an agent is stored and shown, text and thinking, and the next prompt goes to the same session', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  await world.ask(surface, script({ think: 'hm ' }, { words: 20 }));
  await world.ask(surface, 'second');
  const sessionId = world.gateway.surfaces.shownSession(surface.id) ?? '';
  expect(await world.lines(sessionId)).toMatchInlineSnapshot(`
    [
      "user: [{"think":"hm "},{"words":20}]",
      "assistant: <hm > w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 w19 w20 ",
      "user: second",
      "assistant: echo: second",
    ]
  `);
  expect(surface.deliveredText).toBe(`hm ${words(20)}echo: second`);
  expect(hosted.logged('created')).toHaveLength(1);
});

test('3000 chunks and the answer in one write are stored in order before the turn ends', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  await world.ask(surface, script({ burst: 3000 }));
  expect(surface.deliveredText).toBe(words(3000));
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'complete', stopReason: 'stop' });
  expect(surface.turnEvents.filter(({ kind }) => kind === 'delivered').length).toBeLessThan(40);
});

test('an agent that dies in its answer loses nothing that was shown; the next prompt resumes it', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  await world.ask(surface, script({ words: 50 }, { kill: true }));
  expect(surface.settled[0]?.turn).toMatchObject({ outcome: 'interrupted', stopReason: 'connectionLost' });
  expect(surface.settled[0]?.turn.failure?.sentence).toContain('Your next prompt starts it again.');
  await world.ask(surface, 'go on');
  expect(surface.deliveredText).toContain(words(50));
  expect(hosted.logged('resumed')).toEqual(['agent-session-1']);
  const last = String(hosted.logged('prompt').at(-1));
  expect(last).toContain('w50');
  expect(last).toContain('<interrupted>');
});

test('an agent that dies between two prompts is started again, with the prompt that meets its end', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  await world.ask(surface, script({ words: 5 }));
  process.kill(Number(hosted.logged('started')[0]), 'SIGKILL');
  await world.ask(surface, 'go on');
  expect(surface.settled[1]?.turn).toMatchObject({ outcome: 'complete' });
  expect(surface.deliveredText).toBe(`${words(5)}echo: go on`);
  expect(hosted.logged('started')).toHaveLength(2);
});

test('another entry of the same agent has a process of its own', async () => {
  hosted = await HostedWorld.create();
  const { world } = hosted;
  const surface = world.surface();
  await world.ask(surface, script({ words: 5 }));
  await world.gateway.actions.selectModel(world.gateway.surfaces.shownSession(surface.id), 'Scripted 2/default');
  await world.ask(surface, 'next');
  expect(surface.settled[1]?.turn).toMatchObject({ outcome: 'complete' });
  expect(hosted.logged('started')).toHaveLength(2);
});

test('a prompt that is stopped before it is sent does not cost the agent its session', async () => {
  hosted = await HostedWorld.create({ quirks: { initializeMs: 300 } });
  const { world } = hosted;
  const surface = world.surface();
  const stopped = async (): Promise<void> => {
    await world.send(surface, script({ words: 5 }));
    await world.gateway.turns.stop(world.gateway.surfaces.shownSession(surface.id) ?? '');
  };
  await stopped();
  await world.ask(surface, 'first');
  await stopped();
  await world.ask(surface, 'second');
  expect(surface.questions).toEqual([]);
  expect(surface.deliveredText.match(/echo: /g)).toHaveLength(2);
  expect(hosted.logged('created')).toHaveLength(1);
});

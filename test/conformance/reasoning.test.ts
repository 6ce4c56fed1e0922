import { describe, expect, it } from 'vitest';
import { account, sound } from '../support/account';
import { asking, deepseek, moonshot, reasoningSent } from '../support/asksReasoning';
import { call } from '../support/builders/messages';
import { seeded, worldPerTest } from '../support/conformance';
import { refuses, reply } from '../support/modelServer';
import type { World } from '../support/world';

const { create } = worldPerTest();
const looks = (thought: string) =>
  reply().thinks(thought).says('Looking.').calls('list_directory', { path: 'nowhere' });
const sentBack = (world: World): readonly unknown[] => world.server.requests.map(({ body }) => reasoningSent(body));
const refusedTimes = (world: World): number => world.server.requests.filter(({ status }) => status === 400).length;

/** A piece of an answer with the field, which may be empty. */
const field = (reasoning: string | null) => ({
  id: 'g',
  object: 'chat.completion.chunk',
  model: 'test-model',
  choices: [
    { index: 0, delta: { role: 'assistant', content: null, reasoning_content: reasoning }, finish_reason: null },
  ],
});

describe('reasoning that a service requires back', () => {
  it.each([
    ['Moonshot', moonshot],
    ['DeepSeek', deepseek],
  ] as const)(
    'goes with its call in the same turn, in later turns and after the session was opened again: %s (B133)',
    async (_name, service) => {
      const world = await create();
      world.server.script(
        ...[looks('First.'), reply().thinks('So.').says('One.'), looks('Second.'), reply().says('Two.')].map((each) =>
          asking(service, each),
        ),
      );
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'q1');
      await world.ask(panel, 'q2');
      expect({ sent: sentBack(world), ...(await account(world, panel, sessionId)) }).toEqual({
        sent: [[], ['First.'], ['First.'], ['First.', 'Second.']],
        ...sound,
        stored: [
          'user: q1',
          expect.stringMatching(/^assistant: <First\.>/),
          expect.stringMatching(/^tool: /),
          'assistant: <So.> One.',
          'user: q2',
          expect.stringMatching(/^assistant: <Second\.>/),
          expect.stringMatching(/^tool: /),
          'assistant: Two.',
        ],
      });
    },
  );

  it('goes with its call if the answer after it is cut at the output limit and continues, and so does the cut thinking (B133)', async () => {
    const world = await create();
    world.server.script(
      ...[
        looks('First.'),
        reply().thinks('Now I know.').says('The answer').finishes('length'),
        reply().says(' is three.'),
      ].map((each) => asking(moonshot, each)),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    expect({
      sent: sentBack(world),
      cut: JSON.stringify(world.server.requests[2]?.body).includes('"reasoning_content":"Now I know."'),
      ...(await account(world, panel, sessionId)),
    }).toMatchObject({
      sent: [[], ['First.'], ['First.']],
      cut: true,
      refused: [],
      missing: [],
    });
  });

  it('that was empty is returned empty, and none is returned if none arrived (B133)', async () => {
    const world = await create();
    const bare = (reasoning: string | null) =>
      reply().sends(field(reasoning)).calls('list_directory', { path: 'nowhere' });
    world.server.script(
      ...[bare(''), reply().says('One.'), looks('Then.'), reply().says('Two.')].map((each) => asking(moonshot, each)),
      bare(null),
      reply().says('Three.'),
    );
    const panel = world.surface();
    for (const prompt of ['q1', 'q2', 'q3']) await world.ask(panel, prompt);
    expect(sentBack(world)).toEqual([[], [''], [''], ['', 'Then.'], ['', 'Then.'], ['', 'Then.', null]]);
  });

  it('is learned if a history has none: it is omitted in one request, then never again, in any conversation (B133)', async () => {
    const world = await create();
    const { panel, sessionId } = await seeded(world, (h) =>
      h
        .user('q')
        .assistant({ kind: 'thinking', text: 'Another model’s.' }, call('a'))
        .tool('a', 'found')
        .assistant('done'),
    );
    world.query("UPDATE messages SET model = 'Other/model' WHERE role = 'assistant'");
    world.server.script(
      ...Array.from({ length: 3 }, (_, index) => asking(deepseek, reply().says(`${index}.`))),
      asking(deepseek, looks('Hm.')),
      asking(deepseek, reply().says('End.')),
    );
    for (const prompt of ['q1', 'q2']) await world.ask(panel, prompt);
    const { stored, ...rest } = await account(world, panel, sessionId);
    await world.ask(world.surface(), 'elsewhere');
    expect({
      sent: sentBack(world),
      refused: refusedTimes(world),
      answers: stored.filter((line) => /assistant: \d/.test(line)),
      rest: rest.missing,
    }).toEqual({
      sent: [[null], [' '], [' '], [], ['Hm.']],
      refused: 1,
      answers: ['assistant: 1.', 'assistant: 2.'],
      rest: [],
    });
  });

  it('that was empty is sent as a space if a service treats an empty one as missing (B133)', async () => {
    const world = await create();
    world.server.script(
      ...[
        reply().sends(field('')).calls('list_directory', { path: 'nowhere' }),
        reply().says('Not sent.'),
        reply().says('One.'),
      ].map((each) => asking(deepseek, each)),
    );
    const panel = world.surface();
    await world.ask(panel, 'q1');
    expect([sentBack(world), refusedTimes(world)]).toEqual([[[], [''], [' ']], 1]);
  });

  it('is left out if a service refuses the field, and a request for the field is never mistaken for a refusal (B134)', async () => {
    const world = await create();
    world.server.script(
      looks('First.'),
      refuses(400, {
        message:
          "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]",
      }),
      reply().says('One.'),
      reply().says('Two.'),
      refuses(400, {
        message: 'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
      }),
      reply().says('Three.'),
    );
    const panel = world.surface();
    for (const prompt of ['q1', 'q2', 'q3']) await world.ask(panel, prompt);
    expect(sentBack(world)).toEqual([[], ['First.'], [null], [null], [null], ['First.']]);
  });
});

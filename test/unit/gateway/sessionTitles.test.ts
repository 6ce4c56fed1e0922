import { afterEach, describe, expect, it, vi } from 'vitest';
import { demoInfo } from '../../../src/models/demo/demoModel';
import { DemoProvider } from '../../../src/models/demo/demoProvider';
import { systemClock } from '../../../src/base/clock';
import { gate } from '../../support/conformance';
import { refuses, reply, type Scripted } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> =>
  (world = await World.create({ sessionTitles: 'model', ...options }));
afterEach(() => world.close());

const isForTitle = (outline: readonly string[]): boolean => outline.some((line) => line.includes('Write the title.'));
const requestsForTitles = (): number => world.server.requests.filter(({ outline }) => isForTitle(outline)).length;

/** Answers prompts with "Answer.", and requests for titles with these replies, one after another. */
function answers(...titles: readonly Scripted[]): void {
  let asked = 0;
  world.server.otherwise(({ outline }) =>
    isForTitle(outline) ? (titles[asked++] ?? refuses(500, { message: 'no more titles' })) : reply().says('Answer.'),
  );
}

const title = async (sessionId: string): Promise<readonly [string | null, string | null]> => {
  const session = await world.store.getSession(sessionId);
  return [session?.title ?? null, session?.titleSource ?? null];
};

const titledBy = (sessionId: string, source: string): Promise<void> =>
  vi.waitFor(async () => expect((await title(sessionId))[1]).toBe(source));

/** Long enough for a request that should not come. */
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

describe.each(['openai', 'anthropic'] as const)('the title of a session over the %s protocol', (protocol) => {
  it('is written by its model after the first answer, and its cost counts', async () => {
    await create({ protocol });
    answers(reply().says('**Parsers in short**').uses({ input: 50, output: 4 }));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'md: how do parsers work here?');
    const [turn] = panel.settled.map((event) => event.turn);
    await titledBy(sessionId, 'model');
    await world.ask(panel, 'And lexers?');
    await aWhile();
    const request = world.server.requests.find(({ outline }) => isForTitle(outline));
    const stored = await world.store.getTurn(turn?.uid ?? '');
    expect({
      title: await title(sessionId),
      requests: requestsForTitles(),
      tools: request?.body['tools'] ?? [],
      isTold: panel.sessionEvents.some(
        (event) => event.kind === 'sessionsChanged' && event.sessionIds.includes(sessionId),
      ),
      counted: [turn?.usage?.requests, stored?.usage?.requests],
      refused: world.server.requests.map(({ rejection }) => rejection).filter((rejection) => rejection !== null),
    }).toEqual({
      title: ['Parsers in short', 'model'],
      requests: 1,
      tools: [],
      isTold: true,
      counted: [1, 2],
      refused: [],
    });
  });
});

describe('a title from the model', () => {
  it('never replaces the title that the user gave while it was written', async () => {
    await create();
    const held = gate();
    answers(reply().says('From the ').waitsFor(held.opened).says('model'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'How do parsers work?');
    await vi.waitFor(() => expect(requestsForTitles()).toBe(1));
    await world.gateway.actions.rename(sessionId, 'Mine');
    held.open();
    await aWhile();
    expect(await title(sessionId)).toEqual(['Mine', 'person']);
  });

  it('keeps the title of the prompt when the request fails, with one line in the log, and is tried again', async () => {
    await create();
    answers(refuses(400, { message: 'No.' }), reply().says('Second try'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'How do parsers work?');
    await vi.waitFor(() => expect(world.logLines.filter((line) => line.includes('title'))).toHaveLength(1));
    const [ended, before] = [panel.settled.at(-1)?.turn.outcome, await title(sessionId)];
    await world.ask(panel, 'And lexers?');
    await titledBy(sessionId, 'model');
    expect([ended, before, await title(sessionId)]).toEqual([
      'complete',
      ['How do parsers work?', 'derived'],
      ['Second try', 'model'],
    ]);
  });

  it('gives way to the next prompt', async () => {
    await create();
    answers(reply().waitsFor(new Promise(() => undefined)), reply().says('At last'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'How do parsers work?');
    await vi.waitFor(() => expect(requestsForTitles()).toBe(1));
    await world.ask(panel, 'And lexers?');
    await titledBy(sessionId, 'model');
    expect([panel.settled.map(({ turn }) => turn.outcome), await title(sessionId), world.logLines]).toEqual([
      ['complete', 'complete'],
      ['At last', 'model'],
      [],
    ]);
  });

  it('does not keep a window from closing', async () => {
    await create();
    answers(reply().waitsFor(new Promise(() => undefined)));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'How do parsers work?');
    await vi.waitFor(() => expect(requestsForTitles()).toBe(1));
    await world.reopen();
    expect(await title(sessionId)).toEqual(['How do parsers work?', 'derived']);
  });

  it('is written in a private session too: it goes to the same host', async () => {
    await create();
    answers(reply().says('Private parsers'));
    const panel = world.surface();
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session', private: true });
    const { sessionId } = await world.ask(panel, 'How do parsers work?');
    await titledBy(sessionId, 'model');
    expect(await title(sessionId)).toEqual(['Private parsers', 'model']);
  });

  it('is not asked for in a branch, which is named after its origin', async () => {
    await create();
    answers(reply().says('Origin'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'How do parsers work?');
    await titledBy(sessionId, 'model');
    await world.gateway.switching.switchSession(panel.id, { reason: 'branch', sessionId, from: null });
    await world.ask(panel, 'And lexers?');
    await aWhile();
    expect(requestsForTitles()).toBe(1);
  });

  it.each([
    ['of the Demo', { defaultModel: demoInfo.ref }],
    ['when the setting is prompt', { sessionTitles: 'prompt' }],
    ['at the spending limit', { spendingLimit: 0.5 }],
  ] as const)('is not asked for %s', async (_when, options) => {
    await create({
      ...options,
      openModel: (ref) => (ref === demoInfo.ref ? new DemoProvider(systemClock).open(demoInfo.id) : undefined),
    });
    world.server.otherwise(() =>
      reply()
        .says('Answer.')
        .uses({ input: 10, output: 5, extra: { cost: 0.5 } }),
    );
    const { sessionId } = await world.ask(world.surface(), 'How do parsers work?');
    await aWhile();
    expect([requestsForTitles(), await title(sessionId)]).toEqual([0, ['How do parsers work?', 'derived']]);
  });
});

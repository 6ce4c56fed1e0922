import { afterEach, describe, expect, it } from 'vitest';
import { delegateTaskTool } from '../../../src/tools/delegate/delegateTask';
import { isContinuation } from '../../../src/transcript/continuation';
import { reply, type Reply } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';
import { resumed } from '../../support/conformance';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> =>
  (world = await World.create({ spendingLimit: 2, ...options }));
afterEach(() => world.close());

/** An answer for which the service charges this many US dollars. */
const costs = (usd: number, answer: Reply): Reply => answer.uses({ input: 10, output: 5, extra: { cost: usd } });
const looks = (usd: number): Reply => costs(usd, reply().calls('list_directory', {}));
const says = (usd: number, text: string): Reply => costs(usd, reply().says(text));

const ended = (panel: RecordingSurface): readonly string[] =>
  panel.settled.map(({ turn }) => `${turn.outcome} ${turn.stopReason}`);
const sentence = (panel: RecordingSurface): string | undefined => panel.settled.at(-1)?.turn.failure?.sentence;
const lastTurn = (panel: RecordingSurface): string => panel.settled.at(-1)?.turn.uid ?? '';

async function goOn(panel: RecordingSurface): Promise<void> {
  await world.gateway.continuation.continueTurn(panel.id, lastTurn(panel));
  await world.idle();
}

describe('a spending limit', () => {
  it('stops a turn before the request after the limit, and says what the session has cost', async () => {
    const { server } = await create();
    server.script(looks(1.5), looks(0.53));
    const panel = world.surface();
    await world.ask(panel, 'look everywhere');
    expect({ ended: ended(panel), sentence: sentence(panel), requests: server.requests.length }).toEqual({
      ended: ['interrupted spendingLimit'],
      sentence:
        'This session has cost $2.03 and reached your limit of $2.00. Everything shown is saved. ' +
        'Continue to allow another $2.00.',
      requests: 2,
    });
  });

  it.each([
    ['cut at the output limit', () => costs(2, reply().says('Half an answer')).finishes('length'), 'Half an answer'],
    ['empty', () => costs(2, reply()), ''],
  ])('also holds between the requests of one answer that is %s', async (_why, expensive, text) => {
    const { server } = await create({ spendingLimit: 1 });
    server.script(expensive(), expensive(), expensive());
    const panel = world.surface();
    await world.ask(panel, 'think hard');
    expect({ ended: ended(panel), requests: server.requests.length, shown: panel.deliveredText }).toEqual({
      ended: ['interrupted spendingLimit'],
      requests: 1,
      shown: text,
    });
  });

  it('does not cut off the answer that reaches it', async () => {
    const { server } = await create();
    server.script(says(5, 'Expensive.'));
    const panel = world.surface();
    await world.ask(panel, 'think hard');
    expect(ended(panel)).toEqual(['complete stop']);
  });

  it('goes on for another such amount when the user continues, also in the next window', async () => {
    const { server } = await create();
    server.script(looks(2.03));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look everywhere');
    server.script(looks(1), looks(0.9), looks(0.5));
    await goOn(panel);
    const told = sentence(panel);
    await world.reopen();
    const later = await resumed(world, sessionId);
    server.script(says(0.1, 'That is all.'));
    await world.gateway.continuation.continueTurn(later.id, lastTurn(panel));
    await world.settles(later, 1);
    const rows = await world.rows(sessionId);
    expect({
      told,
      ended: [...ended(panel), ...ended(later)],
      continued: rows.filter(isContinuation).length,
      refused: server.requests.map(({ rejection }) => rejection).filter((rejection) => rejection !== null),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      told:
        'This session has cost $4.43 and reached your limit of $4.03. Everything shown is saved. ' +
        'Continue to allow another $2.00.',
      ended: ['interrupted spendingLimit', 'interrupted spendingLimit', 'complete stop'],
      continued: 2,
      refused: [],
      problems: [],
    });
  });

  it('asks again for every prompt until the user continues, and sends nothing', async () => {
    const { server } = await create();
    server.script(says(3, 'Expensive.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'one');
    await world.ask(panel, 'two');
    await world.gateway.versions.retry(panel.id, lastTurn(panel));
    await world.settles(panel, 3);
    const before = server.requests.length;
    server.script(says(0.1, 'Two.'));
    await goOn(panel);
    expect({
      before,
      ended: ended(panel),
      answered: (await world.lines(sessionId)).at(-1),
      refused: server.requests.map(({ rejection }) => rejection),
    }).toEqual({
      before: 1,
      ended: ['complete stop', 'interrupted spendingLimit', 'interrupted spendingLimit', 'complete stop'],
      answered: 'assistant: Two.',
      refused: [null, null],
    });
  });

  it('counts sub-agents, which stop as well', async () => {
    await create({ tools: [delegateTaskTool()] });
    let requests = 0;
    world.server.otherwise(({ outline }) => {
      requests++;
      const isSubAgent = outline.some((line) => line.startsWith('user:') && line.includes('Look at a.ts'));
      return isSubAgent ? looks(2.5) : costs(0.1, reply().calls('delegate_task', { task: 'Look at a.ts' }));
    });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Have somebody look');
    const result = (await world.rows(sessionId)).find((row) => row.role === 'tool')?.parts[0];
    expect({ ended: ended(panel), requests, told: sentence(panel), result: JSON.stringify(result) }).toEqual({
      ended: ['interrupted spendingLimit'],
      requests: 2,
      told: expect.stringContaining('has cost $2.60'),
      result: expect.stringContaining('reached the spending limit of the user'),
    });
  });

  it('leaves sessions alone whose price is not known, and every session while there is none', async () => {
    const { server } = await create({ spendingLimit: 0 });
    server.script(looks(9), says(9, 'Done.'));
    const panel = world.surface();
    await world.ask(panel, 'look');
    expect(ended(panel)).toEqual(['complete stop']);
    await world.close();
    await create();
    world.server.script(reply().calls('list_directory', {}), reply().says('Done.'));
    const other = world.surface();
    await world.ask(other, 'look');
    expect(ended(other)).toEqual(['complete stop']);
  });
});

it('the cost of a session and of today is that of its requests', async () => {
  const { server } = await create({ spendingLimit: 0 });
  server.script(looks(0.5), says(0.25, 'Done.'), reply().says('Nobody knows.'));
  const panel = world.surface();
  const { sessionId } = await world.ask(panel, 'look');
  await world.ask(world.surface(), 'another session');
  expect([await world.gateway.spending.costs(sessionId), (await world.gateway.spending.costs(null)).session]).toEqual([
    { session: { usd: 0.75, unpriced: 0 }, today: { usd: 0.75, unpriced: 1 } },
    null,
  ]);
});

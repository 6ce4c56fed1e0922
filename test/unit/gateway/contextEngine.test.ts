import { afterEach, describe, expect, it } from 'vitest';
import { Summarizer } from '../../../src/agent/compression/summarizer';
import type { ContextEngine, Rollover } from '../../../src/agent/compression/contextEngine';
import { systemClock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import { reply } from '../../support/modelServer';
import { World } from '../../support/world';
import { long } from '../../support/conformance';

let world: World;
afterEach(() => world.close());

/** A world whose engine compresses as usual and writes down which rollovers it is told of, and in which session
 *  each found its conversation. */
async function watched(contextWindow?: number): Promise<readonly string[]> {
  const told: string[] = [];
  const own = new Summarizer({ clock: systemClock, log: silentLog });
  const engine: ContextEngine = {
    mayBeDue: (...tokens) => own.mayBeDue(...tokens),
    isDue: (...history) => own.isDue(...history),
    preview: (...rows) => own.preview(...rows),
    compress: (...history) => own.compress(...history),
    rolledOver: ({ conversationId, fromSessionId, toSessionId, tokens }: Rollover) => {
      const stored =
        world.query(`SELECT id FROM sessions WHERE id = '${toSessionId}' AND parent_session_id = '${fromSessionId}'`)
          .length === 1;
      told.push(
        `${conversationId}: ${fromSessionId} -> ${toSessionId} ${stored ? 'stored' : 'not stored'} ` +
          `${tokens.before > tokens.after ? 'smaller' : 'not smaller'}`,
      );
    },
  };
  world = await World.create({ contextEngine: engine, ...(contextWindow === undefined ? {} : { contextWindow }) });
  return told;
}

/** A session of four long answers. */
async function talked(): Promise<string> {
  const panel = world.surface();
  let sessionId = '';
  for (const topic of ['one', 'two', 'three', 'four']) {
    world.server.script(reply().says(long(topic), { in: 4000 }));
    ({ sessionId } = await world.ask(panel, `Tell me of ${topic}.`));
  }
  return sessionId;
}

describe('a context engine', () => {
  it('is notified of each rollover published between two turns, once it is on disk', async () => {
    const told = await watched();
    const first = await talked();
    world.server.otherwise(reply().says('## Goal\nSpeak of a parser.'));
    const { sessionId: second } = await world.gateway.compression.compress(first, null);
    expect(told).toEqual([`${first}: ${first} -> ${second} stored smaller`]);
  });

  it('is notified of one inside a turn', async () => {
    const told = await watched(4000);
    const panel = world.surface();
    for (const name of ['a', 'b', 'c'])
      world.server.script(
        reply()
          .says(long(name), { in: 4000 })
          .calls('list_directory', { path: name })
          .uses({ input: name === 'c' ? 3300 : 900, output: 10 }),
      );
    world.server.script(reply().says('## Goal\nList every folder.'), reply().says('All listed.'));
    const { sessionId } = await world.ask(panel, 'List every folder.');
    const tip = await world.store.conversationTip(sessionId);
    expect([tip === sessionId, told]).toEqual([false, [`${sessionId}: ${sessionId} -> ${tip} stored smaller`]]);
  });

  it('is not notified of a rollover that could not be published', async () => {
    const told = await watched();
    const first = await talked();
    world.server.otherwise(reply().says('## Goal\nSpeak of a parser.'));
    const mend = world.failing(['compressSession']);
    const refused = await world.gateway.compression.compress(first, null).then(
      () => 'done',
      () => 'refused',
    );
    mend();
    expect([refused, await world.store.conversationTip(first), told]).toEqual(['refused', first, []]);
  });
});

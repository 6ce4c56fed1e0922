import { afterEach, describe, expect, it } from 'vitest';
import { reply } from '../../support/modelServer';
import { World } from '../../support/world';
import { long } from '../../support/conformance';

let world: World;
afterEach(() => world.close());

/** Two answered prompts. The model has counted a history that is worth a look and far from full. */
async function talked(): Promise<ReturnType<World['surface']>> {
  world = await World.create({ contextWindow: 100_000 });
  const panel = world.surface();
  for (const topic of ['one', 'two']) {
    world.server.script(reply().says(long(topic), { in: 4000 }).uses({ input: 3000, output: 900 }));
    await world.ask(panel, `Tell me of ${topic}.`);
  }
  return panel;
}

/** Sends a prompt and lists the calls that reach the store until its turn has settled. */
async function callsOfPrompt(panel: ReturnType<World['surface']>): Promise<readonly string[]> {
  const calls: string[] = [];
  const stop = world.breakStore((method) => {
    calls.push(method);
    return null;
  });
  world.server.script(reply().says('Done.').uses({ input: 3900, output: 2 }));
  await world.ask(panel, 'And then?');
  stop();
  return calls;
}

const beforeRow = (calls: readonly string[]): readonly string[] => calls.slice(0, calls.indexOf('openTurn'));
const transcriptReads = (calls: readonly string[]): readonly string[] =>
  calls.filter((method) => method === 'activeMessages' || method === 'readTranscript');

describe('a follow-up prompt', () => {
  it('makes one read before its row is written, and reads the transcript once, for the request', async () => {
    const calls = await callsOfPrompt(await talked());
    expect({ before: beforeRow(calls), transcript: transcriptReads(calls) }).toEqual({
      before: ['promptContext'],
      transcript: ['activeMessages'],
    });
  });

  it('does so in a compressed session, too', async () => {
    const panel = await talked();
    world.server.script(reply().says('## Goal\nSpeak of a parser.'));
    await world.gateway.compression.compress(world.gateway.surfaces.shownSession(panel.id) ?? '', null);
    world.server.script(reply().says(long('three'), { in: 4000 }).uses({ input: 3000, output: 900 }));
    await world.ask(panel, 'Tell me of three.');
    const calls = await callsOfPrompt(panel);
    expect({ before: beforeRow(calls), transcript: transcriptReads(calls) }).toEqual({
      before: ['promptContext'],
      transcript: ['activeMessages'],
    });
  });

  it('is stored once when it is sent twice at once', async () => {
    const panel = await talked();
    world.server.script(reply().says('Done.'));
    const sessionId = world.gateway.surfaces.shownSession(panel.id);
    const prompt = { sessionId, uid: 'twice', text: 'And then?' };
    const receipts = await Promise.all([
      world.gateway.intake.submit(panel.id, prompt),
      world.gateway.intake.submit(panel.id, prompt),
    ]);
    await world.settles(panel, 3);
    expect([receipts[1], world.query("SELECT count(*) AS n FROM turns WHERE user_message_uid = 'twice'")]).toEqual([
      receipts[0],
      [{ n: 1 }],
    ]);
  });
});

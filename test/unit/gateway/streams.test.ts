import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

type Panel = ReturnType<World['surface']>;

const outcome = (panel: Panel): string => {
  const turn = panel.settled.at(-1)?.turn;
  return turn === undefined ? 'not settled' : `${turn.outcome} ${turn.stopReason}${turn.failure === null ? '' : ` ${turn.failure.cause}`}`;
};

/** One snapshot of a session whose last turn has ended: what is stored, whether surfaces were given exactly that, how it ended, and whether
 *  every request so far, one more prompt included, was accepted. */
async function seen(panel: Panel, sessionId: string) {
  const ended = outcome(panel);
  const rows = await world.rows(sessionId);
  const lines = await world.lines(sessionId);
  const delivered = panel.delivered.map(({ uid, text }) => {
    const row = rows.find((message) => message.uid === uid);
    return row?.parts.map((part) => (part.kind === 'text' || part.kind === 'thinking' ? part.text : '')).join('') === text;
  });
  const { server } = world;
  server.script(reply().says('Next.'));
  await world.ask(panel, 'next');
  return {
    lines,
    deliveredIsStored: delivered.every((same) => same),
    ended,
    accepted: server.requests.every((request) => request.rejection === null) && outcome(panel) === 'complete stop',
    backfills: world.logLines.filter((line) => line.includes('Backfill')).length,
  };
}

const well = { deliveredIsStored: true, accepted: true, backfills: 0 };

/** Everything a request said to the model, as one text. */
const sent = (index: number): string => JSON.stringify(world.server.requests[index]?.body['messages']);

describe.each(['openai', 'anthropic'] as const)('over the %s protocol', (protocol) => {
  it('thinking in tags is shown and stored as thinking, recalled memory not at all', async () => {
    const { server } = await create({ protocol });
    server.script(reply().says('<think>Let me\nsee.</think>\n\nYes.\n<memory-context>\nold notes\n</memory-context>\nDone.', { in: 3 }));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect(await seen(panel, sessionId)).toEqual({ ...well, lines: ['user: Well?', 'assistant: <Let me\nsee.> Yes.\nDone.'], ended: 'complete stop' });
  });

  it('an answer cut off while a tool call was received is asked for again, and says nothing twice', async () => {
    const { server } = await create({ protocol });
    writeFileSync(path.join(world.folder, 'note.txt'), 'milk');
    server.script(
      reply().says('I look at the note.').beginsCall('read_file', '{"path": "no').drops(),
      reply().says('I look at the note.').calls('read_file', { path: 'note.txt' }, { id: 'b' }),
      reply().says('Milk.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is in it?');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: What is in it?', 'assistant: I look at the note. [read_file {"path":"note.txt"}]', 'tool: done: 1\tmilk', 'assistant: Milk.'],
      ended: 'complete stop',
    });
  });

  it('thinking that comes again with the repeated call is not stored twice, and its signature is kept', async () => {
    const { server } = await create({ protocol });
    server.script(
      reply().thinks('A list helps.').beginsCall('list_directory', '{').drops(),
      reply().thinks('A list helps.').calls('list_directory', {}, { id: 'b' }),
      reply().says('Empty.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, answer: lines[1] }).toEqual({ ...well, answer: 'assistant: <A list helps.> [list_directory {}]', ended: 'complete stop' });
  });

  it('half a call never runs, and after the last attempt the turn ends with what was shown', async () => {
    const { server } = await create({ protocol });
    const half = reply().says('I look.').beginsCall('read_file', '{"path": "no').drops();
    server.script(half, half, half);
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is in it?');
    expect(await seen(panel, sessionId)).toEqual({ ...well, lines: ['user: What is in it?', 'assistant: I look.'], ended: 'interrupted connectionLost network' });
  });

  it('an answer cut off at the output limit goes on in the same row, without what it repeats', async () => {
    const { server } = await create({ protocol });
    server.script(reply().thinks('Count.').says('One, two, three, fo').finishes('length'), reply().thinks('On.').says('three, four, five, six').finishes('length'), reply().says(', seven.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Count.');
    const messages = panel.delivered.length;
    expect({ messages, ...(await seen(panel, sessionId)) }).toEqual({
      messages: 1,
      ...well,
      lines: ['user: Count.', 'assistant: <Count.> One, two, three, fo <On.> three, four, five, six, seven.'],
      ended: 'complete stop',
    });
  });

  it('an empty answer behind a tool result is asked about once, and nothing of that is stored', async () => {
    const { server } = await create({ protocol });
    server.script(reply().says('I look.').calls('list_directory', {}, { id: 'a' }), reply(), reply().says('Nothing is there.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const asked = sent(2).includes('results of your tool calls');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, asked, roles: lines.map((line) => line.split(' ')[0]), last: lines.at(-1) }).toEqual({
      ...well, asked: true, roles: ['user:', 'assistant:', 'tool:', 'assistant:'], last: 'assistant: Nothing is there.', ended: 'complete stop',
    });
  });

  it('a model that only thought is asked for its answer twice, and its thinking stays', async () => {
    const { server } = await create({ protocol });
    server.script(reply().thinks('First.'), reply().thinks('Second.'), reply().thinks('Third.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    const sentence = panel.settled[0]?.turn.failure?.sentence;
    expect({ sentence, ...(await seen(panel, sessionId)) }).toEqual({
      sentence: 'The model stopped after thinking, without an answer. Your prompt is saved. Retry, or choose another model.',
      ...well,
      lines: ['user: Well?', 'assistant: <First.> <Second.> <Third.>'],
      ended: 'failed empty empty',
    });
  });

  it('a model that ends without a word is asked three times more', async () => {
    const { server } = await create({ protocol });
    server.script(reply(), reply(), reply(), reply().says('Here.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect(await seen(panel, sessionId)).toEqual({ ...well, lines: ['user: Well?', 'assistant: Here.'], ended: 'complete stop' });
  });

  it('the next prompt says on the wire that the answer before it was cut off', async () => {
    const { server } = await create({ protocol });
    server.script(reply().says('Half an ').drops(), reply().says('Two.'), reply().says('Three.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'one');
    await world.ask(panel, 'two');
    await world.ask(panel, 'three');
    const told = [0, 1, 2].map((index) => sent(index).includes('ended when the connection was lost'));
    expect({ told, ...(await seen(panel, sessionId)) }).toEqual({
      told: [false, true, false],
      ...well,
      lines: ['user: one', 'assistant: Half an ', 'user: two', 'assistant: Two.', 'user: three', 'assistant: Three.'],
      ended: 'complete stop',
    });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { retriesOfACall } from '../../../src/store/ownership/storeCalls';
import { StoreError } from '../../../src/store/storeError';
import { ended } from '../../support/conformance';
import { reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

/** Every time the model is asked before it is given up. */
const silences = [reply(), reply(), reply(), reply()];

describe('a turn', () => {
  it('fails with a sentence if the model ends without any text, and Retry hides the failed attempt', async () => {
    const { server } = await create();
    server.script(...silences, reply().says('Here.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'say something');
    const failed = panel.settled.at(-1)?.turn;
    const sentence = failed?.failure?.sentence;
    await world.gateway.versions.retry(panel.id, failed?.uid ?? '');
    await world.settles(panel, 2);
    expect({
      sentence,
      sent: await activeLines(sessionId),
      refused: server.requests.map((request) => request.rejection),
    }).toEqual({
      sentence: 'The model returned an empty answer. Your prompt is saved. Retry, or choose another model.',
      sent: ['user: say something', 'assistant: Here.'],
      refused: [null, null, null, null, null],
    });
  });

  it('is never complete if its last text could not be saved', async () => {
    const { server } = await create();
    server.script(
      reply()
        .says('one two three')
        .waitsFor(new Promise((resolve) => setTimeout(resolve, 30))),
    );
    const panel = world.surface();
    let appends = 0;
    const mend = world.breakStore((method) =>
      method === 'appendChunks' && ++appends > 1 ? new StoreError('full', 'The disk is full.', 'full') : null,
    );
    const { sessionId } = await world.send(panel, 'count');
    await panel.untilSettled(1);
    mend();
    await panel.until(() => panel.settled.some(({ messages }) => messages.length > 0));
    await world.idle();
    const last = panel.settled.at(-1);
    const stored = (await world.rows(sessionId)).find((row) => row.role === 'assistant');
    expect({
      reason: last?.turn.stopReason,
      shown: stored?.parts[0]?.kind === 'text' && stored.parts[0].text.startsWith(panel.deliveredText),
    }).toEqual({ reason: 'storeFailed', shown: true });
  });

  it('starts once if the store opened it but could not report so', async () => {
    const { server } = await create();
    server.script(reply().says('Here.'));
    const panel = world.surface();
    world.failAfter('openTurn', 1, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
    const { sessionId } = await world.ask(panel, 'hello');
    expect({ lines: await world.lines(sessionId), ended: ended(panel) }).toEqual({
      lines: ['user: hello', 'assistant: Here.'],
      ended: 'complete stop',
    });
  });

  it('that was opened and never ran is run when its prompt is sent again', async () => {
    const { server } = await create();
    server.script(reply().says('Here.'));
    const panel = world.surface();
    const prompt = { sessionId: null, uid: 'p1', text: 'hello' };
    world.failAfter('openTurn', retriesOfACall + 1, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
    await expect(world.gateway.intake.submit(panel.id, prompt)).rejects.toThrow('The disk reported a problem.');
    const { sessionId } = await world.gateway.intake.submit(panel.id, prompt);
    await world.idle();
    expect({
      shown: world.gateway.surfaces.shownSession(panel.id) === sessionId,
      lines: await activeLines(sessionId),
      sessions: (await world.gateway.store.listSessions({ limit: 9 })).length,
    }).toEqual({
      shown: true,
      lines: ['user: hello', 'assistant: Here.'],
      sessions: 1,
    });
  });

  it('that was opened and never ran does not keep its session busy', async () => {
    const { server } = await create();
    server.script(reply().says('one'), reply().says('two'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first');
    world.failAfter('openTurn', retriesOfACall + 1, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
    await expect(world.send(panel, 'lost?')).rejects.toThrow('The disk reported a problem.');
    await world.ask(panel, 'second');
    const lines = await world.lines(sessionId);
    expect({
      lines: lines.filter((line) => !line.includes('(closing)')),
      refused: server.requests.map((request) => request.rejection),
    }).toEqual({
      lines: ['user: first', 'assistant: one', 'user: lost?', 'user: second', 'assistant: two'],
      refused: [null, null],
    });
  });

  it('does not start without a model or without text', async () => {
    await create({ defaultModel: null });
    const panel = world.surface();
    await expect(world.send(panel, 'hello')).rejects.toThrow('Choose a model first. Your prompt is kept.');
    await expect(world.send(panel, ' \n ')).rejects.toThrow('There is nothing to send. Type a prompt first.');
  });
});

async function activeLines(sessionId: string): Promise<readonly string[]> {
  const hidden = await world.lines(sessionId);
  return hidden.filter((line) => !line.includes('(hidden'));
}

import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { StoreError } from '../../../src/store/storeError';
import { refuses, reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const outcome = (surface: ReturnType<World['surface']>): string => {
  const turn = surface.settled.at(-1)?.turn;
  return turn === undefined
    ? 'not settled'
    : `${turn.outcome} ${turn.stopReason}${turn.failure === null ? '' : ` ${turn.failure.cause}`}`;
};

describe.each(['openai', 'anthropic'] as const)('a turn over the %s protocol', (protocol) => {
  it('stores the prompt, then the answer as it was shown, once', async () => {
    const { server } = await create({ protocol });
    server.script(reply().thinks('Let me see.').says('Hello wörld 🌍.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Hi');
    expect({ lines: await world.lines(sessionId), shown: panel.deliveredText, ended: outcome(panel) }).toEqual({
      lines: ['user: Hi', 'assistant: <Let me see.> Hello wörld 🌍.'],
      shown: 'Let me see.Hello wörld 🌍.',
      ended: 'complete stop',
    });
  });

  it('runs tools between requests, and stores each row before the next step', async () => {
    const { server } = await create({ protocol });
    writeFileSync(path.join(world.folder, 'note.txt'), 'remember the milk');
    server.script(
      reply()
        .says('I look.')
        .calls('read_file', { path: 'note.txt' }, { id: 'a' })
        .calls('read_file', { path: 'nope' }, { id: 'b' }),
      reply().says('It says: remember the milk.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is in note.txt?');
    expect({
      lines: await world.lines(sessionId),
      ended: outcome(panel),
      refused: server.requests.map((request) => request.rejection),
    }).toEqual({
      lines: [
        'user: What is in note.txt?',
        'assistant: I look. [read_file {"path":"note.txt"}] [read_file {"path":"nope"}]',
        'tool: done: 1\tremember the milk',
        'tool: failed: There is no file or folder at nope.',
        'assistant: It says: remember the milk.',
      ],
      ended: 'complete stop',
      refused: [null, null],
    });
  });

  it('keeps what was shown when the connection breaks, and the next turn is accepted', async () => {
    const { server } = await create({ protocol, continuesBroken: false });
    server.script(reply().says('Half an ').drops(), reply().says('All of it.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first');
    const first = outcome(panel);
    await world.ask(panel, 'second');
    expect({
      first,
      lines: await world.lines(sessionId),
      refused: server.requests.map((request) => request.rejection),
    }).toEqual({
      first: 'interrupted connectionLost network',
      lines: ['user: first', 'assistant: Half an ', 'user: second', 'assistant: All of it.'],
      refused: [null, null],
    });
  });

  it('ends with a row of its own if it has no answer, so that the model does not answer the old question again', async () => {
    const { server } = await create({ protocol });
    server.script(refuses(401, { message: 'no' }), reply().says('Now yes.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first');
    const first = outcome(panel);
    await world.ask(panel, 'second');
    const lines = await world.lines(sessionId);
    expect({
      first,
      roles: lines.map((line) => line.slice(0, 20)),
      refused: server.requests.map((request) => request.rejection !== null),
    }).toEqual({
      first: 'failed error noKey',
      roles: ['user: first', expect.stringMatching(/^assistant \(closing\)/), 'user: second', 'assistant: Now yes.'],
      refused: [false, false],
    });
  });
});

/** Every time the model is asked before it is given up. */
const silences = [reply(), reply(), reply(), reply()];

describe('a turn', () => {
  it('keeps exactly what was shown when the user stops it', async () => {
    const { server } = await create();
    server.script(reply().says('one two three ').hangs());
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'count');
    await panel.until(() => panel.deliveredText === 'one two three ');
    await world.gateway.stop(sessionId);
    expect({ lines: await world.lines(sessionId), ended: outcome(panel) }).toEqual({
      lines: ['user: count', 'assistant: one two three '],
      ended: 'interrupted user',
    });
  });

  it('ignores a stop that arrives after the end of the turn before it', async () => {
    const { server } = await create();
    server.script(reply().says('one'), reply().says('two'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first');
    await world.gateway.stop(sessionId);
    await world.ask(panel, 'second');
    expect(outcome(panel)).toBe('complete stop');
  });

  it('settles as closed by the window when the window closes in an orderly way', async () => {
    const { server } = await create();
    server.script(reply().says('one two ').hangs());
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'count');
    await panel.until(() => panel.deliveredText === 'one two ');
    await world.reopen();
    expect({ lines: await world.lines(sessionId), ended: outcome(panel) }).toEqual({
      lines: ['user: count', 'assistant: one two '],
      ended: 'interrupted windowClosed',
    });
  });

  it('summarizes what it found when its budget of requests is used up', async () => {
    const { server } = await create({ maxIterations: 2 });
    server.script(reply().calls('list_directory', {}), reply().says('I only got this far.'));
    const panel = world.surface();
    await world.ask(panel, 'look everywhere');
    expect({
      ended: outcome(panel),
      choice: server.requests.map((request) => request.body['tool_choice'] ?? 'auto'),
    }).toEqual({ ended: 'complete iterations', choice: ['auto', 'none'] });
  });

  it('fails with a sentence if the model ends without any text, and Retry hides the failed attempt', async () => {
    const { server } = await create();
    server.script(...silences, reply().says('Here.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'say something');
    const failed = panel.settled.at(-1)?.turn;
    const sentence = failed?.failure?.sentence;
    await world.gateway.retry(panel.id, failed?.uid ?? '');
    await panel.untilSettled(2);
    await world.idle();
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

  it('stops with what was shown if nothing more can be saved, and is closed when the store works again', async () => {
    const { server } = await create();
    server.script(reply().says('one two three four', { every: 20 }));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'count');
    await panel.until(() => panel.deliveredText !== '');
    const mend = world.breakStore(
      () => new StoreError('full', 'The disk is full. Free some space.', 'database or disk is full'),
    );
    await panel.untilSettled(1);
    const shown = panel.deliveredText;
    const first = panel.settled[0]?.turn.failure?.sentence;
    mend();
    await panel.untilSettled(2);
    await world.idle();
    expect({
      first,
      shownLater: panel.deliveredText,
      lines: (await world.lines(sessionId)).map(
        (line) => line.startsWith(`assistant: ${shown}`) || line === 'user: count',
      ),
      ended: outcome(panel),
    }).toEqual({
      first: 'The disk is full. Free some space. This answer was stopped; everything shown of it is saved.',
      shownLater: shown,
      lines: [true, true],
      ended: 'failed storeFailed full',
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

  it('does not start if the prompt cannot be stored: the user keeps the prompt', async () => {
    await create();
    const panel = world.surface();
    const mend = world.breakStore((method) =>
      method === 'openTurn' ? new StoreError('full', 'The disk is full. Free some space.', 'full') : null,
    );
    await expect(world.send(panel, 'hello')).rejects.toThrow('The disk is full. Free some space.');
    mend();
    expect({ shown: world.gateway.shownSession(panel.id), requests: world.server.requests.length }).toEqual({
      shown: null,
      requests: 0,
    });
  });

  it('starts once if the store opened it but could not report so', async () => {
    const { server } = await create();
    server.script(reply().says('Here.'));
    const panel = world.surface();
    world.failAfter('openTurn', 1, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
    const { sessionId } = await world.ask(panel, 'hello');
    expect({ lines: await world.lines(sessionId), ended: outcome(panel) }).toEqual({
      lines: ['user: hello', 'assistant: Here.'],
      ended: 'complete stop',
    });
  });

  it('that was opened and never ran is run when its prompt is sent again', async () => {
    const { server } = await create();
    server.script(reply().says('Here.'));
    const panel = world.surface();
    const prompt = { sessionId: null, uid: 'p1', text: 'hello' };
    world.failAfter('openTurn', 2, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
    await expect(world.gateway.submit(panel.id, prompt)).rejects.toThrow('The disk reported a problem.');
    const { sessionId } = await world.gateway.submit(panel.id, prompt);
    await world.idle();
    expect({
      shown: world.gateway.shownSession(panel.id) === sessionId,
      lines: await activeLines(sessionId),
      sessions: (await world.gateway.listSessions({ limit: 9 })).length,
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
    world.failAfter('openTurn', 2, new StoreError('unknown', 'The disk reported a problem.', 'EIO'));
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

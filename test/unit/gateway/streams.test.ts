import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatModel, StreamEvent } from '../../../src/models/chatModel';
import type { ModelInfo } from '../../../src/models/modelInfo';
import { refuses, reply } from '../../support/modelServer';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const info: ModelInfo = {
  ref: 'Local/test-model',
  provider: 'Local',
  id: 'test-model',
  label: 'test-model',
  destination: 'here',
  contextWindow: null,
  allocatedContext: null,
  tools: true,
  images: true,
  efforts: ['default'],
  price: null,
  warnings: [],
};

type Panel = ReturnType<World['surface']>;

const outcome = (panel: Panel): string => {
  const turn = panel.settled.at(-1)?.turn;
  return turn === undefined
    ? 'not settled'
    : `${turn.outcome} ${turn.stopReason}${turn.failure === null ? '' : ` ${turn.failure.cause}`}`;
};

/** One snapshot of a session whose last turn has ended: what is stored, whether surfaces were given exactly that, how it ended, and whether
 *  every request so far, one more prompt included, was accepted. */
async function seen(panel: Panel, sessionId: string) {
  const ended = outcome(panel);
  const rows = await world.rows(sessionId);
  const lines = await world.lines(sessionId);
  const delivered = panel.delivered.map(({ uid, text }) => {
    const row = rows.find((message) => message.uid === uid);
    return (
      row?.parts.map((part) => (part.kind === 'text' || part.kind === 'thinking' ? part.text : '')).join('') === text
    );
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
  it('thinking in tags is shown and stored as thinking, and recalled memory is dropped', async () => {
    const { server } = await create({ protocol });
    server.script(
      reply().says('<think>Let me\nsee.</think>\n\nYes.\n<memory-context>\nold notes\n</memory-context>\nDone.', {
        in: 3,
      }),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: Well?', 'assistant: <Let me\nsee.> Yes.\nDone.'],
      ended: 'complete stop',
    });
  });

  it('an answer cut off during a tool call is requested again, and no text is repeated', async () => {
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
      lines: [
        'user: What is in it?',
        'assistant: I look at the note. [read_file {"path":"note.txt"}]',
        'tool: done: 1\tmilk',
        'assistant: Milk.',
      ],
      ended: 'complete stop',
    });
  });

  it('thinking that arrives again with the repeated call is not stored twice, and its signature is kept', async () => {
    const { server } = await create({ protocol });
    server.script(
      reply().thinks('A list helps.').beginsCall('list_directory', '{').drops(),
      reply().thinks('A list helps.').calls('list_directory', {}, { id: 'b' }),
      reply().says('Empty.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const sentBack = protocol === 'openai' || sent(2).includes('"signature"');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, sentBack, answer: lines[1] }).toEqual({
      ...well,
      sentBack: true,
      answer: 'assistant: <A list helps.> [list_directory {}]',
      ended: 'complete stop',
    });
  });

  it('half a call never runs, and after the last attempt the turn ends with what was shown', async () => {
    const { server } = await create({ protocol });
    const half = reply().says('I look.').beginsCall('read_file', '{"path": "no').drops();
    server.script(half, half, half);
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is in it?');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: What is in it?', 'assistant: I look.'],
      ended: 'interrupted connectionLost network',
    });
  });

  it('an answer cut off at the output limit continues in the same row, without its repeats', async () => {
    const { server } = await create({ protocol });
    server.script(
      reply().thinks('Count.').says('One, two, three, fo').finishes('length'),
      reply().thinks('On.').says('three, four, five, six').finishes('length'),
      reply().says(', seven.'),
    );
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

  it('an answer cut off in code continues in it: tags there are text, and the memory fence after the code is removed', async () => {
    const { server } = await create({ protocol });
    const texts = [
      '```xml\n<root>\n',
      '<thinking>\ninner words\n</thinking>\n</root>\n```\nRun\n```npm install```\nthen:\n<memory-',
      'context>\nold notes\n</memory-context>\nDone.',
    ];
    server.script(
      ...texts.slice(0, 2).map((text) => reply().says(text).finishes('length')),
      reply().says(texts[2] ?? ''),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Write it.');
    expect({ goesOnFrom: sent(2).includes('then:\\n<memory-'), ...(await seen(panel, sessionId)) }).toEqual({
      goesOnFrom: true,
      ...well,
      ended: 'complete stop',
      lines: [
        'user: Write it.',
        'assistant: ```xml\n<root>\n<thinking>\ninner words\n</thinking>\n</root>\n```\nRun\n```npm install```\nthen:\nDone.',
      ],
    });
  });

  it('an answer in unclosed thinking is requested once more, and shown if nothing else arrives', async () => {
    const { server } = await create({ protocol });
    server.otherwise(() => reply().says('<think>Two and two.\n\nIt is four.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect({ requests: server.requests.length, ...(await seen(panel, sessionId)) }).toEqual({
      requests: 2,
      ...well,
      lines: ['user: Well?', 'assistant: <Two and two.\n\nIt is four.> Two and two.\n\nIt is four.'],
      ended: 'complete stop',
    });
  });

  it('an empty answer after a tool result is asked about once, and nothing of that is stored', async () => {
    const { server } = await create({ protocol });
    server.script(
      reply().says('I look.').calls('list_directory', {}, { id: 'a' }),
      reply(),
      reply().says('Nothing is there.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const asked = sent(2).includes('results of your tool calls');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, asked, roles: lines.map((line) => line.split(' ')[0]), last: lines.at(-1) }).toEqual({
      ...well,
      asked: true,
      roles: ['user:', 'assistant:', 'tool:', 'assistant:'],
      last: 'assistant: Nothing is there.',
      ended: 'complete stop',
    });
  });

  it('a model that only thought is asked for its answer twice, and its thinking stays', async () => {
    const { server } = await create({ protocol });
    server.script(reply().thinks('First.'), reply().thinks('Second.'), reply().thinks('Third.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    const sentence = panel.settled[0]?.turn.failure?.sentence;
    expect({ sentence, ...(await seen(panel, sessionId)) }).toEqual({
      sentence:
        'The model stopped after thinking and returned no answer. Your prompt is saved. Retry, or choose another model.',
      ...well,
      lines: ['user: Well?', 'assistant: <First.> <Second.> <Third.>'],
      ended: 'failed empty empty',
    });
  });

  it('a model that ends without any text is asked three more times', async () => {
    const { server } = await create({ protocol });
    server.script(reply(), reply(), reply(), reply().says('Here.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: Well?', 'assistant: Here.'],
      ended: 'complete stop',
    });
  });

  it('the next prompt says on the wire that the answer before it was cut off', async () => {
    const { server } = await create({ protocol, continuesBroken: false });
    server.script(reply().says('Half an ').drops(), reply().says('Two.'), reply().says('Three.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'one');
    await world.ask(panel, 'two');
    await world.ask(panel, 'three');
    const told = [0, 1, 2].map((index) =>
      world.server.requests
        .at(index)
        ?.outline.filter((line) => line.includes('ended when the connection was lost'))
        .map((line) => line.split('\n').at(-1)),
    );
    expect({ told, ...(await seen(panel, sessionId)) }).toEqual({
      told: [[], ['two'], ['two']],
      ...well,
      lines: ['user: one', 'assistant: Half an ', 'user: two', 'assistant: Two.', 'user: three', 'assistant: Three.'],
      ended: 'complete stop',
    });
  });
});

describe('an answer that takes several requests', () => {
  it('separates a repeated request that begins differently from the text already delivered', async () => {
    const { server } = await create();
    server.script(
      reply().says('I look.').beginsCall('list_directory', '{').drops(),
      reply().says('Let me list it.').calls('list_directory', {}, { id: 'b' }),
      reply().says('Done.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, answer: lines[1] }).toEqual({
      ...well,
      answer: 'assistant: I look.\n\nLet me list it. [list_directory {}]',
      ended: 'complete stop',
    });
  });

  it('is not requested again after text alone where the setting is off', async () => {
    const { server } = await create({ continuesBroken: false });
    server.script(reply().says('Half an ').drops());
    const panel = world.surface();
    await world.ask(panel, 'Well?');
    expect({ ended: outcome(panel), requests: server.requests.length }).toEqual({
      ended: 'interrupted connectionLost network',
      requests: 1,
    });
  });

  it('is not requested again if the service refused it with a permanent error', async () => {
    const { server } = await create();
    server.script(
      reply()
        .says('I look.')
        .beginsCall('list_directory', '{')
        .breaksWith('Your prompt is too long.', 'context_length_exceeded'),
    );
    const panel = world.surface();
    await world.ask(panel, 'Well?');
    expect({ requests: server.requests.length, shown: panel.deliveredText }).toEqual({ requests: 1, shown: 'I look.' });
  });

  it('ends at once when the user stops it in the pause before the next request', async () => {
    const { server } = await create();
    const half = reply().says('I look.').beginsCall('list_directory', '{').drops();
    server.script(half, half);
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'What is here?');
    await panel.until(() =>
      panel.turnEvents.some(
        (event) => event.kind === 'activity' && event.activity.kind === 'retrying' && event.activity.delayMs > 0,
      ),
    );
    await world.gateway.stop(sessionId);
    expect({ ended: outcome(panel), requests: server.requests.length, lines: await world.lines(sessionId) }).toEqual({
      ended: 'interrupted user',
      requests: 2,
      lines: ['user: What is here?', 'assistant: I look.'],
    });
  });

  it('continues three times after the output limit, then ends there', async () => {
    const { server } = await create();
    server.script(...['One.', ' Two.', ' Three.', ' Four.'].map((text) => reply().says(text).finishes('length')));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Count.');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: Count.', 'assistant: One. Two. Three. Four.'],
      ended: 'complete length',
    });
  });

  it('ends at the output limit if continuing brings nothing new', async () => {
    const { server } = await create();
    server.script(
      reply().says('All that there is to say').finishes('length'),
      reply().says('All that there is to say'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: Well?', 'assistant: All that there is to say'],
      ended: 'complete length',
    });
  });

  it('is not requested again if thinking used up the limit', async () => {
    const { server } = await create();
    server.script(reply().thinks('On and on').finishes('length'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    const requests = server.requests.length;
    expect({ requests, ...(await seen(panel, sessionId)) }).toEqual({
      requests: 1,
      ...well,
      lines: ['user: Well?', 'assistant: <On and on>'],
      ended: 'complete length',
    });
  });

  it('asks a model whose call was cut at the limit to make the call again', async () => {
    const { server } = await create();
    server.script(
      reply().says('I look.').beginsCall('list_directory', '{"path": "aaaaaa').finishes('length'),
      reply().calls('list_directory', {}, { id: 'b' }),
      reply().says('Empty.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const told = sent(1).includes('That call was not run.');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, told, answer: lines[1] }).toEqual({
      ...well,
      told: true,
      answer: 'assistant: I look. [list_directory {}]',
      ended: 'complete stop',
    });
  });

  it.each([
    ['refuses', refuses(400, { message: 'No more.' }), 'failed error badRequest'],
    ['cannot be reached', refuses(429, { message: 'Busy.', retryAfter: 300 }), 'interrupted connectionLost rateLimit'],
  ] as const)(
    'keeps what was shown if the service %s when the answer should continue',
    async (_name, answer, ended) => {
      const { server } = await create();
      server.script(reply().says('One, two').finishes('length'), answer);
      const panel = world.surface();
      const { sessionId } = await world.ask(panel, 'Count.');
      expect(await seen(panel, sessionId)).toEqual({ ...well, lines: ['user: Count.', 'assistant: One, two'], ended });
    },
  );

  it('keeps what was shown if the user stops it while it continues, and drops possible repeats', async () => {
    const { server } = await create();
    server.script(reply().says('One, two, three').finishes('length'), reply().says('One, two').hangs());
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'Count.');
    await server.request(1);
    await panel.until(
      () =>
        panel.turnEvents.filter((event) => event.kind === 'activity' && event.activity.kind === 'answering').length >=
        2,
    );
    await world.gateway.stop(sessionId);
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: Count.', 'assistant: One, two, three'],
      ended: 'interrupted user',
    });
  });

  it('counts the tokens of all its requests, in its row and in its turn', async () => {
    const { server } = await create();
    server.script(
      reply().says('One,').uses({ input: 10, output: 1 }).finishes('length'),
      reply().says(' two.').uses({ input: 20, output: 2 }),
    );
    const panel = world.surface();
    await world.ask(panel, 'Count.');
    const row = panel.lastMessages.find((message) => message.role === 'assistant');
    const counts = [row?.role === 'assistant' ? row.usage : null, panel.settled.at(-1)?.turn.usage];
    expect(counts.map((usage) => [usage?.inputTokens, usage?.outputTokens])).toEqual([
      [30, 3],
      [30, 3],
    ]);
  });

  it('keeps the text of a refusal', async () => {
    const { server } = await create();
    server.script(reply().says('I will not do that.').finishes('contentFilter'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Do it.');
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      lines: ['user: Do it.', 'assistant: I will not do that.'],
      ended: 'complete refusal',
    });
  });

  it('shows nothing for silence after a tool result if asking does not help, and the next prompt is answered', async () => {
    const { server } = await create();
    server.script(
      reply().says('I look.').calls('list_directory', {}, { id: 'a' }),
      reply(),
      reply(),
      reply(),
      reply(),
      reply(),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const requests = server.requests.length;
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, requests, last: lines.at(-1) }).toEqual({
      ...well,
      requests: 6,
      last: 'assistant (closing): (No answer was given.)',
      ended: 'failed empty empty',
    });
  });
});

describe('thinking that only its provider can read', () => {
  const redacted = {
    type: 'content_block_start',
    index: 0,
    content_block: { type: 'redacted_thinking', data: 'AAAA' },
  };
  const stopped = { type: 'content_block_stop', index: 0 };

  it('is sent back with the calls after it', async () => {
    const { server } = await create({ protocol: 'anthropic' });
    const start = {
      type: 'message_start',
      message: {
        id: 'm',
        type: 'message',
        role: 'assistant',
        model: 'test-model',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    };
    const call = [
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'a', name: 'list_directory', input: {} },
      },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ];
    server.script(
      reply()
        .sends(start, redacted, stopped, ...call)
        .endsWithoutFinish(),
      reply().says('Empty.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is here?');
    const sentBack = sent(1).includes('"redacted_thinking"');
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, sentBack, last: lines.at(-1) }).toEqual({
      ...well,
      sentBack: true,
      last: 'assistant: Empty.',
      ended: 'complete stop',
    });
  });

  it('is no answer: a stop right after it leaves a turn without any answer', async () => {
    const events: StreamEvent[] = [
      { kind: 'partEnd', of: 'thinking', metadata: { anthropic: { redactedData: 'AAAA' } } },
    ];
    const hanging: ChatModel = {
      info,
      stream: (_request, signal) => ({
        events,
        hasEvent: (index) =>
          index < events.length
            ? Promise.resolve(true)
            : new Promise((resolve) => signal.addEventListener('abort', () => resolve(false), { once: true })),
        terminal: new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ outcome: 'aborted', usage: null, requestId: null }), {
            once: true,
          }),
        ),
      }),
    };
    await create({ openModel: () => Promise.resolve(hanging) });
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'Well?');
    await panel.until(() => panel.turnEvents.some((event) => event.kind === 'activity'));
    await world.gateway.stop(sessionId);
    expect({ lines: await world.lines(sessionId), ended: outcome(panel) }).toEqual({
      lines: [
        'user: Well?',
        'assistant (closing): (Stopped by the user before an answer. Do not resume this request unless asked.)',
      ],
      ended: 'interrupted user',
    });
  });
});

describe('the note about a turn that was cut off', () => {
  const note = 'Your previous turn';

  it('goes with every request of the next turn and is never stored', async () => {
    const { server } = await create();
    server.script(
      reply().says('one two ').hangs(),
      reply().calls('list_directory', {}, { id: 'a' }),
      reply().says('Empty.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'count');
    await panel.until(() => panel.deliveredText === 'one two ');
    await world.gateway.stop(sessionId);
    await world.ask(panel, 'look');
    const told = [0, 1, 2].map((index) => sent(index).includes(`${note} was stopped by the person`));
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, told, stored: lines.some((line) => line.includes(note)) }).toEqual({
      ...well,
      told: [false, true, true],
      stored: false,
      ended: 'complete stop',
    });
  });

  it('is sent after the window was closed in the middle of an answer', async () => {
    const { server } = await create();
    server.script(reply().says('one two ').hangs(), reply().says('Back.'));
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'count');
    await panel.until(() => panel.deliveredText === 'one two ');
    await world.reopen();
    const again = world.surface();
    await world.gateway.switchSession(again.id, { reason: 'resume', sessionId });
    await world.ask(again, 'go on');
    expect({ told: sent(1).includes(`${note} ended when the window was closed`), ended: outcome(again) }).toEqual({
      told: true,
      ended: 'complete stop',
    });
  });

  it('is sent after the program ended in the middle of an answer', async () => {
    const { server } = await create();
    server.script(reply().says('One.'), reply().says('Back.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'one');
    const row = {
      uid: 'lost-prompt',
      sessionId,
      turnUid: 'lost',
      createdAt: 1,
      visibility: { kind: 'shown' as const },
      carriedFrom: null,
    };
    await world.store.openTurn({
      turnUid: 'lost',
      sessionId,
      model: 'Local/test-model',
      startedAt: 1,
      userMessage: { ...row, role: 'user', parts: [{ kind: 'text', text: 'lost' }] },
    });
    await world.store.recoverTurns();
    await world.ask(panel, 'again');
    const told = sent(1).includes(`${note} ended when the program ended unexpectedly`);
    const { lines, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, told, prompts: lines.filter((line) => line.startsWith('user')) }).toEqual({
      ...well,
      told: true,
      prompts: ['user: one', 'user: lost', 'user: again'],
      ended: 'complete stop',
    });
  });

  it('is not sent if the cut-off turn is retried, since the transcript no longer contains it', async () => {
    const { server } = await create({ continuesBroken: false });
    server.script(reply().says('one two ').drops(), reply().says('one two three'));
    const panel = world.surface();
    await world.ask(panel, 'count');
    await world.gateway.retry(panel.id, panel.settled[0]?.turn.uid ?? '');
    await panel.untilSettled(2);
    await world.idle();
    expect({ told: sent(1).includes(note), ended: outcome(panel) }).toEqual({ told: false, ended: 'complete stop' });
  });
});

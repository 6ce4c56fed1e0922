import { afterEach, describe, expect, it } from 'vitest';
import type { ChatModel, StreamEvent } from '../../../src/models/chatModel';
import { account, sound } from '../../support/account';
import { modelInfo } from '../../support/builders/chatModel';
import { askUntil, ended, resumed } from '../../support/conformance';
import { refuses, reply, type Scripted } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

/** The account of a session, and how one more prompt in it ends. */
async function seen(panel: RecordingSurface, sessionId: string) {
  const now = { ended: ended(panel), ...(await account(world, panel, sessionId)) };
  world.server.script(reply().says('Next.'));
  await world.ask(panel, 'next');
  return { ...now, next: `${ended(panel)}${world.server.requests.at(-1)?.rejection ?? ''}` };
}

const well = { ...sound, next: 'complete stop' };

/** Everything a request said to the model, as one text. */
const sentText = (index: number): string => JSON.stringify(world.server.requests[index]?.body['messages']);

interface Case {
  readonly what: string;
  /** All of it is asked for. */
  readonly script: readonly Scripted[];
  readonly ends: string;
  readonly answer: string;
}
const half = reply().says('I look.').beginsCall('list_directory', '{"path": "no');
const cases: readonly Case[] = [
  {
    what: 'cut off in a call ends after the last attempt with what was shown, and half a call never runs',
    script: [half.drops(), half.drops(), half.drops()],
    ends: 'interrupted connectionLost network',
    answer: 'I look.',
  },
  {
    what: 'cut off in a call is set apart from the text before it where the repeated request begins differently',
    script: [half.drops(), reply().says('Let me list it.')],
    ends: 'complete stop',
    answer: 'I look.\n\nLet me list it.',
  },
  {
    what: 'is not requested again if the service refused it with a permanent error',
    script: [half.breaksWith('Your prompt is too long.', 'context_length_exceeded')],
    ends: 'interrupted connectionLost context',
    answer: 'I look.',
  },
  {
    what: 'cut off at the output limit continues in the same row, without its repeats',
    script: [
      reply().thinks('Count.').says('One, two, three, fo').finishes('length'),
      reply().thinks('On.').says('three, four, five, six').finishes('length'),
      reply().says(', seven.'),
    ],
    ends: 'complete stop',
    answer: '<Count.> One, two, three, fo <On.> three, four, five, six, seven.',
  },
  {
    what: 'cut off at the output limit continues three times, then ends there',
    script: ['One.', ' Two.', ' Three.', ' Four.'].map((text) => reply().says(text).finishes('length')),
    ends: 'complete length',
    answer: 'One. Two. Three. Four.',
  },
  {
    what: 'is not requested again if thinking used up the limit',
    script: [reply().thinks('On and on').finishes('length')],
    ends: 'complete length',
    answer: '<On and on>',
  },
  {
    what: 'stays as it was shown if the service refuses when it should continue',
    script: [reply().says('One, two').finishes('length'), refuses(400, { message: 'No more.' })],
    ends: 'failed error badRequest',
    answer: 'One, two',
  },
  {
    what: 'stays as it was shown if the service cannot be reached when it should continue',
    script: [reply().says('One, two').finishes('length'), refuses(429, { message: 'Busy.', retryAfter: 300 })],
    ends: 'interrupted connectionLost rateLimit',
    answer: 'One, two',
  },
  {
    what: 'in unclosed thinking is requested once more, and shown if nothing else arrives',
    script: Array.from({ length: 2 }, () => reply().says('<think>Two and two.\n\nIt is four.')),
    ends: 'complete stop',
    answer: '<Two and two.\n\nIt is four.> Two and two.\n\nIt is four.',
  },
  {
    what: 'of thinking alone is asked for twice more, and the thinking stays',
    script: [reply().thinks('First.'), reply().thinks('Second.'), reply().thinks('Third.')],
    ends: 'failed empty empty',
    answer: '<First.> <Second.> <Third.>',
  },
  {
    what: 'without any text is asked for three more times',
    script: [reply(), reply(), reply(), reply().says('Here.')],
    ends: 'complete stop',
    answer: 'Here.',
  },
];

describe.each(['openai', 'anthropic'] as const)('an answer over the %s protocol', (protocol) => {
  it.each(cases)('$what', async ({ script, ends, answer }) => {
    const { server } = await create({ protocol });
    server.script(...script);
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    const { length } = server.requests;
    expect({ requests: length, ...(await seen(panel, sessionId)) }).toEqual({
      requests: script.length,
      ended: ends,
      ...well,
      stored: ['user: Well?', `assistant: ${answer}`],
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
    const sentBack = protocol === 'openai' || sentText(2).includes('"signature"');
    const { stored, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, sentBack, answer: stored[1] }).toEqual({
      ...well,
      sentBack: true,
      answer: 'assistant: <A list helps.> [list_directory {}]',
      ended: 'complete stop',
    });
  });
});

describe('an answer that takes several requests', () => {
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
    await world.gateway.turns.stop(sessionId);
    expect({ ended: ended(panel), requests: server.requests.length, lines: await world.lines(sessionId) }).toEqual({
      ended: 'interrupted user',
      requests: 2,
      lines: ['user: What is here?', 'assistant: I look.'],
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
    const told = sentText(1).includes('That call was not run.');
    const { stored, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, told, answer: stored[1] }).toEqual({
      ...well,
      told: true,
      answer: 'assistant: I look. [list_directory {}]',
      ended: 'complete stop',
    });
  });

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
    await world.gateway.turns.stop(sessionId);
    expect(await seen(panel, sessionId)).toEqual({
      ...well,
      stored: ['user: Count.', 'assistant: One, two, three'],
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
});

describe('thinking that only its provider can read', () => {
  it('is no answer: a stop right after it leaves a turn without any answer', async () => {
    const events: StreamEvent[] = [
      { kind: 'partEnd', of: 'thinking', metadata: { anthropic: { redactedData: 'AAAA' } } },
    ];
    const hanging: ChatModel = {
      info: modelInfo(),
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
    await world.gateway.turns.stop(sessionId);
    expect({ lines: await world.lines(sessionId), ended: ended(panel) }).toEqual({
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
    const { sessionId } = await askUntil(world, panel, 'count', 'one two ');
    await world.gateway.turns.stop(sessionId);
    await world.ask(panel, 'look');
    const told = [0, 1, 2].map((index) => sentText(index).includes(`${note} was stopped by the person`));
    const { stored, ...rest } = await seen(panel, sessionId);
    expect({ ...rest, told, isStored: stored.some((line) => line.includes(note)) }).toEqual({
      ...well,
      told: [false, true, true],
      isStored: false,
      ended: 'complete stop',
    });
  });

  it('is sent after the window was closed in the middle of an answer', async () => {
    const { server } = await create();
    server.script(reply().says('one two ').hangs(), reply().says('Back.'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one two ');
    await world.reopen();
    const again = await resumed(world, sessionId);
    await world.ask(again, 'go on');
    expect({ told: sentText(1).includes(`${note} ended when the window was closed`), ended: ended(again) }).toEqual({
      told: true,
      ended: 'complete stop',
    });
  });

  it('is not sent if the cut-off turn is retried, since the transcript no longer contains it', async () => {
    const { server } = await create({ continuesBroken: false });
    server.script(reply().says('one two ').drops(), reply().says('one two three'));
    const panel = world.surface();
    await world.ask(panel, 'count');
    await world.gateway.versions.retry(panel.id, panel.settled[0]?.turn.uid ?? '');
    await world.settles(panel, 2);
    expect({ told: sentText(1).includes(note), ended: ended(panel) }).toEqual({ told: false, ended: 'complete stop' });
  });
});

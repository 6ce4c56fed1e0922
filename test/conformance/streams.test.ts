import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock';
import { httpChatModel } from '../../src/models/http/httpChatModel';
import { loopbackPolicy } from '../../src/models/http/requestRunner';
import type { Transport, TransportEnd } from '../../src/models/transport';
import { account, sound } from '../support/account';
import { askUntil, ended, sent, worldPerTest } from '../support/conformance';
import { dropsBeforeAnswering, refuses, reply } from '../support/modelServer';

const { create } = worldPerTest();
const impatient = { backoffMs: 1 };

describe.each(['openai', 'anthropic'] as const)('a stream, over the %s protocol', (protocol) => {
  it('B160 that dropped after text is never treated as a finished answer, and not requested again automatically', async () => {
    const world = await create({ protocol, continuesBroken: false });
    world.server.script(reply().says('a hundred characters of an answer '.repeat(3), { in: 10 }).drops());
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    expect({
      ended: ended(panel),
      requests: world.server.requests.length,
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      ended: 'interrupted connectionLost network',
      requests: 1,
      ...sound,
      stored: ['user: go', `assistant: ${'a hundred characters of an answer '.repeat(3)}`],
    });
  });

  it('B160 that dropped after text is continued once: what was shown stays, is not repeated, and is stored as one answer', async () => {
    const world = await create({ protocol });
    const begun = 'a hundred characters of an answer '.repeat(3);
    world.server.script(reply().says(begun, { in: 10 }).drops(), reply().says('and its end.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    expect({
      ended: ended(panel),
      sentBack: sent(world, 1)[1],
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      ended: 'complete stop network',
      sentBack: `assistant: ${begun}`,
      ...sound,
      stored: ['user: go', `assistant: ${begun}and its end.`],
    });
  });

  it('B160 that ended in order without a finish reason is not treated as a finished answer either', async () => {
    const world = await create({ protocol });
    world.server.script(reply().says('Half an ').endsWithoutFinish());
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    const { stored, missing } = await account(world, panel, sessionId);
    expect({ outcome: panel.settled[0]?.turn.outcome, stored, missing }).toEqual({
      outcome: 'interrupted',
      stored: ['user: go', 'assistant: Half an '],
      missing: [],
    });
  });

  it('B161 that dropped before its first character is requested again', async () => {
    const world = await create({ protocol, policy: impatient });
    world.server.script(dropsBeforeAnswering(), reply().drops(), reply().says('Here.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    expect({
      requests: world.server.requests.length,
      ended: ended(panel),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      requests: 3,
      ended: 'complete stop',
      ...sound,
      stored: ['user: go', 'assistant: Here.'],
    });
  });

  it('B161 that never has a first character fails with a sentence, and no tool runs a second time', async () => {
    const world = await create({ protocol, policy: impatient });
    const dead = reply().drops();
    world.server.script(reply().calls('list_directory', { path: 'nowhere' }), dead, dead, dead);
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    const { stored } = await account(world, panel, sessionId);
    expect({
      ended: ended(panel),
      says: panel.settled[0]?.turn.failure?.sentence !== '',
      results: stored.filter((line) => line.startsWith('tool')).length,
    }).toEqual({
      ended: 'failed error network',
      says: true,
      results: 1,
    });
  });

  it('B163 that continues with text already delivered ends there: one copy, and nothing of the continuation request is stored', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('All that there is to say').finishes('length'),
      reply().says('All that there is to say').finishes('length'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect({
      requests: world.server.requests.length,
      ended: ended(panel),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      requests: 2,
      ended: 'complete length',
      ...sound,
      stored: ['user: Well?', 'assistant: All that there is to say'],
    });
  });

  it('B163 that continues with a row like the one before it keeps both', async () => {
    const world = await create({ protocol });
    const row = '{"kind": "entry", "value": "the default one"},\n';
    world.server.script(reply().says(`[\n${row}${row}`).finishes('length'), reply().says(`${row}]`));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'List.');
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: ['user: List.', `assistant: [\n${row.repeat(3)}]`],
    });
  });

  it('B163 that is requested again for a broken call repeats no text, and half a call never runs', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('I look at the folder.').beginsCall('list_directory', '{"path": "no').drops(),
      reply().says('I look at the folder.').calls('list_directory', { path: 'nowhere' }),
      reply().says('Nothing.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'look');
    expect(await account(world, panel, sessionId)).toEqual({
      ...sound,
      stored: [
        'user: look',
        'assistant: I look at the folder. [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant: Nothing.',
      ],
    });
  });

  it('B163 whose attempt was abandoned adds nothing to the one that replaced it', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('one two').beginsCall('list_directory', '{"path": "no').drops(),
      reply().says('one two three').calls('list_directory', { path: 'nowhere' }),
      reply().says('Done.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'count');
    const { stored, missing } = await account(world, panel, sessionId);
    expect({ answer: stored[1], shown: panel.delivered[0]?.text, missing }).toEqual({
      answer: 'assistant: one two three [list_directory {"path":"nowhere"}]',
      shown: 'one two three',
      missing: [],
    });
  });

  it('B166 whose text is recovered is shown once, then its end', async () => {
    const world = await create({ protocol });
    world.server.script(reply().says('Recovered words.', { in: 5 }).drops());
    const panel = world.surface();
    await world.ask(panel, 'go');
    const kinds = panel.turnEvents.map(({ kind }) => kind);
    expect({
      shown: panel.deliveredText,
      last: kinds.at(-1),
      afterEnd: kinds.lastIndexOf('delivered') < kinds.indexOf('turnSettled'),
    }).toEqual({ shown: 'Recovered words.', last: 'turnSettled', afterEnd: true });
  });

  it('B167 is filtered before it is stored and shown, not after: thinking in tags and recalled memory, however it is cut', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().says('<think>Let me\nsee.</think>\n\nYes.\n<memory-context>\nold notes\n</memory-context>\nDone.', {
        in: 3,
      }),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect({ shown: panel.deliveredText, ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'Let me\nsee.Yes.\nDone.',
      ...sound,
      stored: ['user: Well?', 'assistant: <Let me\nsee.> Yes.\nDone.'],
    });
  });

  it('B168 that was cut off reports it beside the answer: the sentence belongs to the turn, the row holds only what was said', async () => {
    const world = await create({ protocol, continuesBroken: false });
    world.server.script(reply().says('Half an ').drops(), reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    const failure = panel.settled[0]?.turn.failure;
    await world.ask(panel, 'next');
    expect({
      said: failure !== null && failure !== undefined && failure.sentence.length > 20,
      sentBack: sent(world, 1)[1],
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      said: true,
      sentBack: 'assistant: Half an ',
      ...sound,
      stored: ['user: go', 'assistant: Half an ', 'user: next', 'assistant: ok'],
    });
  });

  it('B134 from a service that refuses returned reasoning is requested again without it; no stored row or signature changes', async () => {
    const world = await create({ protocol });
    world.server.script(
      reply().thinks('Hm.').says('Looking.').calls('list_directory', { path: 'nowhere' }),
      refuses(400, { message: 'Invalid signature in thinking block' }),
      reply().says('Two.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    expect({
      sent: world.server.requests.map(({ body }) => JSON.stringify(body).includes('Hm.')),
      kept: world.query("SELECT parts FROM messages WHERE role = 'assistant' ORDER BY position")[0]?.['parts'],
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      sent: [false, true, false],
      kept: expect.stringContaining(protocol === 'anthropic' ? '"signature":"' : '"field":"reasoning_content"'),
      ...sound,
      stored: [
        'user: q1',
        expect.stringMatching(/^assistant: <Hm\.> Looking\. \[list_directory /),
        expect.stringMatching(/^tool: /),
        'assistant: Two.',
      ],
    });
  });

  it('B135 omits what a service refused once from every later request, of this turn and of the next; history keeps it', async () => {
    const world = await create({ protocol });
    const looks = (thought: string) =>
      reply().thinks(thought).says('Looking.').calls('list_directory', { path: 'nowhere' });
    world.server.script(
      looks('First.'),
      refuses(400, { message: 'Invalid signature in thinking block' }),
      looks('Second.'),
      looks('Third.'),
      reply().says('Done.'),
      looks('Fourth.'),
      reply().says('Again.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'q1');
    await world.ask(panel, 'q2');
    const sent = world.server.requests.map(({ body }) =>
      ['First.', 'Second.', 'Third.', 'Fourth.'].filter((thought) => JSON.stringify(body).includes(thought)).join(' '),
    );
    const { stored, ...rest } = await account(world, panel, sessionId);
    expect({ sent, thoughts: stored.flatMap((line) => /<(.*?)>/.exec(line)?.[1] ?? []), ...rest }).toEqual({
      sent: ['', 'First.', '', '', '', '', ''],
      thoughts: ['First.', 'Second.', 'Third.', 'Fourth.'],
      ...sound,
    });
  });
});

/** A model behind a transport of the test's own. */
function modelOver(transport: Transport) {
  return httpChatModel(
    {
      ref: 'Local/rude',
      provider: 'Local',
      id: 'rude',
      label: 'rude',
      destination: 'local',
      contextWindow: null,
      allocatedContext: null,
      tools: true,
      images: false,
      efforts: ['default'],
      price: null,
      warnings: [],
    },
    {
      loadTransports: () => Promise.resolve({ createTransport: () => transport }),
      settings: {
        protocol: 'openai',
        baseUrl: 'http://localhost/v1',
        key: null,
        modelId: 'rude',
        fetch: globalThis.fetch,
      },
      policy: { ...loopbackPolicy, ...impatient },
      clock: systemClock,
      provider: 'Local',
    },
  );
}

const broken: TransportEnd = {
  kind: 'broken',
  fault: { kind: 'network', code: 'ECONNRESET', message: 'reset' },
  usage: null,
  requestId: null,
};
const finished: TransportEnd = {
  kind: 'finished',
  finish: { unified: 'stop', raw: 'stop' },
  toolCalls: [],
  usage: null,
  requestId: null,
};

describe('an abandoned attempt', () => {
  it('adds nothing to the one that replaced it, however late its text arrives', async () => {
    let late: () => void = () => undefined;
    let attempts = 0;
    const model = modelOver({
      send(_request, { emit }) {
        if (++attempts === 1) {
          late = () => emit({ kind: 'text', text: 'stale ' });
          return Promise.resolve(broken);
        }
        emit({ kind: 'text', text: 'fresh ' });
        late();
        emit({ kind: 'text', text: 'words' });
        return Promise.resolve(finished);
      },
    });
    const world = await create({ openModel: () => Promise.resolve(model) });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    expect({ shown: panel.deliveredText, ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'fresh words',
      ...sound,
      stored: ['user: go', 'assistant: fresh words'],
    });
  });

  it('B11 adds nothing after a stop either', async () => {
    const model = modelOver({
      async send(_request, { emit, signal }) {
        emit({ kind: 'text', text: 'one ' });
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        emit({ kind: 'text', text: 'late' });
        return finished;
      },
    });
    const world = await create({ openModel: () => Promise.resolve(model) });
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one ');
    await world.gateway.stop(sessionId);
    expect({ shown: panel.deliveredText, ended: ended(panel), ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'one ',
      ended: 'interrupted user',
      ...sound,
      stored: ['user: count', 'assistant: one '],
    });
  });

  it('B11 does not show after a stop the text held back before it because it could have become a tag', async () => {
    const world = await create();
    world.server.script(reply().says('one\n<thi', { in: 'whole' }).hangs());
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one\n');
    await world.gateway.stop(sessionId);
    expect({ shown: panel.deliveredText, ended: ended(panel), ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'one\n',
      ended: 'interrupted user',
      ...sound,
      stored: ['user: count', 'assistant: one\n'],
    });
  });
});

import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock';
import { httpChatModel } from '../../src/models/catalog/endpointProvider';
import { loopbackPolicy } from '../../src/models/http/requestRunner';
import type { Transport, TransportEnd } from '../../src/models/transport';
import { account, sound } from '../support/account';
import { modelInfo } from '../support/builders/chatModel';
import { askUntil, ended, outcomeOf, sent, worldPerTest } from '../support/conformance';
import { dropsBeforeAnswering, refuses, reply } from '../support/modelServer';

const { create } = worldPerTest();
const impatient = { backoffMs: 1 };
const hundred = 'a hundred characters of an answer '.repeat(3);

describe.each(['openai', 'anthropic'] as const)('a stream, over the %s protocol', (protocol) => {
  it('that dropped after text is never treated as a finished answer, nor requested again by itself; its text is shown once, then the end, and the sentence about it is of the turn alone (B07 B160 B166 B168)', async () => {
    const world = await create({ protocol, continuesBroken: false });
    world.server.script(reply().says(hundred, { in: 10 }).drops(), reply().says('ok'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'go');
    const first = [ended(panel), world.server.requests.length, panel.turnEvents.at(-1)?.kind];
    const { sentence = '' } = panel.settled[0]?.turn.failure ?? {};
    await world.ask(panel, 'next');
    expect({ first, sentence, sentBack: sent(world, 1)[1], ...(await account(world, panel, sessionId)) }).toEqual({
      first: ['interrupted connectionLost network', 1, 'turnSettled'],
      sentence: 'The connection to Local was lost. Everything shown is saved. Continue or retry.',
      sentBack: `assistant: ${hundred}`,
      ...sound,
      stored: ['user: go', `assistant: ${hundred}`, 'user: next', 'assistant: ok'],
    });
  });

  it('that dropped after text is continued once: what was shown stays, is not repeated, and is stored as one answer (B160)', async () => {
    const world = await create({ protocol });
    const came = await outcomeOf(world, 'go', reply().says(hundred, { in: 10 }).drops(), reply().says('and its end.'));
    expect({ sentBack: sent(world, 1)[1], ...came }).toEqual({
      sentBack: `assistant: ${hundred}`,
      ended: 'complete stop network',
      requests: 2,
      ...sound,
      stored: ['user: go', `assistant: ${hundred}and its end.`],
    });
  });

  it('that ended in order without a finish reason is not treated as a finished answer either (B160)', async () => {
    const world = await create({ protocol, continuesBroken: false });
    expect(await outcomeOf(world, 'go', reply().says('Half an ').endsWithoutFinish())).toEqual({
      ended: 'interrupted connectionLost network',
      requests: 1,
      ...sound,
      stored: ['user: go', 'assistant: Half an '],
    });
  });

  it('that dropped before its first character is requested again (B161)', async () => {
    const world = await create({ protocol, policy: impatient });
    expect(await outcomeOf(world, 'go', dropsBeforeAnswering(), reply().drops(), reply().says('Here.'))).toEqual({
      ended: 'complete stop',
      requests: 3,
      ...sound,
      stored: ['user: go', 'assistant: Here.'],
    });
  });

  it('that never has a first character fails with a sentence, and no tool runs a second time (B161)', async () => {
    const world = await create({ protocol, policy: impatient });
    const dead = reply().drops();
    const { ended: how, stored } = await outcomeOf(
      world,
      'go',
      reply().calls('list_directory', { path: 'nowhere' }),
      ...[dead, dead, dead],
    );
    expect([how, stored.filter((line) => line.startsWith('tool')).length]).toEqual(['failed error network', 1]);
  });

  it('that continues with text already delivered ends there: one copy, and nothing of the continuation request is stored (B163)', async () => {
    const cut = reply().says('All that there is to say').finishes('length');
    expect(await outcomeOf(await create({ protocol }), 'Well?', cut, cut)).toEqual({
      ended: 'complete length',
      requests: 2,
      ...sound,
      stored: ['user: Well?', 'assistant: All that there is to say'],
    });
  });

  it('that continues with a row like the one before it keeps both (B163)', async () => {
    const row = '{"kind": "entry", "value": "the default one"},\n';
    const script = [reply().says(`[\n${row}${row}`).finishes('length'), reply().says(`${row}]`)];
    const { stored } = await outcomeOf(await create({ protocol }), 'List.', ...script);
    expect(stored).toEqual(['user: List.', `assistant: [\n${row.repeat(3)}]`]);
  });

  it('that is requested again for a broken call repeats no text and adds none of the abandoned attempt, and half a call never runs (B163)', async () => {
    const script = [
      reply().says('I look at it').beginsCall('list_directory', '{"path": "no').drops(),
      reply().says('I look at it now.').calls('list_directory', { path: 'nowhere' }),
      reply().says('Nothing.'),
    ];
    expect(await outcomeOf(await create({ protocol }), 'look', ...script)).toEqual({
      ended: 'complete stop',
      requests: 3,
      ...sound,
      stored: [
        'user: look',
        'assistant: I look at it now. [list_directory {"path":"nowhere"}]',
        'tool: failed: There is no file or folder at nowhere.',
        'assistant: Nothing.',
      ],
    });
  });

  it('is filtered before it is stored and shown, not after: thinking in tags and recalled memory, however it is cut (B167)', async () => {
    const text = '<think>Let me\nsee.</think>\n\nYes.\n<memory-context>\nold notes\n</memory-context>\nDone.';
    expect(await outcomeOf(await create({ protocol }), 'Well?', reply().says(text, { in: 3 }))).toMatchObject({
      ...sound,
      stored: ['user: Well?', 'assistant: <Let me\nsee.> Yes.\nDone.'],
    });
  });

  it('from a service that refuses returned reasoning is requested again without it; no stored row or signature changes (B134)', async () => {
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

  it('omits what a service refused once from every later request, of this turn and of the next; history keeps it (B135)', async () => {
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
  return httpChatModel(modelInfo({ id: 'rude' }), {
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
  });
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

  it('adds nothing after a stop either (B11)', async () => {
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
    await world.gateway.turns.stop(sessionId);
    expect({ shown: panel.deliveredText, ended: ended(panel), ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'one ',
      ended: 'interrupted user',
      ...sound,
      stored: ['user: count', 'assistant: one '],
    });
  });

  it('does not show after a stop the text held back before it because it could have become a tag (B11)', async () => {
    const world = await create();
    world.server.script(reply().says('one\n<thi', { in: 'whole' }).hangs());
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'count', 'one\n');
    await world.gateway.turns.stop(sessionId);
    expect({ shown: panel.deliveredText, ended: ended(panel), ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'one\n',
      ended: 'interrupted user',
      ...sound,
      stored: ['user: count', 'assistant: one\n'],
    });
  });
});

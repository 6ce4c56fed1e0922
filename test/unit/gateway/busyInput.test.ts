import { writeFileSync } from 'node:fs';
import * as path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { BusyMode, SubmitReceipt } from '../../../src/gateway/gateway';
import type { QueuedPrompt } from '../../../src/transcript/session';
import { refuses, reply, type Scripted } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';
import { gate, askUntil, resumed } from '../../support/conformance';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => {
  world = await World.create(options);
  writeFileSync(path.join(world.folder, 'note.txt'), 'the note');
  return world;
};
afterEach(() => world.close());

/** A turn that has said “one ” and goes no further, and what the model says afterwards. */
async function running(...afterwards: readonly Scripted[]) {
  await create();
  world.server.script(reply().says('one ').hangs(), ...afterwards);
  const panel = world.surface();
  return { panel, ...(await askUntil(world, panel, 'first', 'one ')) };
}

const busySend = (panel: RecordingSurface, text: string, busy: BusyMode): Promise<SubmitReceipt> =>
  world.gateway.intake.submit(panel.id, {
    sessionId: world.gateway.surfaces.shownSession(panel.id),
    uid: `${busy}: ${text}`,
    text,
    busy,
  });
const queueOf = async (sessionId: string): Promise<readonly string[]> =>
  (await world.store.queue(sessionId)).map(({ text }) => text);
const endings = (panel: RecordingSurface): readonly string[] => panel.settled.map(({ turn }) => turn.stopReason);
const steered = (text: string): string =>
  `(The following is not part of the tool's output. The person wrote it while you were working; ` +
  `take it into account from here on.)\n${text}`;
const refused = (): number => world.server.requests.filter((request) => request.rejection !== null).length;

describe('a prompt that interrupts', () => {
  it('stops the running turn and is next; queued prompts continue after its answer, in order', async () => {
    const { panel, sessionId } = await running(reply().says('now'), reply().says('two'), reply().says('three'));
    await world.send(panel, 'second');
    await world.send(panel, 'third');
    const receipt = await busySend(panel, 'urgent', 'interrupt');
    await world.settles(panel, 4);
    expect({
      receipt: receipt.kind === 'queued' && receipt.queue.map(({ text }) => text),
      lines: await world.lines(sessionId),
      endings: endings(panel),
      queue: await queueOf(sessionId),
      refused: refused(),
    }).toEqual({
      receipt: ['urgent', 'second', 'third'],
      lines: [
        'user: first',
        'assistant: one ',
        'user: urgent',
        'assistant: now',
        'user: second',
        'assistant: two',
        'user: third',
        'assistant: three',
      ],
      endings: ['newPrompt', 'stop', 'stop', 'stop'],
      queue: [],
      refused: 0,
    });
  });

  it('is the only one that runs after the turn it stopped: if it fails itself, the rest waits for the user', async () => {
    const { panel, sessionId } = await running(refuses(400, { message: 'no' }));
    await world.send(panel, 'second');
    await busySend(panel, 'urgent', 'interrupt');
    await world.settles(panel, 2);
    expect({
      endings: endings(panel),
      queue: await queueOf(sessionId),
      requests: world.server.requests.length,
    }).toEqual({
      endings: ['newPrompt', 'error'],
      queue: ['second'],
      requests: 2,
    });
  });

  it('is answered when several are sent at once, each in the order it was sent', async () => {
    const { server } = await create();
    server.script(reply().says('one ').hangs());
    server.otherwise(reply().says('answer'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'one ');
    await Promise.all([busySend(panel, 'a', 'interrupt'), busySend(panel, 'b', 'interrupt')]);
    await world.settles(panel, 3);
    expect(await world.lines(sessionId)).toEqual([
      'user: first',
      'assistant: one ',
      'user: a',
      'assistant: answer',
      'user: b',
      'assistant: answer',
    ]);
  });

  it('is stored before anything is stopped: after a crash in between, it waits for the user at the next start', async () => {
    const { panel, sessionId } = await running(reply().says('now'));
    world.failing(['settleTurn']);
    await busySend(panel, 'urgent', 'interrupt');
    await panel.untilSettled(1);
    await world.crash();
    const next = await resumed(world, sessionId);
    await world.gateway.queue.resume();
    const waiting = [
      await queueOf(sessionId),
      (await world.gateway.snapshot(sessionId, 10)).page.turns.map(
        (turn) => turn.state === 'settled' && turn.stopReason,
      ),
    ];
    await world.gateway.queue.promote((await world.store.queue(sessionId))[0]?.uid ?? '');
    await world.settles(next, 1);
    expect({ waiting, lines: await world.lines(sessionId) }).toEqual({
      waiting: [['urgent'], ['crash']],
      lines: ['user: first', 'assistant: one ', 'user: urgent', 'assistant: now'],
    });
  });

  it('is not stopped by a late stop, nor is the turn after it', async () => {
    const { server } = await create();
    const held = gate();
    server.script(
      reply().says('one ').hangs(),
      reply().says('now ').waitsFor(held.opened).says('done'),
      reply().says('after'),
    );
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'one ');
    const stopping = world.gateway.turns.stop(sessionId);
    await busySend(panel, 'urgent', 'interrupt');
    await stopping;
    await panel.until(() => panel.deliveredText === 'one now ');
    held.open();
    await world.settles(panel, 2);
    await world.gateway.turns.stop(sessionId);
    await world.ask(panel, 'next');
    expect({ endings: endings(panel), lines: await world.lines(sessionId) }).toEqual({
      endings: ['user', 'stop', 'stop'],
      lines: [
        'user: first',
        'assistant: one ',
        'user: urgent',
        'assistant: now done',
        'user: next',
        'assistant: after',
      ],
    });
  });

  it('is not stopped by a stop that was meant for the turn before it', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().says('one ').hangs(), reply().says('now ').waitsFor(held.opened).says('done'));
    const panel = world.surface();
    const { sessionId, ...first } = await askUntil(world, panel, 'first', 'one ');
    await busySend(panel, 'urgent', 'interrupt');
    await panel.until(() => panel.deliveredText === 'one now ');
    await world.gateway.turns.stop(sessionId, first.kind === 'started' ? first.turnUid : '');
    held.open();
    await world.settles(panel, 2);
    expect([endings(panel), await world.lines(sessionId)]).toEqual([
      ['newPrompt', 'stop'],
      ['user: first', 'assistant: one ', 'user: urgent', 'assistant: now done'],
    ]);
  });

  it('waits for the user if the user also stops the turn that it stops', async () => {
    const { panel, sessionId } = await running(reply().says('never'));
    const mend = world.failing(['settleTurn']);
    await busySend(panel, 'urgent', 'interrupt');
    const stopping = world.gateway.turns.stop(sessionId);
    await panel.untilSettled(1);
    mend();
    await stopping;
    await world.idle();
    expect([await queueOf(sessionId), world.server.requests.length]).toEqual([['urgent'], 1]);
  });

  it('is what Enter sends if the setting says so', async () => {
    const { server } = await create({ busyMode: 'interrupt' });
    server.script(reply().says('one ').hangs(), reply().says('now'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'one ');
    await world.send(panel, 'urgent');
    await world.settles(panel, 2);
    expect(await world.lines(sessionId)).toEqual(['user: first', 'assistant: one ', 'user: urgent', 'assistant: now']);
  });

  it('starts at once if nothing runs', async () => {
    const { server } = await create();
    server.script(reply().says('one'), reply().says('two'));
    const panel = world.surface();
    const first = await busySend(panel, 'first', 'interrupt');
    await world.idle();
    await busySend(panel, 'second', 'steer');
    await world.idle();
    expect([first.kind, await world.lines(first.sessionId)]).toEqual([
      'started',
      ['user: first', 'assistant: one', 'user: second', 'assistant: two'],
    ]);
  });
});

describe.each(['openai', 'anthropic'] as const)('a prompt that steers (%s)', (protocol) => {
  it('reaches the running turn with its next tool results, appears in the transcript at that point, and is sent unchanged again', async () => {
    const { server } = await create({ protocol });
    const held = gate();
    server.script(
      reply().says('I look.').waitsFor(held.opened).calls('read_file', { path: 'note.txt' }, { id: 'a' }),
      reply().says('Seen.'),
      reply().says('Yes.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'look');
    await panel.until(() => panel.deliveredText.startsWith('I look.'));
    await busySend(panel, 'only the title', 'steer');
    await busySend(panel, 'in German', 'steer');
    const whileRunning = await queueOf(sessionId);
    held.open();
    await world.settles(panel, 1);
    await world.ask(panel, 'thanks');
    const told = server.requests.slice(1).map(({ outline }) => outline.filter((line) => line.startsWith('tool')));
    const result =
      (await world.rows(sessionId)).flatMap(({ parts }) =>
        parts.flatMap((part) => (part.kind === 'toolResult' ? [part.text] : [])),
      )[0] ?? '';
    expect({
      whileRunning,
      queue: await queueOf(sessionId),
      lines: await world.lines(sessionId),
      told,
      refused: refused(),
      turns: panel.settled.length,
    }).toEqual({
      whileRunning: ['only the title', 'in German'],
      queue: [],
      lines: [
        'user: look',
        'assistant: I look. [read_file {"path":"note.txt"}]',
        `tool: done: ${result}`,
        'user: only the title',
        'user: in German',
        'assistant: Seen.',
        'user: thanks',
        'assistant: Yes.',
      ],
      told: [
        [`tool a: ${result}\n\n${steered('only the title')}\n\n${steered('in German')}`],
        [`tool a: ${result}\n\n${steered('only the title')}\n\n${steered('in German')}`],
      ],
      refused: 0,
      turns: 2,
    });
  });
});

describe('a prompt that steers', () => {
  it('is the next prompt, before queued ones, if the turn makes no further request', async () => {
    const { server } = await create();
    const held = gate();
    server.script(reply().says('one ').waitsFor(held.opened).says('done'));
    server.otherwise(reply().says('answer'));
    const panel = world.surface();
    const { sessionId } = await askUntil(world, panel, 'first', 'one ');
    await world.send(panel, 'second');
    await busySend(panel, 'also this', 'steer');
    await busySend(panel, 'and this', 'steer');
    held.open();
    await world.settles(panel, 4);
    expect(await world.lines(sessionId)).toEqual([
      'user: first',
      'assistant: one done',
      'user: also this',
      'assistant: answer',
      'user: and this',
      'assistant: answer',
      'user: second',
      'assistant: answer',
    ]);
  });

  it('is marked in the queue as the next step of the running turn, also for a page that loads, until that turn ends', async () => {
    const { panel, sessionId } = await running();
    await world.send(panel, 'second');
    const receipt = await busySend(panel, 'also this', 'steer');
    const marked = (queue: readonly QueuedPrompt[] | undefined) =>
      queue?.map(({ text, isNextStep }) => `${text}${isNextStep === true ? ' (next step)' : ''}`);
    const lastQueue = () => marked(panel.sessionEvents.findLast((event) => event.kind === 'queueChanged')?.queue);
    const during = [
      receipt.kind === 'queued' && marked(receipt.queue),
      lastQueue(),
      marked((await world.gateway.snapshot(sessionId, 10)).queue),
    ];
    await world.gateway.turns.stop(sessionId);
    await world.idle();
    const next = ['also this (next step)', 'second'];
    expect([...during, lastQueue()]).toEqual([next, next, next, ['also this', 'second']]);
  });

  it('stays queued for the user when the turn is stopped, and when the process is killed', async () => {
    const { panel, sessionId } = await running(reply().says('two ').hangs());
    await busySend(panel, 'also this', 'steer');
    await world.gateway.turns.stop(sessionId);
    await world.idle();
    const stopped = await queueOf(sessionId);
    await world.send(panel, 'second');
    await panel.until(() => panel.deliveredText === 'one two ');
    await busySend(panel, 'and this', 'steer');
    await world.crash();
    expect([stopped, await queueOf(sessionId), world.server.requests.length]).toEqual([
      ['also this'],
      ['and this', 'also this'],
      2,
    ]);
  });

  it('is delivered as the user changed it before delivery, and not delivered if the user takes it back', async () => {
    const { server } = await create();
    const held = gate();
    server.script(
      reply().waitsFor(held.opened).calls('read_file', { path: 'note.txt' }, { id: 'a' }),
      reply().says('Seen.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'look');
    await busySend(panel, 'draft', 'steer');
    await busySend(panel, 'never', 'steer');
    await world.gateway.queue.edit('steer: draft', 'final');
    await world.gateway.queue.remove('steer: never');
    held.open();
    await world.settles(panel, 1);
    const said = (await world.lines(sessionId)).filter((line) => line.startsWith('user'));
    const lastQueue = panel.sessionEvents.findLast((event) => event.kind === 'queueChanged');
    expect([
      said,
      lastQueue?.queue,
      panel.turnEvents.filter((event) => event.kind === 'messageStored' && event.message.role === 'user').length,
    ]).toEqual([['user: look', 'user: final'], [], 1]);
  });

  it('is stored and shown once however often it is submitted, before and after delivery', async () => {
    const { server } = await create();
    const held = gate();
    server.script(
      reply().waitsFor(held.opened).calls('read_file', { path: 'note.txt' }, { id: 'a' }),
      reply().calls('read_file', { path: 'note.txt' }, { id: 'b' }),
      reply().says('Seen.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'look');
    await busySend(panel, 'title', 'steer');
    await busySend(panel, 'title', 'steer');
    held.open();
    await world.settles(panel, 1);
    const receipt = await busySend(panel, 'title', 'steer');
    const shown = panel.turnEvents.filter(
      (event) => event.kind === 'messageStored' && event.message.role === 'user',
    ).length;
    expect([shown, receipt.kind, (await world.lines(sessionId)).filter((line) => line.startsWith('user'))]).toEqual([
      1,
      'started',
      ['user: look', 'user: title'],
    ]);
  });
});

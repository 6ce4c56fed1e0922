import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { retriesOfACall } from '../../../src/store/ownership/storeCalls';
import { StoreError } from '../../../src/store/storeError';
import { ended, gate, sent, askUntil } from '../../support/conformance';
import { refuses, type Reply, reply } from '../../support/modelServer';
import type { RecordingSurface } from '../../support/recordingSurface';
import { World, type WorldOptions } from '../../support/world';

let world: World;
afterEach(() => world.close());

/** A model that takes 4000 tokens, and files of which four fill it. */
const create = (options: WorldOptions = {}): Promise<World> => createSilent({ contextWindow: 4000, ...options });

/** The same with a model that does not say how much it takes. */
const createSilent = async (options: WorldOptions = {}): Promise<World> => {
  world = await World.create(options);
  for (const name of ['a', 'b', 'c', 'd'])
    writeFileSync(join(world.folder, `${name}.txt`), `file ${name}: ${'the parser reads tokens. '.repeat(160)}`);
  return world;
};

const summary = '## Goal\nRead every file.\n## Done\na.txt and b.txt speak of a parser.';
const reads = (name: string, input: number): Reply =>
  reply()
    .calls('read_file', { path: `${name}.txt` }, { id: `call-${name}` })
    .uses({ input, output: 10 });
/** Three files are read; the request for the third one filled the context. */
const fillsUp = () => [reads('a', 900), reads('b', 2000), reads('c', 3300)];
const tooLong = () => refuses(400, { message: "This model's maximum context length is 4096 tokens." });
const activities = (panel: RecordingSurface) =>
  panel.turnEvents.flatMap((event) => (event.kind === 'activity' ? [event.activity.kind] : []));
const refused = () => world.server.requests.flatMap(({ rejection }) => rejection ?? []);
/** The rows of the whole conversation, carried ones left out: role, what stands out of it, and the visibility
 *  where it is not shown. */
const rows = async (sessionId: string) =>
  (await world.store.readTranscript({ sessionId, limit: 100, includeHidden: true })).messages.map(
    ({ role, visibility, parts }) => {
      const said = parts
        .map((part) =>
          part.kind === 'text'
            ? part.text
            : part.kind === 'toolCall' || part.kind === 'toolResult'
              ? part.callId
              : part.kind,
        )
        .join(' ');
      return (
        `${role}${visibility.kind === 'shown' ? '' : ` (${visibility.kind})`}: ` +
        `${visibility.kind === 'handoff' ? '…' : said}`
      );
    },
  );

describe.each(['openai', 'anthropic'] as const)('a turn that fills the context (%s)', (protocol) => {
  it('is compressed between two of its requests and continues in the child: prompt and latest step stay, and everything follows', async () => {
    await create({ protocol });
    world.server.script(
      ...fillsUp(),
      reply().says(summary),
      reply().says('All read.'),
      reply().says('You are welcome.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Read every file.');
    const tip = await world.store.conversationTip(sessionId);
    const last = sent(world, 4);
    await world.ask(panel, 'Thanks.');
    const name = (text: string): string => text.replaceAll(tip, 'child').replaceAll(sessionId, 'parent');
    expect({
      ended: panel.settled.map(({ turn }) => name(`${turn.outcome} in ${turn.sessionId}`)),
      shown: name(String(world.gateway.surfaces.shownSession(panel.id))),
      activity: activities(panel).includes('compressing'),
      rows: await rows(sessionId),
      sent: last.map((line) => line.slice(0, 24)),
      summarised: {
        told: last.some((line) => line.includes('speak of a parser')),
        gone: !last.some((line) => line.includes('file b:')),
      },
      next: sent(world, 5).length,
      memory: world.memoryLog.map((line) => name(line).slice(0, 36)),
      list: (await world.gateway.store.listSessions({ limit: 10 })).map(
        ({ id, turnCount }) => `${name(id)} ${turnCount}`,
      ),
      delivered: panel.delivered.map(({ text }) => text),
      refused: refused(),
      problems: await world.store.verifyIntegrity(),
      backfills: world.logLines.filter((line) => line.includes('Backfill')),
    }).toEqual({
      ended: ['complete in child', 'complete in child'],
      shown: 'child',
      activity: true,
      rows: [
        'user: Read every file.',
        'assistant: call-a',
        'tool: call-a',
        'assistant: call-b',
        'tool: call-b',
        'assistant: call-c',
        'tool: call-c',
        'user (handoff): …',
        'assistant: All read.',
        'user: Thanks.',
        'assistant: You are welcome.',
      ],
      sent: [
        expect.stringContaining('user: (Summary of the'),
        'user: Read every file.',
        expect.stringContaining('assistant: calls'),
        expect.stringContaining('tool call-c'),
      ],
      summarised: { told: true, gone: true },
      next: 6,
      memory: [
        'initialize parent',
        'switch child compression parent pare',
        'sync child: Read every file. -> All ',
        'sync child: Thanks. -> You are welco',
      ],
      list: ['child 2'],
      delivered: ['All read.', 'You are welcome.'],
      refused: [],
      problems: [],
      backfills: [],
    });
  });

  it('is compressed once when a request in its middle is refused as too long', async () => {
    await createSilent({ protocol });
    world.server.script(
      reads('a', 900),
      reads('b', 2000),
      reads('c', 2800),
      reads('d', 3000),
      tooLong(),
      reply().says(summary),
      reply().says('All read.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Read every file.');
    expect({
      ended: ended(panel),
      rows: (await rows(sessionId)).slice(-4),
      refused: refused(),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      ended: 'complete stop',
      rows: ['assistant: call-d', 'tool: call-d', 'user (handoff): …', 'assistant: All read.'],
      refused: [],
      problems: [],
    });
  });

  it('fails if the request is refused again after the compression: it does not retry endlessly', async () => {
    await createSilent({ protocol });
    world.server.script(
      reads('a', 900),
      reads('b', 2000),
      reads('c', 2800),
      tooLong(),
      reply().says(summary),
      tooLong(),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Read every file.');
    const failed = ended(panel);
    world.server.script(reply().says('Here.'));
    await world.ask(panel, 'Are you there?');
    expect({
      failed,
      now: ended(panel),
      requests: world.server.requests.length,
      refused: refused(),
      problems: await world.store.verifyIntegrity(),
      last: (await rows(sessionId)).at(-1),
    }).toEqual({
      failed: 'failed error context',
      now: 'complete stop',
      requests: 7,
      refused: [],
      problems: [],
      last: 'assistant: Here.',
    });
  });

  it('carries over steering that arrives during summarization, and the prompts queued after it', async () => {
    await create({ protocol });
    const held = gate();
    world.server.script(
      ...fillsUp(),
      reply().waitsFor(held.opened).says(summary),
      reads('d', 1500),
      reply().says('All read.'),
      reply().says('Later.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'Read every file.');
    await world.server.request(3);
    const snapshot = await world.gateway.snapshot(sessionId, 10);
    await world.gateway.intake.submit(panel.id, { sessionId, uid: 'steer', text: 'briefly', busy: 'steer' });
    await world.gateway.intake.submit(panel.id, { sessionId, uid: 'queued', text: 'And then?', busy: 'queue' });
    held.open();
    await world.settles(panel, 2);
    const told = panel.sessionEvents.flatMap((event) =>
      event.kind === 'queueChanged'
        ? [`${event.sessionId === sessionId ? 'parent' : 'child'}: ${event.queue.map(({ uid }) => uid).join(' ')}`]
        : [],
    );
    expect({
      activity: snapshot.activity?.kind,
      rows: (await rows(sessionId)).slice(7),
      told,
      refused: refused(),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      activity: 'compressing',
      rows: [
        'user (handoff): …',
        'assistant: call-d',
        'tool: call-d',
        'user: briefly',
        'assistant: All read.',
        'user: And then?',
        'assistant: Later.',
      ],
      told: ['parent: steer', 'parent: steer queued', 'child: queued', 'child: '],
      refused: [],
      problems: [],
    });
  });

  it('stays unchanged after a stop during summarization', async () => {
    await create({ protocol });
    world.server.script(...fillsUp(), reply().hangs());
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'Read every file.');
    await world.server.request(3);
    await world.gateway.turns.stop(sessionId);
    expect({
      ended: ended(panel),
      tip: await world.store.conversationTip(sessionId),
      sessions: world.query('SELECT id FROM sessions').length,
      rows: (await rows(sessionId)).slice(-2),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      ended: 'interrupted user',
      tip: sessionId,
      sessions: 1,
      rows: ['tool: call-c', expect.stringContaining('assistant (closing)')],
      problems: [],
    });
  });

  it('is whole after the process died during summarization, and after it', async () => {
    await create({ protocol });
    world.server.script(...fillsUp(), reply().hangs());
    const { sessionId } = await world.send(world.surface(), 'Read every file.');
    await world.server.request(3);
    await world.crash();
    const during = {
      tip: await world.store.conversationTip(sessionId),
      rows: (await rows(sessionId)).slice(-2),
      problems: await world.store.verifyIntegrity(),
    };
    world.server.script(...fillsUp(), reply().says(summary), reply().says('All ').hangs());
    const panel = world.surface();
    const second = await askUntil(world, panel, 'Read every file again.', 'All ');
    await world.crash();
    const turn = second.kind === 'started' ? await world.store.getTurn(second.turnUid) : null;
    const tip = await world.store.conversationTip(second.sessionId);
    expect({
      during,
      rows: (await rows(second.sessionId)).slice(-3),
      turn: turn?.state === 'settled' ? turn.stopReason : null,
      moved: turn?.sessionId === tip && tip !== second.sessionId,
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      during: { tip: sessionId, rows: ['tool: call-c', expect.stringContaining('assistant (closing)')], problems: [] },
      rows: ['tool: call-c', 'user (handoff): …', 'assistant: All '],
      turn: 'crash',
      moved: true,
      problems: [],
    });
  });
});

describe('a turn that fills the context', () => {
  it('is followed by every surface that shows it, and by none that shows another session', async () => {
    await create();
    const held = gate();
    world.server.script(
      ...fillsUp(),
      reply().waitsFor(held.opened).says(summary),
      reply().says('All read.'),
      reply().says('Hello.'),
    );
    const [panel, tab, elsewhere] = [world.surface(), world.surface(), world.surface()];
    const { sessionId } = await world.send(panel, 'Read every file.');
    await world.gateway.switching.switchSession(tab.id, { reason: 'resume', sessionId });
    await world.server.request(3);
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    held.open();
    await world.settles(tab, 1);
    const tip = await world.store.conversationTip(sessionId);
    expect({
      shown: [panel, tab, elsewhere].map(({ id }) => world.gateway.surfaces.shownSession(id)),
      whole: tab.deliveredText,
      leftOut: panel.deliveredText,
      synced: world.memoryLog.filter((line) => line.startsWith('sync')).map((line) => line.includes(tip)),
    }).toEqual({ shown: [null, tip, null], whole: 'All read.', leftOut: '', synced: [true] });
  });

  it('continues unchanged if the child cannot be stored', async () => {
    await create();
    world.server.script(...fillsUp(), reply().says(summary), reply().says('All read.'));
    const panel = world.surface();
    const mend = world.failing(['compressSession']);
    const { sessionId } = await world.ask(panel, 'Read every file.');
    mend();
    expect({
      ended: ended(panel),
      tip: await world.store.conversationTip(sessionId),
      last: (await rows(sessionId)).at(-1),
      told: world.logLines.filter((line) => line.includes('was not compressed')).length,
    }).toEqual({
      ended: 'complete stop',
      tip: sessionId,
      last: 'assistant: All read.',
      told: 1,
    });
  });

  it.each(['before', 'behind'] as const)(
    'stops if the disk is full %s its compression, with all that was shown stored, and goes on once it is not',
    async (where) => {
      await create();
      world.server.script(...fillsUp(), reply().says(summary), reply().says('All read.'));
      const panel = world.surface();
      const writes = ['appendChunks', 'putMessages', 'addUsage', 'settleTurn', 'compressSession', 'repairTranscript'];
      let compressed = false;
      const mend = world.breakStore((method) => {
        const isFull = where === 'before' ? world.server.requests.length >= 3 : compressed;
        compressed ||= method === 'compressSession';
        return isFull && writes.includes(method) ? new StoreError('full', 'The disk is full.', 'full') : null;
      });
      const { sessionId } = await world.send(panel, 'Read every file.');
      await panel.untilSettled(1);
      const during = ended(panel);
      mend();
      world.server.otherwise(reply().says('Good.'));
      const tip = await world.store.conversationTip(sessionId);
      const receipt = await world.send(panel, 'And now?');
      await world.idle();
      expect({
        during,
        receipt: receipt.kind,
        moved: tip !== sessionId,
        shown: world.gateway.surfaces.shownSession(panel.id) === tip,
        last: (await rows(sessionId)).at(-2),
        refused: refused(),
        problems: await world.store.verifyIntegrity(),
      }).toEqual({
        during: 'failed storeFailed full',
        receipt: 'started',
        moved: where === 'behind',
        shown: true,
        last: 'user: And now?',
        refused: [],
        problems: [],
      });
    },
  );

  it('continues in the child if the store created it but could not report so', async () => {
    await create();
    world.server.script(...fillsUp(), reply().says(summary), reply().says('All read.'));
    const panel = world.surface();
    world.failAfter(
      'compressSession',
      retriesOfACall + 1,
      new StoreError('unknown', 'The disk reported a problem.', 'EIO'),
    );
    const { sessionId } = await world.ask(panel, 'Read every file.');
    const tip = await world.store.conversationTip(sessionId);
    expect({
      ended: ended(panel),
      moved: tip !== sessionId && world.gateway.surfaces.shownSession(panel.id) === tip,
      rows: (await rows(sessionId)).slice(-2),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      ended: 'complete stop',
      moved: true,
      rows: ['user (handoff): …', 'assistant: All read.'],
      problems: [],
    });
  });

  it('continues unchanged if the model cannot summarize, and does not ask for a summary with every step', async () => {
    await create();
    world.server.script(
      ...fillsUp(),
      refuses(401, { message: 'no' }),
      reads('d', 3500),
      reads('a', 3600),
      reply().says('All read.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Read every file.');
    expect({
      ended: ended(panel),
      tip: await world.store.conversationTip(sessionId),
      requests: world.server.requests.length,
    }).toEqual({ ended: 'complete stop', tip: sessionId, requests: 7 });
  });

  it('is retried with the steering from before and after its compression', async () => {
    await create();
    const [first, second] = [gate(), gate()];
    world.server.script(
      reads('a', 900).waitsFor(first.opened),
      reads('b', 2000),
      reads('c', 3300),
      reply().waitsFor(second.opened).says(summary),
      reads('d', 1500),
      // As it is, and in plain words.
      refuses(400, { message: 'no' }),
      refuses(400, { message: 'no' }),
      reply().says('All read.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'Read every file.');
    await world.gateway.intake.submit(panel.id, { sessionId, uid: 'early', text: 'briefly', busy: 'steer' });
    first.open();
    await world.server.request(3);
    await world.gateway.intake.submit(panel.id, { sessionId, uid: 'late', text: 'in German', busy: 'steer' });
    second.open();
    await world.settles(panel, 1);
    await world.gateway.versions.retry(panel.id, panel.settled.at(-1)?.turn.uid ?? '');
    await world.settles(panel, 2);
    expect({ ended: ended(panel), prompt: sent(world, -1).at(-1) }).toEqual({
      ended: 'complete stop',
      prompt: 'user: Read every file.\n\nbriefly\n\nin German',
    });
  });
});

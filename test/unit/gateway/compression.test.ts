import { afterEach, describe, expect, it } from 'vitest';
import { ModelError } from '../../../src/models/modelProvider';
import { handoffTokens } from '../../../src/transcript/handoff';
import { gate, long } from '../../support/conformance';
import { sayingModel } from '../../support/builders/chatModel';
import { ManualClock } from '../../support/manualClock';
import { reply } from '../../support/modelServer';
import { RecordingMemory, throwingMemory } from '../../support/recordingMemory';
import { World, type WorldOptions } from '../../support/world';

let world: World;
const create = async (options: WorldOptions = {}): Promise<World> => (world = await World.create(options));
afterEach(() => world.close());

const key = ['sk', 'live', '0123456789abcdefghij'].join('-');

/** Two long answers, of which the last one filled `inputTokens` of the context. */
async function talk(
  inputTokens = 3000,
): Promise<{ readonly panel: ReturnType<World['surface']>; readonly sessionId: string }> {
  world.server.script(
    reply().says(long('first'), { in: 4000 }),
    reply().says(long('second'), { in: 4000 }).uses({ input: inputTokens, output: 10 }),
  );
  const panel = world.surface();
  await world.ask(panel, `What does the parser do? My key is ${key}.`);
  const { sessionId } = await world.ask(panel, 'And the lexer?');
  return { panel, sessionId };
}

const summary = '## Goal\nUnderstand the parser.';
const rejections = () => world.server.requests.map(({ rejection }) => rejection);
const wire = (number: number) => JSON.stringify(world.server.requests[number]?.body);
const uids = async (sessionId: string) =>
  (await world.store.readTranscript({ sessionId, limit: 100 })).messages.map(
    ({ role, visibility }) => `${role} ${visibility.kind}`,
  );

describe.each(['openai', 'anthropic'] as const)('a session compressed over the %s protocol', (protocol) => {
  it('continues as one session: surfaces and memory follow, and the summary is sent in place of what it summarizes', async () => {
    await create({ protocol });
    const { panel, sessionId } = await talk();
    const preview = await world.gateway.compression.preview(sessionId);
    world.server.script(reply().says(summary), reply().says('It makes tokens.'));
    const report = await world.gateway.compression.compress(sessionId, 'the lexer');
    const answered = await world.ask(panel, 'What does it make?');
    const handoff = (await world.store.activeMessages(report.sessionId))[0];
    expect({
      moved: [panel.switches.at(-1), world.gateway.surfaces.shownSession(panel.id), answered.sessionId].map((one) =>
        JSON.stringify(one)?.replace(report.sessionId, 'child'),
      ),
      memory: world.memoryLog.map((line) =>
        line.replace(report.sessionId, 'child').replace(sessionId, 'parent').slice(0, 33),
      ),
      asked: {
        withoutTools: !wire(2).includes('"tools"'),
        focus: wire(2).includes('the lexer'),
        secret: wire(2).includes(key),
      },
      sent: {
        summary: wire(3).includes('Understand the parser.'),
        gone: !wire(3).includes(long('first')),
        kept: wire(3).includes('second: the parser'),
        secret: wire(3).includes(key),
      },
      made: report.madeBy,
      saved:
        report.tokens.after < report.tokens.before / 1.5 && preview !== null && preview.before === report.tokens.before,
      border: handoff === undefined ? null : handoffTokens(handoff),
      rows: await uids(answered.sessionId),
      list: (await world.gateway.store.listSessions({ limit: 10 })).length,
      rejections: rejections(),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({
      moved: ['{"sessionId":"child","reason":"compression"}', '"child"', '"child"'],
      memory: [
        'initialize parent',
        'sync parent: What does the parser',
        'sync parent: And the lexer? -> se',
        'switch child compression parent p',
        'sync child: What does it make? ->',
      ],
      asked: { withoutTools: true, focus: true, secret: false },
      sent: { summary: true, gone: true, kept: true, secret: false },
      made: 'summary',
      saved: true,
      border: report.tokens,
      rows: [
        'user shown',
        'assistant shown',
        'user shown',
        'assistant shown',
        'user handoff',
        'user shown',
        'assistant shown',
      ],
      list: 1,
      rejections: [null, null, null, null],
      problems: [],
    });
  });

  it('counts the request for the summary toward the last turn', async () => {
    await create({ protocol });
    const { panel, sessionId } = await talk();
    const last = panel.settled.at(-1)?.turn;
    world.server.script(reply().says(summary).uses({ input: 1000, output: 100 }));
    await world.gateway.compression.compress(sessionId, null);
    const stored = await world.store.getTurn(last?.uid ?? '');
    const used = (turn: typeof stored | undefined) => [turn?.usage?.inputTokens, turn?.usage?.requests];
    expect([used(last), used(stored)]).toEqual([
      [3000, 1],
      [4000, 2],
    ]);
  });

  it('is compressed before a prompt that arrives when the context is nearly full; the prompt is stored first', async () => {
    await create({ protocol, contextWindow: 4000 });
    const { panel, sessionId } = await talk(3300);
    let waiting: readonly string[] = [];
    world.server.script(() => {
      waiting = world.query('SELECT text FROM queue').map(({ text }) => String(text));
      return reply().says(summary);
    }, reply().says('It makes tokens.'));
    const receipt = await world.send(panel, 'What does it make?');
    await world.settles(panel, 3);
    expect({
      receipt: receipt.kind,
      waiting,
      lines: (await world.lines(sessionId)).slice(4).map((line) => line.slice(0, 34)),
      queue: await world.store.queue(sessionId),
      rejections: rejections(),
    }).toEqual({
      receipt: 'queued',
      waiting: ['What does it make?'],
      lines: ['user (handoff): (Summary of the ea', 'user: What does it make?', 'assistant: It makes tokens.'],
      queue: [],
      rejections: [null, null, null, null],
    });
  });

  // Every answer over the messages protocol has counts.
  it.each([{ input: 0, output: 0 }, ...(protocol === 'openai' ? [null] : [])])(
    'is compressed before a prompt by an estimate, where the service reports %o',
    async (usage) => {
      await create({ protocol, contextWindow: 4000 });
      const answers = ['first', 'second'].map((topic) => reply().says(long(topic), { in: 4000 }).uses(usage));
      world.server.script(...answers, reply().says(summary).uses(usage), reply().says('Done.').uses(usage));
      const panel = world.surface();
      for (const prompt of ['one', 'two', 'three']) await world.ask(panel, prompt);
      const { sessionId } = panel.settled.at(-1)?.turn ?? {};
      const session = await world.store.getSession(sessionId ?? '');
      const { counted } = await world.gateway.compression.contextUse(sessionId ?? '');
      expect([session?.parentKind, counted, rejections()]).toEqual(['compression', false, [null, null, null, null]]);
    },
  );

  it('updates its earlier summary when it is compressed again', async () => {
    await create({ protocol });
    const { panel, sessionId } = await talk();
    world.server.script(
      reply().says(summary),
      reply().says(long('third'), { in: 4000 }),
      reply().says(`${summary} And the lexer.`),
      reply().says('Yes.'),
    );
    await world.gateway.compression.compress(sessionId, null);
    await world.ask(panel, 'What else?');
    const second = await world.gateway.compression.compress(sessionId, null);
    await world.ask(panel, 'Is that all?');
    expect({
      updates: wire(4).includes('<earlier-summary>') && wire(4).includes('Understand the parser.'),
      tip: second.sessionId === world.gateway.surfaces.shownSession(panel.id),
      beginning: wire(5).includes('What does the parser do?'),
      handoffs: (await uids(sessionId)).filter((row) => row.endsWith('handoff')).length,
      rejections: rejections().filter((one) => one !== null),
      problems: await world.store.verifyIntegrity(),
    }).toEqual({ updates: true, tip: true, beginning: true, handoffs: 2, rejections: [], problems: [] });
  });
});

describe('compressing', () => {
  it('proceeds without a summary if the model returns none', async () => {
    await create();
    const { panel, sessionId } = await talk();
    world.server.script(reply().finishes('stop'), reply().says('It makes tokens.'));
    world.server.otherwise(reply().says('It makes tokens.'));
    const report = await world.gateway.compression.compress(sessionId, null);
    await world.ask(panel, 'What does it make?');
    const handoff = await world
      .lines(report.sessionId)
      .then((lines) => lines.find((line) => line.startsWith('user (handoff)')) ?? '');
    expect({
      made: report.madeBy,
      prompt: handoff.includes('What does the parser do?'),
      secret: handoff.includes(key),
      rejections: rejections().filter((one) => one !== null),
    }).toEqual({
      made: 'plain',
      prompt: true,
      secret: false,
      rejections: [],
    });
  });

  it('is refused while a turn runs, if there is nothing to compress, and if it would not save anything', async () => {
    await create();
    world.server.script(
      reply().says('Hello.'),
      reply().says('Again.'),
      reply().says(long('longer than what it stands for'), { in: 4000 }),
      reply().says('busy').hangs(),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Hi');
    const refusal = () =>
      world.gateway.compression.compress(sessionId, null).then(
        () => 'done',
        (error: unknown) =>
          error instanceof Error && 'causeClass' in error
            ? `${String(error.causeClass)}: ${error.message}`
            : String(error),
      );
    const short = { refused: await refusal(), preview: await world.gateway.compression.preview(sessionId) };
    await world.ask(panel, 'Hi again');
    const noGain = await refusal();
    await world.send(panel, 'Wait');
    await panel.until(({ deliveredText }) => deliveredText.includes('busy'));
    const whileRunning = await refusal();
    await world.gateway.turns.stop(sessionId);
    expect({ short, noGain, whileRunning, tip: await world.store.conversationTip(sessionId) }).toEqual({
      short: {
        refused: 'notCompressed: There is nothing to compress yet. Nothing was changed.',
        preview: null,
      },
      noGain: 'notCompressed: Compression would free almost no space here. Nothing was changed.',
      whileRunning: 'busy: Hermes is answering in this session. Stop it first, or wait.',
      tip: sessionId,
    });
  });

  it('queues a prompt that arrives meanwhile, and continues with it', async () => {
    await create();
    const { panel, sessionId } = await talk();
    const held = gate();
    world.server.script(reply().waitsFor(held.opened).says(summary), reply().says('It makes tokens.'));
    const compressing = world.gateway.compression.compress(sessionId, null);
    await world.server.request(2);
    const receipt = await world.send(panel, 'What does it make?');
    held.open();
    const { sessionId: child } = await compressing;
    await world.settles(panel, 3);
    expect({ receipt: receipt.kind, last: (await world.lines(child)).slice(-2) }).toEqual({
      receipt: 'queued',
      last: ['user: What does it make?', 'assistant: It makes tokens.'],
    });
  });

  it('runs before a queued prompt that finds the context nearly full', async () => {
    await create({ contextWindow: 4000 });
    const { panel, sessionId } = await talk(100);
    const held = gate();
    world.server.script(
      reply().says('third', { in: 4000 }).waitsFor(held.opened).uses({ input: 3300, output: 10 }),
      reply().says(summary),
      reply().says('It makes tokens.'),
    );
    await world.send(panel, 'Third?');
    await panel.until(({ deliveredText }) => deliveredText.includes('third'));
    await world.send(panel, 'What does it make?');
    held.open();
    await world.settles(panel, 4);
    expect((await world.lines(sessionId)).slice(-4).map((line) => line.slice(0, 30))).toEqual([
      'assistant: third',
      'user (handoff): (Summary of th',
      'user: What does it make?',
      'assistant: It makes tokens.',
    ]);
  });

  it('does not delay a prompt if the store refuses it', async () => {
    await create({ contextWindow: 4000 });
    const { panel, sessionId } = await talk(3300);
    world.server.script(reply().says(summary), reply().says('It makes tokens.'));
    const mend = world.failing(['compressSession']);
    await world.send(panel, 'What does it make?');
    await world.settles(panel, 3);
    mend();
    expect({ tip: await world.store.conversationTip(sessionId), last: (await world.lines(sessionId)).at(-1) }).toEqual({
      tip: sessionId,
      last: 'assistant: It makes tokens.',
    });
  });

  it('is cancelled by Stop', async () => {
    await create();
    const { sessionId } = await talk();
    world.server.script(reply().hangs());
    const compressing = world.gateway.compression
      .compress(sessionId, null)
      .catch((error: unknown) => (error instanceof Error ? error.message : ''));
    await world.server.request(2);
    await world.gateway.turns.stop(sessionId);
    expect([await compressing, await world.store.conversationTip(sessionId)]).toEqual([
      'Compression was stopped. Nothing was changed.',
      sessionId,
    ]);
  });
});

describe('the summary', () => {
  it("is written by the model in the setting, or by the session's own model if that one cannot be opened or reached", async () => {
    const seen: unknown[] = [];
    for (const summaryModel of ['Local/small', 'Local/gone', 'Local/absent', 'Local/test-model']) {
      const failure = { cause: 'notFound' as const, sentence: 'There is no such model.', technical: '404' };
      await create({
        summaryModel,
        openModel: (ref) =>
          ref === 'Local/gone'
            ? Promise.reject(new ModelError(failure))
            : ref === 'Local/small'
              ? Promise.resolve(sayingModel('Written by the small one.', { id: 'small', contextWindow: 8000 }))
              : undefined,
      });
      const { sessionId } = await talk();
      world.server.script(reply().says('Written by its own.'));
      const { sessionId: child } = await world.gateway.compression.compress(sessionId, null);
      const handoff = JSON.stringify((await world.store.activeMessages(child))[0]);
      seen.push([
        summaryModel,
        handoff.includes('Written by the small one.') ? 'small' : handoff.includes('Written by its own.') ? 'own' : '?',
        world.logLines.filter((line) => line.includes('hermes.compression.model')).length,
      ]);
      if (summaryModel !== 'Local/test-model') await world.close();
    }
    expect(seen).toEqual([
      ['Local/small', 'small', 0],
      ['Local/gone', 'own', 1],
      ['Local/absent', 'own', 1],
      ['Local/test-model', 'own', 0],
    ]);
  });

  it('is requested with what memory adds about the rows, without secrets; a memory failure does not delay it', async () => {
    const heard: string[] = [];
    await create({
      memory: (log) => [
        new RecordingMemory(log, { beforeCompressing: `They chose the recursive parser. ${key}` }),
        throwingMemory(),
      ],
    });
    const { sessionId } = await talk();
    world.server.script(reply().says(summary));
    await world.gateway.compression.compress(sessionId, null);
    heard.push(...world.memoryLog.filter((line) => line.startsWith('compressing')).map((line) => line.slice(0, 36)));
    expect({
      heard,
      told: wire(2).includes('They chose the recursive parser.'),
      secret: wire(2).includes(key),
    }).toEqual({
      heard: ['compressing What does the parser do?'],
      told: true,
      secret: false,
    });
  });

  it('is abandoned if the model does not finish, and the session is compressed without it', async () => {
    const clock = new ManualClock();
    await create({ clock });
    const { sessionId } = await talk();
    world.server.script(reply().hangs());
    const compressing = world.gateway.compression.compress(sessionId, null);
    await world.server.request(2);
    await clock.advance(301_000);
    expect((await compressing).madeBy).toBe('plain');
  });
});

describe('surfaces, while a session is compressed between two turns', () => {
  it('are notified of its start and its end in the session they show; a snapshot reports it too', async () => {
    await create();
    const { panel, sessionId } = await talk();
    const held = gate();
    world.server.script(reply().waitsFor(held.opened).says(summary));
    const compressing = world.gateway.compression.compress(sessionId, null);
    await world.server.request(2);
    const { activity } = await world.gateway.snapshot(sessionId, 1);
    held.open();
    const { sessionId: child } = await compressing;
    const told = panel.sessionEvents.flatMap((event) =>
      event.kind === 'compressing'
        ? [`${event.sessionId === child ? 'child' : 'parent'} ${event.activity?.kind ?? 'over'}`]
        : [],
    );
    expect({ activity: activity?.kind, told, after: (await world.gateway.snapshot(child, 1)).activity }).toEqual({
      activity: 'compressing',
      told: ['parent compressing', 'child over'],
      after: null,
    });
  });
});

describe('the context meter', () => {
  it("shows the service's count in parts that add up; an estimate before the first count, and no limit if the model states none", async () => {
    await create({ contextWindow: 4000 });
    const { sessionId } = await talk(3000);
    const counted = await world.gateway.compression.contextUse(sessionId);
    const { id } = await world.store.createSession({
      id: '20260101_000000_abcdef',
      startedAt: 1,
      model: 'Local/test-model',
    });
    const empty = await world.gateway.compression.contextUse(id);
    const sum = ({ parts }: typeof counted) => (parts === null ? null : parts.system + parts.tools + parts.messages);
    expect({
      counted: [counted.tokens, counted.counted, counted.window, sum(counted)],
      empty: [empty.counted, empty.parts?.messages, sum(empty) === empty.tokens, (empty.parts?.tools ?? 0) > 100],
    }).toEqual({
      counted: [3010, true, 4000, 3010],
      empty: [false, 0, true, true],
    });
  });
});

describe('a session that is compressed while a surface opens it', () => {
  it.each(['resolveSessionId', 'conversationTip', 'getSession', 'readTranscript'])(
    'is shown in its new segment, whatever the surface was waiting for: %s',
    async (method) => {
      await create();
      const { sessionId } = await talk();
      const tab = world.surface();
      const held = world.holdCall(method, 'after');
      const opening = world.gateway.switching.switchSession(tab.id, { reason: 'resume', sessionId });
      await held.reached;
      world.server.script(reply().says(summary), reply().says('a3'));
      const report = await world.gateway.compression.compress(sessionId, null);
      held.release();
      const opened = await opening;
      expect({
        opened: opened.sessionId,
        shown: world.gateway.surfaces.shownSession(tab.id),
        told: tab.switches.map((told) => told.sessionId),
      }).toEqual({
        opened: report.sessionId,
        shown: report.sessionId,
        told: [report.sessionId],
      });
      await world.askBeside(tab, 'q3');
      expect(tab.deliveredText).toBe('a3');
    },
  );
});

import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import type { MemoryProvider } from '../../src/memory/memoryProvider';
import { defineTool } from '../../src/tools/tool';
import type { TurnActivity } from '../../src/transcript/turnEvent';
import { account, readElsewhere, sound } from '../support/account';
import { gate, heard, worldPerTest, resumed } from '../support/conformance';
import { reply } from '../support/modelServer';
import { hangingMemory, legacyMemory, RecordingMemory, throwingMemory } from '../support/recordingMemory';
import type { RecordingSurface } from '../support/recordingSurface';
import type { World } from '../support/world';

const { create } = worldPerTest();
const key = 'sk-proj-abc123def456ghi7';

/** The messages of request number `index` as JSON, byte for byte as they were sent. */
function messagesOf(world: World, index: number): readonly string[] {
  const messages = world.server.requests.at(index)?.body['messages'];
  return Array.isArray(messages) ? messages.map((message) => JSON.stringify(message)) : [];
}

/** Whether each request begins with all of the one before, byte for byte but for the marks of the cache. */
function growsOnly(world: World): readonly boolean[] {
  const requests = world.server.requests.map((_, index) =>
    messagesOf(world, index).map((message) => message.replaceAll(/,?"cache_control":\{[^}]*\}/g, '')),
  );
  return requests
    .slice(1)
    .map((request, index) => request.slice(0, requests[index]?.length).join('\n') === requests[index]?.join('\n'));
}

function activities(surface: RecordingSurface): readonly TurnActivity['kind'][] {
  return surface.turnEvents.flatMap((event) => (event.kind === 'activity' ? [event.activity.kind] : []));
}

/** Recalls these texts in turn, then nothing. */
const recalling =
  (...texts: readonly string[]): ((log: string[]) => readonly MemoryProvider[]) =>
  (log) => {
    const left = [...texts];
    return [new RecordingMemory(log, { recall: () => left.shift() ?? '' })];
  };

describe('recalled memory', () => {
  it('is sent after the prompt and never stored as its content, shown, searched or exported (B121)', async () => {
    const world = await create({ memory: recalling('- the deploy key is called bluebird') });
    world.server.script(reply().says('Bluebird.'));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What is the deploy key called?');
    const prompt = world.server.requests[0]?.outline.at(-1) ?? '';
    while ((await world.store.indexBatch(100)) > 0);
    const shown = JSON.stringify([
      panel.turnEvents,
      await world.store.readTranscript({ sessionId, limit: 100, includeHidden: true }),
      await world.store.activeMessages(sessionId),
    ]);
    expect({
      sent: [
        prompt.startsWith('user: What is the deploy key called?\n\n<memory-context>\n('),
        prompt.endsWith('- the deploy key is called bluebird\n</memory-context>'),
      ],
      shown: shown.includes('memory-context'),
      found: await world.store.search({ text: 'bluebird', limit: 9 }).then((hits) => hits.map(({ role }) => role)),
      elsewhere: readElsewhere(
        world,
        "SELECT count(*) FROM messages WHERE content LIKE '%memory-context%' OR parts LIKE '%memory-context%'",
      ),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      sent: [true, true],
      shown: false,
      found: ['assistant'],
      elsewhere: ['0'],
      ...sound,
      stored: ['user: What is the deploy key called?', 'assistant: Bluebird.'],
    });
  });

  it('is reported to the user by its count, once it is being sent, and only if something was found', async () => {
    const recalls = ['- one\n- two', ''];
    const world = await create({
      memory: (log) => [
        Object.assign(new RecordingMemory(log, { recall: () => recalls.shift() ?? '' }), {
          recallStatus: () => ({ label: 'Notes', count: 2 }),
        }),
      ],
    });
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    for (const prompt of ['first question', 'second question']) await world.ask(panel, prompt);
    const told = panel.turnEvents
      .filter(({ kind }) => kind === 'recalled' || kind === 'turnOpened')
      .map((event) => (event.kind === 'recalled' ? event.found : event.kind));
    expect(told).toEqual(['turnOpened', [{ provider: 'recording', label: 'Notes', count: 2 }], 'turnOpened']);
    expect(
      (await world.store.readTranscript({ sessionId: panel.settled[0]?.turn.sessionId ?? '', limit: 9 })).turns.map(
        (turn) => turn.recalled,
      ),
    ).toEqual([[{ provider: 'recording', label: 'Notes', count: 2 }], undefined]);
  });

  it('is not shown even if the model repeats its fence, however the tags are split (B121)', async () => {
    const world = await create({ memory: recalling('- secret fact') });
    world.server.script(
      reply()
        .says('Here:\n<mem')
        .says('ory-con')
        .says('text>\n- secret')
        .says(' fact\n</memory')
        .says('-context>\nDone.'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'What do you know?');
    expect({ shown: panel.deliveredText, ...(await account(world, panel, sessionId)) }).toEqual({
      shown: 'Here:\nDone.',
      ...sound,
      stored: ['user: What do you know?', 'assistant: Here:\nDone.'],
    });
  });

  it.each(['openai', 'anthropic'] as const)(
    'is stored before the first request, so that every later one begins with the same bytes (%s) (B194)',
    async (protocol) => {
      const world = await create({
        protocol,
        memory: recalling('- one', '', '- three'),
      });
      world.server.script(
        reply().says('Looking.').calls('list_directory', { path: 'nowhere' }),
        reply().says('a1'),
        reply().says('a2'),
        reply().says('a3'),
      );
      const panel = world.surface();
      for (const prompt of ['first question', 'second question', 'third question']) await world.ask(panel, prompt);
      expect(growsOnly(world)).toEqual([true, true, true]);
      expect(messagesOf(world, -1).filter((message) => message.includes('memory-context')).length).toBe(2);
    },
  );

  it('is also stable with the note after a cut-off answer, with recall and without (B194)', async () => {
    const world = await create({
      continuesBroken: false,
      memory: recalling('', '- two'),
    });
    world.server.script(
      reply().says('Half ').drops(),
      reply().says('Half ').drops(),
      reply().says('a3'),
      reply().says('a4'),
    );
    const panel = world.surface();
    for (const prompt of ['first question', 'second question', 'third question', 'fourth question'])
      await world.ask(panel, prompt);
    expect(growsOnly(world)).toEqual([true, true, true]);
    const noted = (message: string) => /Your previous turn.*?(second|third) question/s.exec(message)?.[1] ?? [];
    expect(messagesOf(world, -1).flatMap(noted)).toEqual(['second', 'third']);
  });

  it('survives the window (B194)', async () => {
    const world = await create({
      memory: recalling('- one'),
    });
    world.server.script(reply().says('a1'), reply().says('a2'));
    const { sessionId } = await world.ask(world.surface(), 'first question');
    await world.reopen();
    const panel = await resumed(world, sessionId);
    await world.ask(panel, 'second question');
    const [before, after] = [messagesOf(world, 0), messagesOf(world, 1)];
    expect([after.slice(0, before.length), after.length]).toEqual([before, before.length + 2]);
  });

  it('is not sent if it could not be stored (B194)', async () => {
    const world = await create({ memory: recalling('- one') });
    world.server.script(reply().says('a1'));
    const repair = world.breakStore((method) => (method === 'setApiContent' ? new Error('no room') : null));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first question');
    repair();
    expect({
      sent: world.server.requests[0]?.outline.at(-1),
      warned: world.logLines.some((line) => line.includes('is not sent: no room')),
      ...(await account(world, panel, sessionId)),
    }).toEqual({
      sent: 'user: first question',
      warned: true,
      ...sound,
      stored: ['user: first question', 'assistant: a1'],
    });
  });

  it('is waited for only up to a limit; the user is notified, and the provider is asked again when it has returned (B124)', async () => {
    const held = gate();
    const asked: string[] = [];
    const world = await create({
      recallTimeoutMs: 500,
      memory: (log) => [
        new RecordingMemory(log, {
          recall: async (query) => {
            asked.push(query);
            if (asked.length === 1) await held.opened;
            return `- for ${query}`;
          },
        }),
      ],
    });
    world.server.script(reply().says('a1'), reply().says('a2'), reply().says('a3'));
    const panel = world.surface();
    await world.ask(panel, 'first question');
    await world.ask(panel, 'second question');
    held.open();
    await new Promise((resolve) => setImmediate(resolve));
    await world.ask(panel, 'third question');
    const sent = world.server.requests.map(({ outline }) => /- for .*/.exec(outline.at(-1) ?? '')?.[0] ?? 'nothing');
    expect({
      asked,
      sent,
      told: activities(panel).filter((kind) => kind === 'recalling').length,
      warned: world.logLines.filter((line) => line.includes('took longer than 0.5 s')).length,
    }).toEqual({
      asked: ['first question', 'third question'],
      sent: ['nothing', 'nothing', '- for third question'],
      told: 1,
      warned: 1,
    });
  });

  it('can be skipped by the user, for the turn they saw (B124)', async () => {
    const world = await create({
      recallTimeoutMs: 60_000,
      memory: (log) => [new RecordingMemory(log, { recall: () => new Promise(() => undefined) })],
    });
    world.server.script(reply().says('a1'));
    const panel = world.surface();
    const receipt = await world.send(panel, 'first question');
    await panel.until((surface) => activities(surface).includes('recalling'));
    await world.gateway.turns.skipRecall(receipt.sessionId, 'another turn');
    const before = world.server.requests.length;
    await world.gateway.turns.skipRecall(receipt.sessionId, receipt.kind === 'started' ? receipt.turnUid : '');
    await panel.untilSettled(1);
    expect([before, world.server.requests[0]?.outline.at(-1), panel.deliveredText]).toEqual([
      0,
      'user: first question',
      'a1',
    ]);
  });

  it('ends with a turn that is stopped (S180)', async () => {
    const world = await create({
      recallTimeoutMs: 60_000,
      memory: (log) => [new RecordingMemory(log, { recall: () => new Promise(() => undefined) })],
    });
    const panel = world.surface();
    const { sessionId } = await world.send(panel, 'first question');
    await panel.until((surface) => activities(surface).includes('recalling'));
    await world.gateway.turns.stop(sessionId);
    expect([
      panel.settled.at(-1)?.turn.outcome,
      world.server.requests.length,
      world.memoryLog.filter((line) => line.startsWith('sync')),
    ]).toEqual(['interrupted', 0, []]);
  });

  it('is requested with the current id of the session, and so is the sync, with the prompt and the answer (S104 S183)', async () => {
    const asked: string[] = [];
    const provider: MemoryProvider = {
      ...legacyMemory([]),
      prefetch: async (query, sessionId) => (asked.push(`prefetch ${sessionId}: ${query}`), ''),
      syncTurn: async (turn) => void asked.push(`sync ${turn.sessionId}: ${turn.prompt} -> ${turn.answer}`),
      queuePrefetch: async (query, sessionId) => void asked.push(`queue ${sessionId}: ${query}`),
    };
    const world = await create({ memory: () => [provider] });
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    const first = await world.ask(panel, 'first question');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.ask(panel, 'second question');
    await world.gateway.shutdown();
    expect(asked).toEqual(
      [first, second].flatMap(({ sessionId }, index) => {
        const prompt = `${index === 0 ? 'first' : 'second'} question`;
        return [
          `prefetch ${sessionId}: ${prompt}`,
          `sync ${sessionId}: ${prompt} -> a${index + 1}`,
          `queue ${sessionId}: ${prompt}`,
        ];
      }),
    );
  });
});

describe('memory in a session', () => {
  it('the system prompt of a new session has what was remembered in the one before, and stays unchanged meanwhile (B187)', async () => {
    const facts: string[] = [];
    const world = await create({
      memory: (log) => [new RecordingMemory(log, { block: () => `Remembered: ${facts.join(', ') || 'nothing'}.` })],
    });
    world.server.script(...['a1', 'a2', 'a3'].map((text) => reply().says(text)));
    const panel = world.surface();
    await world.ask(panel, 'first question');
    facts.push('likes tea');
    await world.ask(panel, 'second question');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    await world.ask(panel, 'third question');
    expect(world.server.requests.map(({ outline }) => /Remembered: .*/.exec(outline[0] ?? '')?.[0])).toEqual([
      'Remembered: nothing.',
      'Remembered: nothing.',
      'Remembered: likes tea.',
    ]);
  });

  it("a provider's tool never replaces one of ours, and its own tools work (B119)", async () => {
    const ran: string[] = [];
    const tool = (name: string) =>
      defineTool({
        name,
        description: name,
        readOnly: true,
        schema: v.object({}),
        run: async () => (ran.push(name), { outcome: 'done' as const, text: `${name} of memory` }),
      });
    const world = await create({
      memory: () => [{ ...legacyMemory([], 'greedy'), tools: [tool('list_directory'), tool('recall')] }],
    });
    world.server.script(
      reply().calls('list_directory', { path: 'nowhere' }),
      reply().calls('recall', {}),
      reply().says('a1'),
    );
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'first question');
    expect({
      ran,
      warned: world.logLines.filter((line) => line.startsWith('warn')),
      results: (await world.lines(sessionId)).filter((line) => line.startsWith('tool')),
    }).toEqual({
      ran: ['recall'],
      warned: [
        'warn Memory provider greedy: its tool list_directory is not used, because Hermes has a tool of that name.',
      ],
      results: ['tool: failed: There is no file or folder at nowhere.', 'tool: done: recall of memory'],
    });
  });

  it('a provider that fails when it is inspected does not block the next one (B118)', async () => {
    const broken: MemoryProvider = Object.defineProperty(legacyMemory([], 'broken'), 'tools', {
      get: () => {
        throw new Error('no schema');
      },
    });
    const world = await create({ memory: (log) => [broken, new RecordingMemory(log)] });
    world.server.script(reply().says('a1'));
    const { sessionId } = await world.ask(world.surface(), 'first question');
    await world.gateway.shutdown();
    expect([world.memoryLog, world.logLines]).toEqual([
      [`initialize ${sessionId}`, `sync ${sessionId}: first question -> a1`, 'shutdown'],
      ['warn Memory provider broken: isAvailable failed: no schema'],
    ]);
  });
});

describe('a memory update', () => {
  it('contains no secrets; the stored and sent text still does (B123)', async () => {
    const queries: string[] = [];
    const world = await create({
      memory: (log) => [new RecordingMemory(log, { recall: (query) => (queries.push(query), '') })],
    });
    world.server.script(reply().says(`Your key ${key} works.`));
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, `Does ${key} work?`);
    await world.gateway.shutdown();
    expect({
      queries,
      log: world.memoryLog.slice(1, 2),
      sent: world.server.requests[0]?.outline.at(-1),
      stored: await world.lines(sessionId),
    }).toEqual({
      queries: ['Does [secret] work?'],
      log: [`sync ${sessionId}: Does [secret] work? -> Your key [secret] works.`],
      sent: `user: Does ${key} work?`,
      stored: [`user: Does ${key} work?`, `assistant: Your key ${key} works.`],
    });
  });

  it('reaches a provider whole beside one that throws, one that hangs and one that predates most hooks (S186 B124 B189)', async () => {
    const world = await create({
      recallTimeoutMs: 100,
      memory: (log) => [throwingMemory(), hangingMemory(), legacyMemory(log), new RecordingMemory(log)],
    });
    world.server.script(reply().says('a1'), reply().says('a2'));
    const panel = world.surface();
    const first = await world.ask(panel, 'first question');
    await world.gateway.switching.switchSession(panel.id, { reason: 'new_session' });
    const second = await world.ask(panel, 'second question');
    const { stored, ...rest } = await account(world, panel, second.sessionId);
    expect({ stored, ...rest }).toEqual({ ...sound, stored: ['user: second question', 'assistant: a2'] });
    await world.gateway.shutdown();
    const log = heard(world, { FIRST: first.sessionId, SECOND: second.sessionId });
    expect(log.filter((line) => !line.startsWith('legacy'))).toEqual([
      'initialize FIRST',
      'sync FIRST: first question -> a1',
      'end FIRST',
      'switch SECOND new_session reset',
      'sync SECOND: second question -> a2',
      'shutdown',
    ]);
    expect(log.filter((line) => line.startsWith('legacy'))).toEqual([
      'legacy initialize FIRST',
      'legacy sync FIRST: first question',
      'legacy sync SECOND: second question',
    ]);
    expect(
      world.logLines
        .filter((line) => line.startsWith('warn'))
        .every((line) => /^warn Memory provider (throwing|hanging): /.test(line)),
    ).toBe(true);
  });
});

import { describe, expect, test } from 'vitest';
import type { ForeignSession } from '../../../../../../src/features/history/core/sources/foreign';
import { importedSessionId } from '../../../../../../src/features/history/core/import/importedIds';
import { prompt } from '../../../../../support/sessionDbWorld';
import {
  importWorld,
  sound,
  soundness,
  storedOutline,
  type ImportWorld,
} from '../../../../../support/history/importWorld';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { placesWith } from '../../../../../support/history/readHistory';

const path = '/c/projects/p/s.jsonl';
const places = placesWith({ claude: '/c' });

/** Lines of Claude Code: prompts, and answers that call a tool or say something. */
function lines(...texts: readonly string[]): string {
  return texts
    .map((text, index) => {
      const [role, said = ''] = text.split(': ');
      const base = {
        uuid: `u${index}`,
        parentUuid: index === 0 ? null : `u${index - 1}`,
        sessionId: 's',
        timestamp: new Date(1_795_000_000_000 + index * 1000).toISOString(),
        cwd: '/home/demo/project',
        version: '2.1.197',
        isSidechain: false,
        userType: 'external',
      };
      const content =
        role === 'call'
          ? [{ type: 'tool_use', id: said, name: 'Read', input: {} }]
          : role === 'result'
            ? [{ type: 'tool_result', tool_use_id: said, content: 'read' }]
            : said;
      const speaker = role === 'user' || role === 'result' ? 'user' : 'assistant';
      const message =
        speaker === 'user'
          ? { role: speaker, content }
          : {
              id: `m${index}`,
              role: speaker,
              model: 'claude-x',
              content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
            };
      return JSON.stringify({ ...base, type: speaker, message });
    })
    .join('\n');
}

interface GrowingWorld extends ImportWorld {
  read(text: string): Promise<string>;
  readonly session: () => Promise<ForeignSession>;
}

async function growingWorld(): Promise<GrowingWorld> {
  let content = '';
  const current = (): MemoryFiles => new MemoryFiles({ [path]: content });
  const world = await importWorld({
    list: (folder) => current().list(folder),
    stat: (at) => current().stat(at),
    read: (at, range) => current().read(at, range),
  });
  const session = async (): Promise<ForeignSession> => {
    const [found] = (await world.importer.scan(places)).sessions;
    if (found === undefined) throw new Error('no session was found');
    return found;
  };
  return {
    ...world,
    session,
    read: async (text) => {
      content = text;
      const { entries } = await world.importer.run([await session()]);
      const [entry] = entries;
      return `${entry?.outcome} ${entry?.messages}${entry?.reason ?? ''}`;
    },
  };
}

const first = ['user: Hello', 'says: Hi', 'user: Read it', 'call: t1'];
const more = [...first, 'result: t1', 'says: Done', 'user: Thanks', 'says: Welcome'];

describe('A session that grew where it came from', () => {
  test('gets what it lacks, as if it had been imported once', async () => {
    const [grown, once] = [await growingWorld(), await growingWorld()];
    const outcomes = [await grown.read(lines(...first)), await grown.read(lines(...more))];
    await once.read(lines(...more));

    expect(outcomes).toEqual(['imported 4', 'extended 4']);
    expect(storedOutline(grown)).toEqual(storedOutline(once));
    expect(soundness(grown)).toEqual(sound);
  });

  test('has turns that end with their last row, not with the next prompt', async () => {
    const world = await growingWorld();
    await world.read(lines('user: One?', 'says: 1', 'user: Two?', 'says: 2'));
    const turns = world.database.all('SELECT started_at, settled_at FROM turns ORDER BY started_at');
    expect(turns.map((turn) => Number(turn['settled_at']) - Number(turn['started_at']))).toEqual([1, 1]);
  });

  test('becomes a branch when it was continued here', async () => {
    const world = await growingWorld();
    await world.read(lines(...first));
    const id = importedSessionId(await world.session());
    world.db.openTurn({
      turnUid: 'mine',
      sessionId: id,
      userMessage: prompt('mine/prompt', 'And now?', 'mine', id),
      model: 'Local/test',
      startedAt: world.clock.now,
    });
    world.db.settleTurn({
      turnUid: 'mine',
      settledAt: world.clock.now,
      settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
      messages: [],
    });
    const outcomes = [
      await world.read(lines(...more)),
      await world.read(lines(...more, 'user: Once more', 'says: Yes')),
    ];

    expect([...outcomes, ...storedOutline(world)]).toMatchInlineSnapshot(`
      [
        "branched 8",
        "extended 2",
        "S1: Hello in /home/demo/project, 6 messages, 1 calls, 3 turns",
        "  shown user: ["Hello"]",
        "  shown assistant: ["Hi"]",
        "  shown user: ["Read it"]",
        "  shown assistant: [{"kind":"toolCall","callId":"t1","name":"Read","arguments":"{}"}]",
        "  shown tool: [{"kind":"toolResult","callId":"t1","name":"Read","outcome":"interrupted","text":"(Interrupted before a result was recorded. It may have run, in whole or in part.)"}]",
        "  closing assistant: ["(No answer was given.)"]",
        "  shown user: ["And now?"]",
        "  closing assistant: ["(No answer was given.)"]",
        "  turn complete (stop) by claude-x",
        "  turn interrupted (empty) by claude-x",
        "  turn complete (stop) by Local/test",
        "S2 branch of S1: Hello #2 in /home/demo/project, 10 messages, 1 calls, 4 turns",
        "  shown user: ["Hello"]",
        "  shown assistant: ["Hi"]",
        "  shown user: ["Read it"]",
        "  shown assistant: [{"kind":"toolCall","callId":"t1","name":"Read","arguments":"{}"}]",
        "  shown tool: [{"kind":"toolResult","callId":"t1","name":"Read","outcome":"done","text":"read"}]",
        "  shown assistant: ["Done"]",
        "  shown user: ["Thanks"]",
        "  shown assistant: ["Welcome"]",
        "  shown user: ["Once more"]",
        "  shown assistant: ["Yes"]",
        "  turn complete (stop) by claude-x",
        "  turn complete (stop) by claude-x",
        "  turn complete (stop) by claude-x",
        "  turn complete (stop) by claude-x",
      ]
    `);
    expect(soundness(world)).toEqual(sound);
  });

  test('becomes a branch when its beginning changed there', async () => {
    const world = await growingWorld();
    await world.read(lines(...more));
    const outcome = await world.read(lines('user: Something else', ...more.slice(1), 'user: More', 'says: Yes'));

    expect(outcome).toBe('branched 10');
    expect(soundness(world)).toEqual(sound);
  });

  test('stays whole when it holds less there than it did', async () => {
    const world = await growingWorld();
    await world.read(lines(...more));
    const before = storedOutline(world);
    const outcome = await world.read(lines(...first));

    expect(outcome).toBe('unchanged 0');
    expect(storedOutline(world)).toEqual(before);
  });
});

describe('A session that was erased here', () => {
  test('comes back only when it is chosen by hand', async () => {
    const world = await growingWorld();
    await world.read(lines(...first));
    const session = await world.session();
    world.db.forgetSession(importedSessionId(session));
    const again = await world.importer.run([session]);
    const preview = await world.importer.preview([session]);
    const kept = world.database.all("SELECT key, value FROM state_meta WHERE key LIKE '%import%'");
    const chosen = await world.importer.run([session], { includeForgotten: true });

    expect([again.counts.forgotten, preview.counts.forgotten, kept, chosen.counts.imported]).toEqual([
      1,
      1,
      [{ key: `erased-import:${importedSessionId(session)}!`, value: '' }],
      1,
    ]);
  });
});

test('A session says where it came from', async () => {
  const world = await growingWorld();
  await world.read(lines(...first));

  expect(world.db.listSessions({ limit: 5 }).map(({ origin, folder, unread }) => ({ origin, folder, unread }))).toEqual(
    [
      {
        origin: {
          source: 'claudeCode',
          id: 's',
          place: path,
          writtenBy: '2.1.197',
          model: 'claude-x',
          importedAt: world.clock.now,
        },
        folder: '/home/demo/project',
        unread: false,
      },
    ],
  );
});

test('A stopped import takes back the session in progress', async () => {
  const world = await growingWorld();
  await world.read(lines(...first));
  const stop = new AbortController();
  const many = lines(...Array.from({ length: 2000 }, (_, index) => `${index % 2 === 0 ? 'user' : 'says'}: ${index}`));
  const files = new MemoryFiles({
    '/c/projects/p/long.jsonl': many.replaceAll('"sessionId":"s"', '"sessionId":"long"'),
  });
  const other = await importWorld(files, undefined, world);
  const { sessions } = await other.importer.scan(places);
  const before = storedOutline(world);
  const result = await other.importer.run(sessions, { signal: stop.signal, onProgress: () => stop.abort() });
  world.db.scrub();

  expect([result.isStopped, result.entries, world.database.get('SELECT count(*) AS n FROM sessions')?.['n']]).toEqual([
    true,
    [],
    1,
  ]);
  expect(storedOutline(world)).toEqual(before);
});

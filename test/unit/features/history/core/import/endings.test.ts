import { expect, test } from 'vitest';
import type { HistoryPlaces } from '../../../../../../src/features/history/core/sources/historyPlaces';
import {
  importWorld,
  sound,
  soundness,
  storedOutline,
  type ImportWorld,
} from '../../../../../support/history/importWorld';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { placesWith } from '../../../../../support/history/readHistory';

const piPath = '/p/sessions/--w--/2026-01-01T00-00-00-000Z_one.jsonl';
const pi = placesWith({ pi: '/p' });

/** Entries of pi, each after the one before it. */
function piFile(...entries: readonly object[]): string {
  const header = { type: 'session', version: 3, id: 'one', cwd: '/w', timestamp: '2026-01-01T00:00:00Z' };
  const chained = entries.map((entry, index) => ({
    id: `e${index}`,
    parentId: index === 0 ? null : `e${index - 1}`,
    timestamp: '2026-01-01T00:00:00Z',
    ...entry,
  }));
  return [header, ...chained].map((one) => JSON.stringify(one)).join('\n');
}
const asked = (text: string): object => ({ type: 'message', message: { role: 'user', content: text } });
const answered = (text: string, more: object = {}): object => ({
  type: 'message',
  message: {
    role: 'assistant',
    model: 'm',
    content: text === '' ? [] : [{ type: 'text', text }],
    stopReason: 'stop',
    ...more,
  },
});
const compacted = (summary: string, firstKeptEntryId: string): object => ({
  type: 'compaction',
  summary,
  firstKeptEntryId,
});

async function worldOf(places: HistoryPlaces, path: string) {
  let content = '';
  const current = (): MemoryFiles => new MemoryFiles({ [path]: content });
  const world = await importWorld({
    list: (folder) => current().list(folder),
    stat: (at) => current().stat(at),
    read: (at, range) => current().read(at, range),
  });
  const read = async (text: string) => {
    content = text;
    world.clock.now += 10;
    world.database.run("UPDATE state_meta SET value = json_set(value, '$.stamp', '') WHERE key LIKE 'import:%'");
    const { sessions } = await world.importer.scan(places);
    return (await world.importer.run(sessions)).counts;
  };
  return { world, read };
}

function sentTexts(world: ImportWorld): string {
  return storedOutline(world).join('\n');
}

test('messages kept through a compaction stay where they were, and are repeated after the summary', async () => {
  const { world, read } = await worldOf(pi, piPath);
  const before = [asked('One?'), answered('1'), asked('Two?'), answered('2')];
  await read(piFile(...before));
  const counts = await read(piFile(...before, compacted('They counted.', 'e2'), asked('Three?'), answered('3')));

  expect(counts).toMatchObject({ imported: 0, extended: 1, branched: 0 });
  expect(storedOutline(world)).toMatchInlineSnapshot(`
    [
      "S1: One? in /w, 4 messages, 0 calls, 2 turns, ended by compression",
      "  shown user: ["One?"]",
      "  shown assistant: ["1"]",
      "  shown user: ["Two?"]",
      "  shown assistant: ["2"]",
      "  turn complete (stop) by m",
      "  turn complete (stop) by m",
      "S2 compression of S1: One? in /w, 2 messages, 0 calls, 1 turns",
      "  handoff user: ["They counted."]",
      "  shown user (carried): ["Two?"]",
      "  shown assistant (carried): ["2"]",
      "  shown user: ["Three?"]",
      "  shown assistant: ["3"]",
      "  turn complete (stop) by m",
    ]
  `);
  expect(soundness(world)).toEqual(sound);

  const again = await read(
    piFile(
      ...before,
      compacted('They counted.', 'e2'),
      asked('Three?'),
      answered('3'),
      compacted('To three.', 'e6'),
      asked('Four?'),
    ),
  );
  expect(again).toMatchObject({ imported: 0, extended: 1, branched: 0 });
  expect(sentTexts(world)).toContain('handoff user: ["To three."]');
  expect(soundness(world)).toEqual(sound);
});

test('reasons why turns ended are read, and none is invented', async () => {
  const { world, read } = await worldOf(pi, piPath);
  await read(
    piFile(
      asked('Stopped early'),
      answered('', { stopReason: 'aborted', errorMessage: 'Request was aborted' }),
      asked('Stopped late'),
      answered('Half an', { stopReason: 'aborted' }),
      asked('Failed'),
      answered('Half a', { stopReason: 'error', errorMessage: 'socket closed' }),
      asked('Failed, then tried again'),
      answered('Half', { stopReason: 'error', errorMessage: 'overloaded' }),
      answered('Whole.'),
      asked('Nobody knows'),
      asked('The last'),
    ),
  );

  expect(storedOutline(world)).toMatchInlineSnapshot(`
    [
      "S1: Stopped early in /w, 9 messages, 0 calls, 6 turns",
      "  shown user: ["Stopped early"]",
      "  closing assistant: ["(Stopped by the user before an answer. Do not resume this request unless asked.)"]",
      "  shown user: ["Stopped late"]",
      "  shown assistant: ["Half an"]",
      "  shown user: ["Failed"]",
      "  shown assistant: ["Half a"]",
      "  dropped user: ["socket closed"]",
      "  shown user: ["Failed, then tried again"]",
      "  shown assistant: ["Half\\n","Whole."]",
      "  dropped user: ["overloaded"]",
      "  shown user: ["Nobody knows"]",
      "  closing assistant: ["(No answer was given.)"]",
      "  shown user: ["The last"]",
      "  closing assistant: ["(No answer was given.)"]",
      "  turn interrupted (user) by m",
      "  turn interrupted (user) by m",
      "  turn interrupted (error) by m",
      "  turn complete (stop) by m",
      "  turn interrupted (empty) by m",
      "  turn interrupted (empty) by m",
    ]
  `);
  expect(soundness(world)).toEqual(sound);
});

test('a text that was replaced by one of the same length becomes a branch', async () => {
  const { read } = await worldOf(pi, piPath);
  await read(piFile(asked('One?'), answered('11'), asked('Two?'), answered('22')));

  expect(await read(piFile(asked('One?'), answered('12'), asked('Two?'), answered('22')))).toMatchObject({
    branched: 1,
  });
  expect(await read(piFile(asked('One?'), answered('12'), asked('Two?'), answered('22')))).toMatchObject({
    branched: 0,
    unchanged: 1,
  });
});

test('a source that was imported by an earlier version continues', async () => {
  const { world, read } = await worldOf(pi, piPath);
  const before = [asked('One?'), answered('1'), asked('Two?'), answered('2')];
  await read(piFile(...before));
  world.database.run(
    "UPDATE state_meta SET value = json_set(value, '$.digest', 'earlier', '$.whole', 'earlier') WHERE key LIKE 'import:%'",
  );

  expect(await read(piFile(...before))).toMatchObject({ unchanged: 1, branched: 0 });
  expect(await read(piFile(...before, asked('Three?')))).toMatchObject({ extended: 1, branched: 0 });
});

const claudePath = '/c/projects/p/11111111-0000-4000-8000-000000000000.jsonl';
const claude = placesWith({ claude: '/c' });

function claudeFile(...records: readonly object[]): string {
  const chained = records.map((record, index) => ({
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: 's',
    timestamp: '2026-01-01T00:00:00Z',
    ...record,
  }));
  return chained.map((one) => JSON.stringify(one)).join('\n');
}
const typed = (text: string, more: object = {}): object => ({
  type: 'user',
  message: { role: 'user', content: text },
  ...more,
});
const told = (id: string, text: string): object => ({
  type: 'assistant',
  message: { id, role: 'assistant', model: 'm', content: [{ type: 'text', text }] },
});

test.each([
  ['a list', { preservedMessages: { uuids: ['u3'] } }],
  ['the first and the last', { preservedSegment: { headUuid: 'u3', anchorUuid: 'u5', tailUuid: 'u3' } }],
])('a compaction of Claude Code keeps what it names by %s', async (_, compactMetadata) => {
  const { world, read } = await worldOf(claude, claudePath);
  await read(
    claudeFile(
      typed('One?'),
      told('m1', '1'),
      typed('Two?'),
      told('m2', '2'),
      { type: 'system', subtype: 'compact_boundary', content: 'Compacted', logicalParentUuid: 'u3', compactMetadata },
      typed('They counted.', { isCompactSummary: true }),
      typed('Three?'),
      told('m3', '3'),
    ),
  );

  expect(storedOutline(world).filter((line) => !line.includes('turn '))).toEqual([
    expect.stringContaining('S1: '),
    '  shown user: ["One?"]',
    '  shown assistant: ["1"]',
    '  shown user: ["Two?"]',
    '  shown assistant: ["2"]',
    expect.stringContaining('S2 compression of S1'),
    '  handoff user: ["They counted."]',
    '  shown assistant (carried): ["2"]',
    '  shown user: ["Three?"]',
    '  shown assistant: ["3"]',
  ]);
});

test('a stop in Claude Code is no prompt, but the reason of the end', async () => {
  const { world, read } = await worldOf(claude, claudePath);
  await read(
    claudeFile(
      typed('Count.'),
      told('m1', 'One, two'),
      typed('[Request interrupted by user]'),
      typed('Sing.'),
      typed('[Request interrupted by user]'),
      typed('Bye.'),
      told('m2', 'Bye.'),
    ),
  );

  expect(storedOutline(world).slice(1)).toEqual([
    '  shown user: ["Count."]',
    '  shown assistant: ["One, two"]',
    '  dropped user: ["[Request interrupted by user]"]',
    '  shown user: ["Sing."]',
    '  dropped user: ["[Request interrupted by user]"]',
    expect.stringContaining('(Stopped by the user before an answer.'),
    '  shown user: ["Bye."]',
    '  shown assistant: ["Bye."]',
    '  turn interrupted (user) by m',
    '  turn interrupted (user) by m',
    '  turn complete (stop) by m',
  ]);
});

test.each([
  ['interrupted', 'user'],
  ['replaced', 'newPrompt'],
])('a turn of Codex that was %s ended by %s', async (reason, stopReason) => {
  const { world, read } = await worldOf(placesWith({ codex: '/x' }), '/x/sessions/2026/01/01/rollout-a.jsonl');
  const records = [
    { type: 'session_meta', payload: { id: 'a' } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Count.' }] },
    },
    { type: 'event_msg', payload: { type: 'turn_aborted', reason } },
  ];
  await read(records.map((one) => JSON.stringify({ timestamp: '2026-01-01T00:00:00Z', ...one })).join('\n'));

  expect(storedOutline(world).at(-1)).toBe(`  turn interrupted (${stopReason}) by ?`);
});

test('a session of Cline is known by its own id, and its notes about errors are no answers', async () => {
  const [here, there] = ['/k/data/sessions/one/one.messages.json', '/elsewhere/two.messages.json'];
  const said = (role: string, text: string, more: object = {}): object => ({
    role,
    content: [{ type: 'text', text }],
    ...more,
  });
  const file = (sessionId: string): string =>
    JSON.stringify({
      version: 1,
      sessionId,
      origin: { version: '3.0.65' },
      messages: [
        said('user', '<user_input mode="act">Count.</user_input>'),
        said('assistant', 'The socket was closed.', { metadata: { displayOnly: true, displayRole: 'error' } }),
      ],
    });
  const files = new MemoryFiles({
    [here]: file('first'),
    [there]: file('second'),
    '/elsewhere/again.messages.json': file('first'),
  });
  const world = await importWorld(files);
  const { sessions } = await world.importer.scan(placesWith({ cline: '/k', chosen: ['/elsewhere'] }));

  expect(sessions.map(({ id, writtenBy }) => `${id} by ${writtenBy}`).sort()).toEqual(
    expect.arrayContaining(['first by 3.0.65', 'second by 3.0.65']),
  );
  expect((await world.importer.run(sessions)).counts).toMatchObject({ imported: 2, branched: 0 });
  expect(storedOutline(world).slice(1, 5)).toEqual([
    '  shown user: ["Count."]',
    '  dropped user: ["The socket was closed."]',
    '  closing assistant: ["(The request failed before an answer.)"]',
    '  turn interrupted (error) by ?',
  ]);
});

import { expect, test } from 'vitest';
import type { HistoryPlaces } from '../../../../src/history/sources/historyPlaces';
import { importWorld, sound, soundness, storedOutline, type ImportWorld } from '../../../support/history/importWorld';
import { MemoryFiles } from '../../../support/history/memoryFiles';
import { placesWith } from '../../../support/history/readHistory';

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
  expect(storedOutline(world)).toMatchInlineSnapshot();
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

  expect(storedOutline(world)).toMatchInlineSnapshot();
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

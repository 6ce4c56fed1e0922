import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hermesSource } from '../../../../../../src/features/history/core/sources/hermes/hermesSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { foreignCopies, openForeign, openInMemory } from '../../../../../support/history/openForeign';
import { findHistory, fixtures, placesWith, readHistory, outlineOf } from '../../../../../support/history/readHistory';
import { seededNumbers } from '../../../../../support/history/mutations';

const source = hermesSource(new NodeHistoryFiles(), openForeign);
let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'hermes-home-'));
  cpSync(`${fixtures}/hermes`, home, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const sessionOf = (id: string): Promise<readonly string[]> => outlineOf(source, placesWith({ hermes: home }), id);

test('finds sessions of every profile, with compression chains and branches', async () => {
  const { sessions, skipped } = await findHistory(source, placesWith({ hermes: home }));

  expect({
    sessions: sessions.map(({ location, source: _, ...facts }) =>
      JSON.stringify({ in: location.path.slice(home.length), ...facts }),
    ),
    skipped: skipped.map(({ place, reason }) => `${place.path.slice(home.length)}: ${reason}`),
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"in":"/state.db","lineage":null,"title":"The fruit","folder":"/home/demo/project","model":"nous/hermes-4","usage":{"inputTokens":520,"outputTokens":60,"cachedInputTokens":20,"cacheWriteTokens":0,"reasoningTokens":7,"costUsd":0.01},"writtenBy":"schema 30","startedAt":1790000000,"endedAt":1790000100,"messageCount":9,"id":"first"}",
        "{"in":"/state.db","lineage":{"kind":"compression","parentId":"first"},"title":null,"folder":null,"model":"nous/hermes-4","usage":null,"writtenBy":"schema 30","startedAt":1790000100,"endedAt":null,"messageCount":0,"id":"second"}",
        "{"in":"/state.db","lineage":{"kind":"branch","parentId":"first"},"title":null,"folder":null,"model":null,"usage":null,"writtenBy":"schema 30","startedAt":1790000200,"endedAt":null,"messageCount":0,"id":"branch"}",
        "{"in":"/state.db","lineage":{"kind":"delegate","parentId":"second"},"title":null,"folder":null,"model":null,"usage":null,"writtenBy":"schema 30","startedAt":1790000300,"endedAt":null,"messageCount":0,"id":"child"}",
        "{"in":"/state.db","lineage":null,"title":null,"folder":null,"model":null,"usage":null,"writtenBy":"schema 30","startedAt":1790000400,"endedAt":null,"messageCount":0,"id":"new"}",
        "{"in":"/profiles/compacted/state.db","lineage":null,"title":"Compacted in place","folder":"/home/demo/project","model":null,"usage":null,"writtenBy":"schema 30","startedAt":1790000000,"endedAt":null,"messageCount":0,"id":"inPlace"}",
        "{"in":"/profiles/compacted/state.db","lineage":null,"title":"Rotated","folder":"/home/demo/project","model":null,"usage":null,"writtenBy":"schema 30","startedAt":1790000500,"endedAt":1790000600,"messageCount":0,"id":"parent"}",
        "{"in":"/profiles/compacted/state.db","lineage":{"kind":"compression","parentId":"parent"},"title":null,"folder":"/home/demo/project","model":null,"usage":null,"writtenBy":"schema 30","startedAt":1790000600,"endedAt":null,"messageCount":0,"id":"next"}",
        "{"in":"/profiles/work/state.db","lineage":null,"title":null,"folder":null,"model":"gpt-4o","usage":null,"writtenBy":"schema 6","startedAt":1700000000,"endedAt":null,"messageCount":null,"id":"old"}",
      ],
      "skipped": [
        "/profiles/next/state.db: The database has schema version 31. Versions up to 30 can be read.",
        "/profiles/other/state.db: The database has no tables of Hermes Agent.",
      ],
    }
  `);
});

test('reads calls, results, images, compacted and withdrawn rows', async () => {
  expect(await sessionOf('first')).toMatchInlineSnapshot(`
    [
      "1 shown user: What is in fruit.txt?",
      "2 shown assistant: (thinks: The file first. {"openrouter":{"reasoning_details":[{"type":"reasoning.text","text":"The file first.","signature":"eA=="}]}}) | I read the file. | calls read_file call_1 {"path": "fruit.txt"}",
      "3 shown tool: done read_file call_1: apples and pears",
      "4 shown assistant: apples and pears.",
      "5 shown user: And this? | (image image/png iVBORw0KGgo=)",
      "6 shown assistant: calls read_file call_2 {"path": "none.txt"}",
      "7 shown tool: failed read_file call_2: {"error": "no such file"}",
      "8 abandoned user: Taken back.",
      "9 compacted assistant: Summarized away.",
      "facts: {}",
      "in 9 = imported 9 + skipped 0, 9 messages",
    ]
  `);
});

test('reads rows that are only in the write-ahead log, and accounts for damaged ones', async () => {
  expect(await sessionOf('second')).toMatchInlineSnapshot(`
    [
      "1 summary user: The user asked for fruit.",
      "2 hidden user: A note of the program.",
      "3 shown user: caf�",
      "damaged at row 11: The tool calls of this message are damaged.",
      "unknown at row 12: Messages of role “narrator” are not known.",
      "damaged at row 15: The result does not name its call.",
      "facts: {}",
      "in 6 = imported 3 + skipped 3, 3 messages",
    ]
  `);
});

test('reads each message once, though compactions in place wrote some again', async () => {
  expect(await sessionOf('inPlace')).toMatchInlineSnapshot(`
    [
      "1 compacted user: First.",
      "2 compacted assistant: Answer to first.",
      "3 compacted user: Middle.",
      "4 compacted assistant: Answer to middle.",
      "5 compacted user: Tail.",
      "6 compacted assistant: Answer to tail.",
      "7 summary assistant: They talked about the middle.",
      "8 shown user: Second tail.",
      "9 shown assistant: Answer to second tail.",
      "10 summary assistant: They talked about the middle and the tail.",
      "11 shown user: Second tail.",
      "12 shown assistant: Said again.",
      "repeated at row 7: The row repeats one from before a summary.",
      "repeated at row 9: The row repeats one from before a summary.",
      "repeated at row 10: The row repeats one from before a summary.",
      "repeated at row 13: The row repeats one from before a summary.",
      "repeated at row 15: The row repeats one from before a summary.",
      "repeated at row 16: The row repeats one from before a summary.",
      "facts: {}",
      "in 18 = imported 12 + skipped 6, 12 messages",
    ]
  `);
});

test('leaves out what a session repeats of the one that it continues, and finds a summary by its text', async () => {
  expect(await sessionOf('next')).toMatchInlineSnapshot(`
    [
      "1 summary user: It began and ended.",
      "2 shown user: Asked meanwhile.",
      "3 shown user: And then?",
      "4 shown assistant: Nothing.",
      "repeated at row 23: The row repeats one from before a summary.",
      "repeated at row 24: The row repeats one from before a summary.",
      "repeated at row 26: The row repeats one from before a summary.",
      "repeated at row 27: The row repeats one from before a summary.",
      "facts: {}",
      "in 7 = imported 3 + skipped 4, 4 messages",
    ]
  `);
});

test('reads a database of an early version', async () => {
  expect(await sessionOf('old')).toMatchInlineSnapshot(`
    [
      "1 shown user: Hello from a profile.",
      "facts: {}",
      "in 1 = imported 1 + skipped 0, 1 messages",
    ]
  `);
});

test('changes nothing where the database is, and leaves no copy', async () => {
  const before = snapshotOf(home);
  await sessionOf('second');

  expect({ after: snapshotOf(home), copies: readdirSync(foreignCopies) }).toEqual({ after: before, copies: [] });
});

test('skips a database that is in the middle of a transaction', async () => {
  writeFileSync(join(home, 'state.db-journal'), 'x');
  const { skipped } = await findHistory(source, placesWith({ hermes: home }));

  expect(skipped.map(({ reason }) => reason)).toContain(
    'The database, or the rest of it, can’t be read (Another program is writing to these sessions. Try again in a moment).',
  );
});

test('never throws and accounts for each row, whatever is damaged', async () => {
  const pick = seededNumbers(17);
  const [main, log] = [readFileSync(join(home, 'state.db')), readFileSync(join(home, 'state.db-wal'))];
  for (let round = 0; round < 1000; round++) {
    const contents = { main: damaged(main, pick), log: pick(3) === 0 ? damaged(log, pick) : log };
    const reader = hermesSource(new MemoryFiles({ '/h/state.db': contents.main }), openInMemory(contents));
    const { sessions } = await findHistory(reader, placesWith({ hermes: '/h' }));
    for (const session of sessions.slice(0, 2)) {
      const { records } = await readHistory(reader, session);
      expect({ round, in: records.in }).toEqual({ round, in: records.imported + records.skipped });
    }
  }
});

function damaged(bytes: Buffer, pick: (limit: number) => number): Buffer {
  const copy = Buffer.from(bytes);
  for (let flips = 1 + pick(8); flips > 0; flips--) copy[pick(copy.length)] = pick(256);
  return pick(5) === 0 ? copy.subarray(0, pick(copy.length)) : copy;
}

function snapshotOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stat = statSync(join(folder, name));
      return `${name} ${stat.isFile() ? `${stat.size} ${stat.mtimeMs}` : ''}`;
    });
}

import { expect, test } from 'vitest';
import { piSource } from '../../../../../../src/features/history/core/sources/pi/piSource';
import type { HistorySource } from '../../../../../../src/features/history/core/sources/historySource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { findHistory, fixtures, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

const places = placesWith({ pi: `${fixtures}/pi` });

async function outlineOf(source: HistorySource, at = places): Promise<readonly string[]> {
  const { sessions } = await findHistory(source, at);
  const [session] = sessions;
  if (session === undefined) throw new Error('no session');
  return outline(await readHistory(source, session));
}

function written(lines: readonly object[]): HistorySource {
  return piSource(new MemoryFiles({ [path]: lines.map((line) => JSON.stringify(line)).join('\n') }));
}
const path = '/p/sessions/--home--/2026-01-01T00-00-00-000Z_odd.jsonl';
const memory = placesWith({ pi: '/p' });

test('finds a session by its file', async () => {
  const { sessions, skipped } = await findHistory(piSource(new NodeHistoryFiles()), places);

  expect({
    sessions: sessions.map(({ location: _, ...facts }) => JSON.stringify(facts)),
    skipped,
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"lineage":null,"title":"ALPHA-READ: What is in fruit.txt?","folder":"/home/demo/project","model":"scripted","usage":null,"writtenBy":"format 3","startedAt":1795577889.782,"endedAt":1795577916.457,"messageCount":9,"id":"01a210c8-43ec-73cf-8523-970260993f9d","source":"pi"}",
      ],
      "skipped": [],
    }
  `);
});

test('reads calls, a failure, a stop and a compaction that pi wrote', async () => {
  expect(await outlineOf(piSource(new NodeHistoryFiles()))).toMatchInlineSnapshot(`
    [
      "1 compacted user: ALPHA-READ: What is in fruit.txt?",
      "2 compacted assistant: (thinks: The file first.) | I read the file. | calls read call_1 {"filePath":"/home/demo/project/fruit.txt","path":"/home/demo/project/fruit.txt"}",
      "3 compacted tool: done read call_1: apples and pears
    ",
      "4 compacted assistant: The file says: apples and pears.",
      "5 compacted user: BETA-FAIL: And in none.txt?",
      "6 compacted assistant: I try the other file. | calls read call_3 {"filePath":"/home/demo/project/none.txt","path":"/home/demo/project/none.txt"}",
      "7 compacted tool: failed read call_3: ENOENT: no such file or directory, access '/home/demo/project/none.txt'",
      "8 compacted assistant: That file does not exist.",
      "9 shown user: GAMMA-STOP: Count slowly.",
      "10 summary user: <summary>The user asked to read fruit.txt; it says apples and pears.</summary>

    <read-files>
    /home/demo/project/fruit.txt
    /home/demo/project/none.txt
    </read-files>",
      "facts: {"folder":"/home/demo/project","writtenBy":"format 3","model":"scripted","usage":{"inputTokens":410,"outputTokens":80,"cachedInputTokens":0,"cacheWriteTokens":0,"reasoningTokens":null,"costUsd":0},"startedAt":1795577889.782,"endedAt":1795577916.457}",
      "in 13 = imported 12 + skipped 1, 10 messages",
    ]
  `);
});

test('keeps branches beside the one the user saw last', async () => {
  const source = written([
    { type: 'session', version: 3, id: 'odd', cwd: '/w', parentSession: '/p/2025-12-31T00-00-00-000Z_origin.jsonl' },
    said('a', null, 'user', 'First'),
    said('b', 'a', 'assistant', 'One'),
    said('c', 'a', 'user', 'Second'),
    { type: 'branch_summary', id: 'd', parentId: 'a', fromId: 'b', summary: 'One was tried.' },
    { type: 'label', id: 'e', parentId: 'd', targetId: 'a', label: 'here' },
    { type: 'session_info', id: 'f', parentId: 'e', name: 'Counting' },
    said('g', 'f', 'user', 'Third'),
    said('g', 'f', 'user', 'Twice'),
  ]);
  const { sessions } = await findHistory(source, memory);

  expect([JSON.stringify(sessions[0]?.lineage), ...(await outlineOf(source, memory))]).toMatchInlineSnapshot(`
    [
      "{"kind":"branch","parentId":"origin"}",
      "1 shown user: First",
      "2 abandoned assistant: One",
      "3 abandoned user: Second",
      "4 hidden user: One was tried.",
      "5 shown user: Third",
      "repeated at line 9: A record with the same id came before.",
      "facts: {"folder":"/w","lineage":{"kind":"branch","parentId":"origin"},"writtenBy":"format 3","title":"Counting"}",
      "in 9 = imported 7 + skipped 2, 5 messages",
    ]
  `);
});

test('reads version 1, commands of the user, notes of extensions and errors', async () => {
  const source = written([
    { type: 'session', id: 'odd', cwd: '/w', provider: 'x', modelId: 'y' },
    { type: 'message', message: { role: 'user', content: 'First' } },
    { type: 'message', message: { role: 'bashExecution', command: 'ls', output: 'a\nb\n' } },
    { type: 'compaction', summary: 'So far.', firstKeptEntryIndex: 2 },
    { type: 'message', message: { role: 'hookMessage', content: 'Seen by the model', display: false } },
    { type: 'message', message: { role: 'assistant', content: [], stopReason: 'error', errorMessage: 'Busy.' } },
    { type: 'message', message: { role: 'assistant', content: [], stopReason: 'aborted' } },
    { type: 'message', message: { role: 'user', content: [{ type: 'image', mimeType: 'image/png', data: 'eA==' }] } },
    { type: 'message', message: { role: 'robot' } },
    { type: 'future' },
  ]);

  expect(await outlineOf(source, memory)).toMatchInlineSnapshot(`
    [
      "1 compacted user: First",
      "2 shown user: ! ls
    a
    b",
      "3 summary user: So far.",
      "4 hidden user: Seen by the model",
      "5 shown system: Busy.",
      "6 shown user: (image image/png eA==)",
      "unknown at line 9: Messages of role “robot” are not known.",
      "unknown at line 10: Records of type “future” are not known.",
      "facts: {"folder":"/w","writtenBy":"format 1"}",
      "in 10 = imported 7 + skipped 3, 6 messages",
    ]
  `);
});

test('sums the cost of the answers that name one', async () => {
  const answer = (usage: object): object => ({
    type: 'message',
    message: { role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], usage },
  });
  const counts = { input: 10, output: 2 };
  const priced = { ...counts, cost: { total: 0.5 } };
  const usageOf = async (...usages: readonly object[]) => {
    const source = written([{ type: 'session', version: 3, id: 'odd', cwd: '/w' }, ...usages.map(answer)]);
    const [session] = (await findHistory(source, memory)).sessions;
    return session === undefined ? null : (await readHistory(source, session)).facts.usage;
  };

  expect(await usageOf(priced, priced)).toMatchObject({ inputTokens: 20, costUsd: 1 });
  expect(await usageOf(counts, priced, counts)).toMatchObject({ inputTokens: 30, costUsd: 0.5 });
  expect(await usageOf(counts, counts)).not.toHaveProperty('costUsd');
});

test('leaves files of a newer version and files without a message', async () => {
  const files = new MemoryFiles({
    '/p/sessions/a/new.jsonl': '{"type":"session","version":4,"id":"n"}\n',
    '/p/sessions/a/none.jsonl': '{"type":"session","version":3,"id":"n"}\n',
  });
  const { skipped } = await findHistory(piSource(files), memory);

  expect(skipped.map(({ reason }) => reason)).toEqual([
    'The file has version 4. Versions up to 3 can be read.',
    'The file holds no message.',
  ]);
});

function said(id: string, parentId: string | null, role: string, text: string): object {
  return { type: 'message', id, parentId, message: { role, content: [{ type: 'text', text }] } };
}

test('keeps system messages hidden, and counts usage and changes of the context as bookkeeping', async () => {
  const source = written([
    { type: 'session', version: 3, id: 'odd', cwd: '/home' },
    { type: 'message', id: 'a', parentId: null, message: { role: 'system', content: 'You are pi.' } },
    { type: 'message', id: 'b', parentId: 'a', message: { role: 'user', content: 'Hello' } },
    { type: 'usage', id: 'c', parentId: 'b' },
    { type: 'context_edit', id: 'd', parentId: 'c' },
  ]);

  expect((await outlineOf(source, memory)).filter((text) => !text.startsWith('facts'))).toEqual([
    '1 shown system: You are pi.',
    '2 shown user: Hello',
    'in 5 = imported 3 + skipped 2, 2 messages',
  ]);
});

import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OpencodeSource } from '../../../../../../src/features/history/core/sources/opencode/opencodeSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { mutated, seededNumbers } from '../../../../../support/history/mutations';
import { openForeign } from '../../../../../support/history/openForeign';
import { findHistory, fixtures, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

const source = new OpencodeSource(new NodeHistoryFiles(), openForeign);
let home = '';

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'opencode-home-'));
  cpSync(`${fixtures}/opencode`, home, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

test('finds sessions of the database and of earlier files', async () => {
  const { sessions, skipped } = await findHistory(source, placesWith({ opencode: home }));

  expect({
    sessions: sessions.map(({ location, ...facts }) =>
      JSON.stringify({ in: location.path.slice(home.length), ...facts }),
    ),
    skipped,
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"in":"/opencode.db","lineage":null,"title":"I read the file.","folder":"/home/demo/project","model":"scripted","usage":{"inputTokens":414,"outputTokens":80,"cachedInputTokens":0,"cacheWriteTokens":0,"reasoningTokens":0,"costUsd":0},"writtenBy":"1.18.33","startedAt":1795578665.354,"endedAt":1795578710.024,"messageCount":null,"id":"ses_def2be675ffedBPt9Tc4cGh6HO","source":"opencode"}",
        "{"in":"/opencode.db","lineage":null,"title":"Hello from the scripted model.","folder":"/home/demo/project","model":"scripted","usage":{"inputTokens":108,"outputTokens":20,"cachedInputTokens":0,"cacheWriteTokens":0,"reasoningTokens":0,"costUsd":0},"writtenBy":"1.18.33","startedAt":1795578756.71,"endedAt":1795578840.76,"messageCount":null,"id":"ses_def2a819dffekoq1YDT5aTlOYO","source":"opencode"}",
        "{"in":"/storage/session/global/ses_files.json","lineage":null,"title":"What is in fruit.txt?","folder":"/home/demo/project","model":null,"usage":null,"writtenBy":"0.15.8","startedAt":1760947200,"endedAt":1760947260,"messageCount":null,"id":"ses_files","source":"opencode"}",
      ],
      "skipped": [],
    }
  `);
});

test('reads calls, a failure and a kill from a database that opencode wrote', async () => {
  expect(await sessionAt(0)).toMatchInlineSnapshot(`
    [
      "1 shown user: "ALPHA-READ: What is in fruit.txt?"",
      "2 shown assistant: (thinks: The file first.) | I read the file. | calls read call_2 {"filePath":"/home/demo/project/fruit.txt","path":"/home/demo/project/fruit.txt"}",
      "3 shown tool: done read call_2: <path>/home/demo/project/fruit.txt</path>
    <type>file</type>
    <content>
    1: apples and pears

    (End of file - total 1 lines)
    </content>",
      "4 shown assistant: The file says: apples and pears.",
      "5 shown user: "BETA-FAIL: And in none.txt?"",
      "6 shown assistant: I try the other file. | calls read call_4 {"filePath":"/home/demo/project/none.txt","path":"/home/demo/project/none.txt"}",
      "7 shown tool: failed read call_4: File not found: /home/demo/project/none.txt",
      "8 shown assistant: That file does not exist.",
      "9 shown user: "GAMMA-STOP: Count slowly."",
      "facts: {"model":"scripted"}",
      "in 28 = imported 17 + skipped 11, 9 messages",
    ]
  `);
});

test('reads steps, context, images, a summary, an error and what was taken back from files', async () => {
  expect(await sessionAt(2)).toMatchInlineSnapshot(`
    [
      "1 compacted user: What is in fruit.txt? | (image image/png iVBORw0KGgo=)",
      "2 hidden user: The file was read.",
      "3 compacted assistant: calls read call_1 {"filePath":"fruit.txt"}",
      "4 compacted tool: done read call_1: apples and pears",
      "5 compacted assistant: Apples and pears. | calls bash call_2 {"command":"sleep 9"} | calls bash call_3 {}",
      "6 compacted tool: denied bash call_3: The user rejected permission to use this specific tool call.",
      "7 summary assistant: The file names fruit.",
      "8 shown system: The server is busy.",
      "9 abandoned user: And now?",
      "unknown at file 1: An attached file of type “application/pdf” was left out.",
      "unknown at file 1: Records of type “future” are not known.",
      "facts: {"model":"scripted"}",
      "in 22 = imported 14 + skipped 8, 9 messages",
    ]
  `);
});

test('takes in the full output of a tool from its own file', async () => {
  const parts = join(home, 'storage/part');
  for (const name of readdirSync(parts, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.json'))) {
    const text = readFileSync(join(parts, name), 'utf8');
    writeFileSync(join(parts, name), text.replace('apples and pears', 'apples\\nFull output saved to: /gone/tool_1'));
  }
  mkdirSync(join(home, 'tool-output'));
  writeFileSync(join(home, 'tool-output/tool_1'), 'apples and all the pears');

  expect((await sessionAt(2))[3]).toBe(
    '4 compacted tool: done read call_1: apples\nFull output saved to: /gone/tool_1\n\n[Full output]\napples and all the pears',
  );
});

test('skips a session of files that is in the database, too', async () => {
  cpSync(
    `${home}/storage/session/global/ses_files.json`,
    `${home}/storage/session/global/ses_def2be675ffedBPt9Tc4cGh6HO.json`,
  );
  const { skipped } = await findHistory(source, placesWith({ opencode: home }));

  expect(skipped.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
    'repeated: The session is in the database, too.',
  ]);
});

test('accounts for each record, whatever is damaged in the files', async () => {
  const pick = seededNumbers(20_261_126);
  const paths = [
    'session/global/ses_files.json',
    ...[1, 2, 3, 4, 5, 6, 7].map((number) => `message/ses_files/msg_${number}.json`),
    ...['msg_1/prt_10', 'msg_1/prt_12', 'msg_2/prt_21', 'msg_2/prt_25'].map((name) => `part/${name}.json`),
  ].map((path) => `/o/storage/${path}`);
  const contents = paths.map((path) => readFileSync(path.replace('/o', `${fixtures}/opencode`)));
  for (let round = 0; round < 1000; round++) {
    const at = round % paths.length;
    const entries = paths.map((path, index) => {
      const content = contents[index] ?? Buffer.alloc(0);
      return [path, index === at ? mutated(content, pick) : content] as const;
    });
    const reader = new OpencodeSource(new MemoryFiles(Object.fromEntries(entries)), openForeign);
    const { sessions } = await findHistory(reader, placesWith({ opencode: '/o' }));
    for (const session of sessions) {
      const { records, messages } = await readHistory(reader, session);
      const balance = { round, in: records.in, distinct: new Set(messages.map(({ id }) => id)).size };
      expect(balance).toEqual({ round, in: records.imported + records.skipped, distinct: messages.length });
    }
  }
});

async function sessionAt(index: number): Promise<readonly string[]> {
  const { sessions } = await findHistory(source, placesWith({ opencode: home }));
  const session = sessions[index];
  if (session === undefined) throw new Error(`no session ${index}`);
  return outline(await readHistory(source, session));
}

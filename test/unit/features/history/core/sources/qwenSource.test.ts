import { expect, test } from 'vitest';
import { qwenSource } from '../../../../../../src/features/history/core/sources/qwen/qwenSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { findHistory, fixtures, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

const source = qwenSource(new NodeHistoryFiles());

test('reads calls, a compression, a prompt that was left and notes of the program', async () => {
  const { sessions, skipped } = await findHistory(source, placesWith({ qwen: `${fixtures}/qwen` }));
  const outlines = await Promise.all(sessions.map(async (session) => outline(await readHistory(source, session))));

  expect({
    sessions: sessions.map(({ location: _, ...facts }, index) => [JSON.stringify(facts), ...(outlines[index] ?? [])]),
    skipped,
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        [
          "{"lineage":null,"title":"Fruit","folder":"/home/demo/project","model":"qwen3-coder","usage":null,"writtenBy":"0.24.4","startedAt":1795168801,"endedAt":1795168813,"messageCount":10,"id":"dddddddd-0000-4000-8000-000000000004","source":"qwen"}",
          "1 compacted user: What is in fruit.txt?",
          "2 compacted assistant: (thinks: The file first.) | I read the file. | calls read_file call_1 {"path":"fruit.txt"}",
          "3 compacted tool: failed read_file call_1: no such file",
          "4 compacted assistant: It is not there.",
          "5 abandoned user: An abandoned prompt",
          "6 summary user: They looked for fruit.txt.",
          "7 hidden user: A background task ended.",
          "8 shown user: Go on",
          "9 shown assistant: Done.",
          "repeated at line 11: A record with the same id came before.",
          "unknown at line 12: Records of type “dream” are not known.",
          "facts: {"title":"Fruit","model":"qwen3-coder","usage":{"inputTokens":100,"outputTokens":20,"cachedInputTokens":0,"cacheWriteTokens":null,"reasoningTokens":3},"startedAt":1795168801,"endedAt":1795168813}",
          "in 13 = imported 10 + skipped 3, 9 messages",
        ],
      ],
      "skipped": [],
    }
  `);
});

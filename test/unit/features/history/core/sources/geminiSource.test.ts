import { expect, test } from 'vitest';
import { geminiSource } from '../../../../../../src/features/history/core/sources/gemini/geminiSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { findHistory, fixtures, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

const source = geminiSource(new NodeHistoryFiles());

test('reads lines with changes, a compressed session, a sub-agent, and the older form', async () => {
  const { sessions, skipped } = await findHistory(source, placesWith({ gemini: `${fixtures}/gemini` }));
  const outlines = await Promise.all(sessions.map(async (session) => outline(await readHistory(source, session))));

  expect({
    sessions: sessions.map(({ location: _, ...facts }, index) => [JSON.stringify(facts), ...(outlines[index] ?? [])]),
    skipped,
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        [
          "{"lineage":{"kind":"delegate","parentId":"aaaaaaaa-0000-4000-8000-000000000001"},"title":"Look at the fruit","folder":"/home/demo/project","model":"gemini-3-flash","usage":null,"writtenBy":null,"startedAt":1795168802,"endedAt":1795168803,"messageCount":null,"id":"helper","source":"gemini"}",
          "1 shown user: Look at the fruit",
          "2 shown assistant: Apples.",
          "facts: {"model":"gemini-3-flash","startedAt":1795168802,"endedAt":1795168803}",
          "in 3 = imported 3 + skipped 0, 2 messages",
        ],
        [
          "{"lineage":null,"title":"An older session","folder":"/home/demo/project","model":"gemini-2.5-pro","usage":null,"writtenBy":null,"startedAt":1760799420,"endedAt":1760799480,"messageCount":null,"id":"cccccccc-0000-4000-8000-000000000003","source":"gemini"}",
          "1 shown user: An older session",
          "2 shown assistant: calls list ls_1 {}",
          "3 shown assistant: An older answer",
          "facts: {"model":"gemini-2.5-pro","startedAt":1760799420,"endedAt":1760799440}",
          "in 3 = imported 3 + skipped 0, 3 messages",
        ],
        [
          "{"lineage":null,"title":"Reading fruit.txt","folder":"/home/demo/project","model":"gemini-3-pro","usage":null,"writtenBy":null,"startedAt":1795168800,"endedAt":1795168809,"messageCount":null,"id":"aaaaaaaa-0000-4000-8000-000000000001","source":"gemini"}",
          "1 shown user: What is in fruit.txt? | (image image/png aGk=)",
          "2 shown assistant: (thinks: Reading
    The file first.) | I read the file. | calls read_file read_1 {"path":"fruit.txt"} | calls read_file read_2 {"path":"none.txt"} | done read_file read_1: apples | failed read_file read_2: no such file",
          "3 shown assistant: It says: apples.",
          "4 abandoned user: And a wrong question",
          "5 abandoned assistant: A wrong answer",
          "6 shown user: Count slowly.",
          "7 shown system: The request was refused: quota.",
          "unknown at line 12: Records of type “hologram” are not known.",
          "facts: {"model":"gemini-3-pro","usage":{"inputTokens":280,"outputTokens":38,"cachedInputTokens":10,"cacheWriteTokens":null,"reasoningTokens":5},"startedAt":1795168801,"endedAt":1795168809}",
          "in 13 = imported 11 + skipped 2, 7 messages",
        ],
        [
          "{"lineage":null,"title":"A long beginning","folder":"/home/demo/project","model":"gemini-3-pro","usage":null,"writtenBy":null,"startedAt":1795168800,"endedAt":1795168807,"messageCount":null,"id":"bbbbbbbb-0000-4000-8000-000000000002","source":"gemini"}",
          "1 compacted user: A long beginning",
          "2 compacted assistant: A long answer",
          "3 shown user: The last prompt",
          "4 shown assistant: The last answer",
          "5 summary user: <state_snapshot>There was a long beginning.</state_snapshot>",
          "6 shown user: After the compression",
          "7 shown assistant: Still here.",
          "facts: {"model":"gemini-3-pro","startedAt":1795168801,"endedAt":1795168807}",
          "in 8 = imported 8 + skipped 0, 7 messages",
        ],
      ],
      "skipped": [],
    }
  `);
});

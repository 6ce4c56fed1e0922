import { expect, test } from 'vitest';
import { chatFileSource } from '../../../../../../src/features/history/core/sources/chatFiles/chatFileSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { findHistory, fixtures, outline, placesWith, readHistory } from '../../../../../support/history/readHistory';

test('reads the data exports of ChatGPT and claude.ai', async () => {
  const source = chatFileSource(new NodeHistoryFiles());
  const { sessions, skipped } = await findHistory(source, placesWith({ chosen: [`${fixtures}/webExports`] }));
  const outlines = await Promise.all(sessions.map(async (session) => outline(await readHistory(source, session))));

  expect({
    sessions: sessions.map(({ location: _, ...facts }, index) => [JSON.stringify(facts), ...(outlines[index] ?? [])]),
    skipped,
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        [
          "{"lineage":null,"title":"Fruit and code","folder":null,"model":"gpt-5","usage":null,"writtenBy":null,"startedAt":1795000000.1,"endedAt":1795000100.2,"messageCount":9,"id":"chat-1","source":"chatGpt"}",
          "1 shown user: (image at file-service://file-1) | What is this? (Attached files are not in the export: fruit.png.)",
          "2 shown assistant: (thinks: Looking
    It is an apple.)",
          "3 shown assistant: An apple.",
          "4 shown user: Add one and one.",
          "5 shown assistant: calls python call 1 {"input":"print(1 + 1)"}",
          "6 shown tool: done python call 1: 2",
          "7 shown assistant: Two.",
          "8 abandoned assistant: A first answer that was replaced.",
          "facts: {}",
          "in 9 = imported 8 + skipped 1, 8 messages",
        ],
        [
          "{"lineage":null,"title":"Apples","folder":null,"model":null,"usage":null,"writtenBy":null,"startedAt":1790845200,"endedAt":1790845209,"messageCount":3,"id":"claude-1","source":"claudeAi"}",
          "1 shown user: Read this | fruit.txt

    apples (Attached files are not in the export: photo.png.)",
          "2 abandoned assistant: An answer that was retried",
          "3 shown assistant: (thinks: A search helps.) | calls web_search call 1 {"query":"apples"} | done  call 1: Apples are fruit. | It says: apples. (A block of type “token_budget” was left out.)",
          "facts: {}",
          "in 3 = imported 3 + skipped 0, 3 messages",
        ],
      ],
      "skipped": [],
    }
  `);
});

test('refuses a file once, and says which formats are read', async () => {
  const lines = Array.from({ length: 121 }, (_, index) => JSON.stringify({ other: index })).join('\n');
  const source = chatFileSource(new MemoryFiles({ '/other.jsonl': lines }));
  const { sessions, skipped } = await findHistory(source, placesWith({ chosen: ['/other.jsonl'] }));

  expect({ sessions, skipped: skipped.map(({ reason }) => reason) }).toEqual({
    sessions: [],
    skipped: [expect.stringMatching(/^It holds no session .*Gemini CLI, Qwen Code, ChatGPT, claude\.ai\.$/)],
  });
});

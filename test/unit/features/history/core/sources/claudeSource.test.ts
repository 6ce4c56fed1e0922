import { expect, test } from 'vitest';
import { claudeSource } from '../../../../../../src/features/history/core/sources/claude/claudeSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { findHistory, fixtures, placesWith, outlineOf } from '../../../../../support/history/readHistory';

const source = claudeSource(new NodeHistoryFiles());
const places = placesWith({ claude: `${fixtures}/claudeCode` });

const sessionOf = (id: string): Promise<readonly string[]> => outlineOf(source, places, id);

test('finds sessions, their sub-agents and files without a message', async () => {
  const { sessions, skipped } = await findHistory(source, places);

  expect({
    sessions: sessions.map((session) => ({ ...session, location: session.location.path.slice(fixtures.length) })),
    skipped: skipped.map(({ place, reason }) => `${place.path.slice(fixtures.length)}: ${reason}`),
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        {
          "endedAt": 1795577809.114,
          "folder": "/home/demo/project",
          "id": "11111111-2222-4333-8444-555555555555",
          "lineage": null,
          "location": "/claudeCode/projects/-home-demo-project/11111111-2222-4333-8444-555555555555.jsonl",
          "messageCount": 18,
          "model": "claude-sonnet-4-5",
          "source": "claudeCode",
          "startedAt": 1795577788.112,
          "title": "What is in fruit.txt?",
          "usage": null,
          "writtenBy": "2.1.197",
        },
        {
          "endedAt": 1770000018,
          "folder": "/home/demo/project",
          "id": "agent-5f3a",
          "lineage": {
            "kind": "delegate",
            "parentId": "odd",
          },
          "location": "/claudeCode/projects/-home-demo-project/odd/subagents/agent-5f3a.jsonl",
          "messageCount": 2,
          "model": "claude-opus-4-5",
          "source": "claudeCode",
          "startedAt": 1770000017,
          "title": "Look for tests.",
          "usage": null,
          "writtenBy": "2.1.144",
        },
        {
          "endedAt": 1770000016,
          "folder": "/home/demo/project",
          "id": "odd",
          "lineage": null,
          "location": "/claudeCode/projects/-home-demo-project/odd.jsonl",
          "messageCount": 13,
          "model": "claude-opus-4-5",
          "source": "claudeCode",
          "startedAt": 1770000000,
          "title": "My comparison",
          "usage": null,
          "writtenBy": "2.1.144",
        },
      ],
      "skipped": [
        "/claudeCode/projects/-home-demo-project/empty.jsonl: The file holds no message.",
      ],
    }
  `);
});

test('reads a session with a tool call, a failure, a stop and a compaction', async () => {
  expect(await sessionOf('11111111-2222-4333-8444-555555555555')).toMatchInlineSnapshot(`
    [
      "1 compacted user: What is in fruit.txt?",
      "2 compacted assistant: (thinks: The file first. {"anthropic":{"signature":"c2lnbmF0dXJl"}}) | I read the file. | calls Read toolu_2 {"file_path":"/home/demo/project/fruit.txt"}",
      "3 compacted tool: done Read toolu_2: 1	apples and pears
    2	",
      "4 compacted assistant: The file says: apples and pears.",
      "5 compacted user: And in none.txt?",
      "6 compacted assistant: I try the other file. | calls Read toolu_5 {"file_path":"/home/demo/project/none.txt"}",
      "7 compacted tool: failed Read toolu_5: File does not exist. Note: your current working directory is /home/demo/project.",
      "8 compacted assistant: That file does not exist.",
      "9 compacted user: Count slowly.",
      "10 hidden assistant: (no answer)",
      "11 summary user: The user asked to read fruit.txt; it says apples and pears.",
      "12 hidden user: (a note of the program)",
      "13 hidden user: /compact",
      "14 hidden user: <local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>",
      "15 hidden user: (a note of the program)",
      "16 hidden assistant: (no answer)",
      "17 shown user: Hello again.",
      "18 shown assistant: Hello from the scripted model.",
      "facts: {"folder":"/home/demo/project","writtenBy":"2.1.197","model":"claude-sonnet-4-5","usage":{"inputTokens":578,"outputTokens":100,"cachedInputTokens":50,"cacheWriteTokens":0,"reasoningTokens":null},"startedAt":1795577788.443,"endedAt":1795577809.114}",
      "in 44 = imported 22 + skipped 22, 18 messages",
    ]
  `);
});

test('reads branches, parallel results, refusals, images, errors, gaps and a cut line', async () => {
  expect(await sessionOf('odd')).toMatchInlineSnapshot(`
    [
      "1 shown user: Compare the two files. | (image image/png iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
      "2 shown assistant: (thinks:  {"anthropic":{"redactedData":"cmVkYWN0ZWQ="}}) | calls Read t1 {"file_path":"a.ts"}",
      "3 shown tool: done Read t1: one(image image/png iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
      "4 shown assistant: calls Bash t2 {"command":"cat b.ts"}",
      "5 shown tool: denied Bash t2: The user doesn't want to proceed.",
      "6 abandoned assistant: This answer was taken back.",
      "7 abandoned system: Rewound.",
      "8 shown assistant: They are equal.",
      "9 sidechain user: Look for tests.",
      "10 sidechain assistant: There are none.",
      "11 shown user: And the third one?",
      "12 shown user: Please hurry.",
      "13 shown system: API Error: overloaded",
      "14 shown assistant: Done.",
      "unknown at line 17: A block of type “hologram” was left out.",
      "repeated at line 18: A record with the same id came before.",
      "unknown at line 23: Records of type “from-the-future” are not known.",
      "damaged at line 24: The record is cut off or is not a JSON object.",
      "facts: {"title":"My comparison","folder":"/home/demo/project","writtenBy":"2.1.144","model":"claude-opus-4-5","usage":{"inputTokens":65,"outputTokens":25,"cachedInputTokens":10,"cacheWriteTokens":5,"reasoningTokens":null},"startedAt":1770000000,"endedAt":1770000016}",
      "in 24 = imported 19 + skipped 5, 14 messages",
    ]
  `);
});

test('shows the messages of a sub-agent in its own session', async () => {
  expect(await sessionOf('agent-5f3a')).toMatchInlineSnapshot(`
    [
      "1 shown user: Look for tests.",
      "2 shown assistant: There are none.",
      "facts: {"folder":"/home/demo/project","writtenBy":"2.1.144","model":"claude-opus-4-5","usage":{"inputTokens":13,"outputTokens":5,"cachedInputTokens":2,"cacheWriteTokens":1,"reasoningTokens":null},"startedAt":1770000017,"endedAt":1770000018}",
      "in 2 = imported 2 + skipped 0, 2 messages",
    ]
  `);
});

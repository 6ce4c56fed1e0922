import { expect, test } from 'vitest';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { vscodeChatSource } from '../../../../../../src/features/history/core/sources/vscodeChat/vscodeChatSource';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import { findHistory, fixtures, placesWith, readHistory, outlineOf } from '../../../../../support/history/readHistory';

// The fixtures are handwritten from VS Code's sources; vscodeChatSource.ts names them.
const source = vscodeChatSource(new NodeHistoryFiles());
const places = placesWith({ editors: [`${fixtures}/vscodeChat/User`] });

const sessionOf = (id: string): Promise<readonly string[]> => outlineOf(source, places, id);

test('finds sessions of workspaces and of empty windows, and prefers the journal', async () => {
  const { sessions, skipped } = await findHistory(source, places);

  expect({
    sessions: sessions.map(({ id, title, folder, model, startedAt, endedAt, writtenBy }) =>
      JSON.stringify({ id, title, folder, model, startedAt, endedAt, writtenBy }),
    ),
    skipped: skipped.map(({ kind, reason }) => `${kind}: ${reason}`),
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"id":"flat-1","title":"The fruit","folder":"/home/demo/my project","model":"gpt-4.1","startedAt":1760000000,"endedAt":1760000003.5,"writtenBy":"format 3"}",
        "{"id":"journal-1","title":"A journal","folder":"/home/demo/my project","model":"gpt-4.1","startedAt":1760000000,"endedAt":1760000004.5,"writtenBy":"format 3"}",
        "{"id":"journal-2","title":"Over there","folder":null,"model":"gpt-4.1","startedAt":1760000000,"endedAt":1760000001.5,"writtenBy":"format 3"}",
        "{"id":"old","title":"Hello, old format","folder":null,"model":null,"startedAt":1759000000,"endedAt":1759000000,"writtenBy":"format 1"}",
      ],
      "skipped": [
        "repeated: The session is in a journal beside the file, too.",
        "unknown: The file has version 4. Versions up to 3 can be read.",
        "bookkeeping: The file holds no message.",
      ],
    }
  `);
});

test('reads prompts with attachments, thoughts, tool calls with results, edits and errors', async () => {
  expect(await sessionOf('flat-1')).toMatchInlineSnapshot(`
    [
      "1 shown user: What is in fruit.txt? | [Attached: /home/demo/my project/fruit.txt] | (image image/png iVBORw0KGgo=)",
      "2 shown assistant: (thinks: The file first.) | I read \`fruit.txt\`. | calls read_file call_1 {"filePath":"fruit.txt"} | calls run_in_terminal call_2 {"command":"ls"}",
      "3 shown tool: done read_file call_1: apples
     and pears | done run_in_terminal call_2: fruit.txt",
      "4 shown assistant: It holds apples.

    [Edited: /home/demo/my project/a.ts]

    \`\`\`
    const a = 1;
    \`\`\`",
      "5 shown user: Delete it.",
      "6 shown assistant: calls delete call_3 {} | calls mcp_x_do call_4 {"a":1}",
      "7 shown tool: denied delete call_3: Ran delete | failed mcp_x_do call_4: no such file(image image/png AAAA)",
      "8 sidechain assistant: calls search call_5 {}",
      "9 sidechain tool: interrupted search call_5: Ran search",
      "10 shown assistant: Sure?

    It cannot be undone.

    Careful.",
      "11 shown system: The quota is used up.",
      "12 abandoned user: Taken back.",
      "13 abandoned assistant: Gone.",
      "unknown at element 2: Records of type “brandNew” are not known.",
      "damaged at element 2: A tool call without an id or a name was left out.",
      "damaged at element 2: The record is cut off or is not a JSON object.",
      "damaged at element 4: The record is cut off or is not a JSON object.",
      "facts: {"model":"gpt-4.1","usage":{"inputTokens":120,"outputTokens":30,"cachedInputTokens":null,"cacheWriteTokens":null,"reasoningTokens":null},"startedAt":1760000001,"endedAt":1760000003.5}",
      "in 25 = imported 17 + skipped 8, 13 messages",
    ]
  `);
});

test('reads the first version, whose prompts are texts', async () => {
  expect(await sessionOf('old')).toMatchInlineSnapshot(`
    [
      "1 shown user: Hello, old format",
      "2 shown assistant: Hello.",
      "facts: {}",
      "in 2 = imported 2 + skipped 0, 2 messages",
    ]
  `);
});

test('replays a journal, and leaves out lines that do not fit', async () => {
  expect(await sessionOf('journal-1')).toMatchInlineSnapshot(`
    [
      "1 shown user: First prompt",
      "2 shown assistant: (thinks: Two pieces.) | Answer one.",
      "3 shown user: Second prompt",
      "4 shown assistant: Answer two.",
      "5 hidden user: A note of VS Code",
      "6 shown assistant: Answer three.",
      "damaged at line 9: The line changes something that is not there.",
      "damaged at line 10: The line changes something that is not there.",
      "damaged at line 11: The line changes something that is not there.",
      "damaged at line 12: The line changes something that is not there.",
      "damaged at line 13: The record is cut off or is not a JSON object.",
      "facts: {"model":"gpt-4.1","startedAt":1760000001,"endedAt":1760000004.5}",
      "in 12 = imported 7 + skipped 5, 6 messages",
    ]
  `);
  expect('polluted' in {}).toBe(false);
});

test('reads a cut file as far as it goes', async () => {
  const whole = `{"version":3,"requests":[${request('One')},${request('Two')}],"sessionId":"s"}`;
  const files = new MemoryFiles({ '/u/globalStorage/emptyWindowChatSessions/s.json': whole.slice(0, -50) });
  const reader = vscodeChatSource(files);
  const { sessions } = await findHistory(reader, placesWith({ editors: ['/u'] }));
  const read = await readHistory(reader, sessions[0] ?? expect.fail('no session'));

  expect({ title: sessions[0]?.title, messages: read.messages.length, records: read.records }).toEqual({
    title: 'One',
    messages: 2,
    records: { in: 3, imported: 2, skipped: 1, messages: 2 },
  });
});

function request(text: string): string {
  return JSON.stringify({ requestId: text, message: { text, parts: [] }, response: [{ value: `Yes, ${text}.` }] });
}

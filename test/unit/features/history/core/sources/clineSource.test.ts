import { expect, test } from 'vitest';
import { clineSource } from '../../../../../../src/features/history/core/sources/cline/clineSource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { findHistory, fixtures, placesWith, outlineOf } from '../../../../../support/history/readHistory';

const source = clineSource(new NodeHistoryFiles());
const places = placesWith({ cline: `${fixtures}/cline`, editors: [`${fixtures}/cline/User`] });

const sessionOf = (id: string): Promise<readonly string[]> => outlineOf(source, places, id);

test('finds task folders of extensions and sessions of the command line, and refuses a newer version', async () => {
  const { sessions, skipped } = await findHistory(source, places);

  expect({
    sessions: sessions.map(({ id, title, folder, model, lineage, startedAt, usage }) =>
      JSON.stringify({ id, title, folder, model, lineage, startedAt, usage }),
    ),
    skipped: skipped.map(({ reason }) => reason),
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"id":"task-1","title":"Fix the typo","folder":"/home/demo/project","model":null,"lineage":{"kind":"delegate","parentId":"task-0"},"startedAt":1760000000,"usage":{"inputTokens":900,"outputTokens":80,"cachedInputTokens":10,"cacheWriteTokens":5,"reasoningTokens":null,"costUsd":0.02}}",
        "{"id":"1795577962411_vness","title":"What is in fruit.txt?","folder":"/home/demo/project","model":"scripted","lineage":null,"startedAt":1795577962.429,"usage":null}",
      ],
      "skipped": [
        "The task is in the second format of Roo Code. Only lists of messages can be read.",
        "The session has version 2. Version 1 can be read.",
      ],
    }
  `);
});

test('reads a task folder with a failure and a condensed beginning', async () => {
  expect(await sessionOf('task-1')).toMatchInlineSnapshot(`
    [
      "1 compacted user: <task>
    Fix the typo
    </task> | <environment_details>…</environment_details>",
      "2 compacted assistant: I read it. | calls read_file t1 {"path":"a.ts"}",
      "3 compacted tool: failed read_file t1: no such file",
      "4 summary user: The user wants a typo fixed.",
      "5 shown assistant: There is no such file, and \\"quotes\\" ] stay.",
      "unknown at element 6: Messages of role “robot” are not known.",
      "damaged at element 7: The message is empty.",
      "damaged at element 8: The record is cut off or is not a JSON object.",
      "facts: {"startedAt":1760000000,"endedAt":1760000004}",
      "in 8 = imported 5 + skipped 3, 5 messages",
    ]
  `);
});

test('reads a session of the command line', async () => {
  expect(await sessionOf('1795577962411_vness')).toMatchInlineSnapshot(`
    [
      "1 shown user: What is in fruit.txt?",
      "2 hidden user: [SYSTEM] (a note of the program)",
      "3 shown assistant: (thinks: The file first.) | I read the file. | calls read_files call_1 {"files":[{"path":"/home/demo/project/fruit.txt"}]}",
      "4 shown tool: done read_files call_1: {"query":"/home/demo/project/fruit.txt","result":"1 | apples and pears","success":true}",
      "5 shown assistant: The file says: apples and pears.",
      "6 hidden user: [SYSTEM] (a note of the program)",
      "facts: {"model":"scripted","usage":{"inputTokens":203,"outputTokens":40,"cachedInputTokens":0,"cacheWriteTokens":0,"reasoningTokens":null},"startedAt":1795577962.748,"endedAt":1795577965.124}",
      "in 6 = imported 6 + skipped 0, 6 messages",
    ]
  `);
});

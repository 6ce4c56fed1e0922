import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codexSource } from '../../../../../../src/features/history/core/sources/codex/codexSource';
import type { Found } from '../../../../../../src/features/history/core/sources/historySource';
import { NodeHistoryFiles } from '../../../../../../src/features/history/core/sources/reading/nodeHistoryFiles';
import { MemoryFiles } from '../../../../../support/history/memoryFiles';
import {
  findHistory,
  fixtures,
  placesWith,
  type FoundHistory,
  outlineOf,
} from '../../../../../support/history/readHistory';

const source = codexSource(new NodeHistoryFiles());
const places = placesWith({ codex: `${fixtures}/codex` });

const sessionOf = (id: string): Promise<readonly string[]> => outlineOf(source, places, id);

test('finds rollouts of each format, and says why a compressed one is left out', async () => {
  const { sessions, skipped } = await findHistory(source, places);

  expect({
    sessions: sessions.map(({ id, title, folder, model, lineage, startedAt, endedAt, writtenBy }) =>
      JSON.stringify({ id, title, folder, model, lineage, startedAt, endedAt, writtenBy }),
    ),
    skipped: skipped.map(({ reason }) => reason),
  }).toMatchInlineSnapshot(`
    {
      "sessions": [
        "{"id":"bare","title":"List the files.","folder":"/home/demo/old","model":null,"lineage":null,"startedAt":1755479773.522,"endedAt":1755479773.522,"writtenBy":null}",
        "{"id":"odd","title":"A picture","folder":"/home/demo/project","model":"gpt-5-codex","lineage":{"kind":"branch","parentId":"origin"},"startedAt":1762000000,"endedAt":1762000026,"writtenBy":"0.53.0"}",
        "{"id":"packed","title":"What was packed?","folder":"/home/demo/project","model":"gpt-5-codex","lineage":null,"startedAt":1762002000,"endedAt":1762002005,"writtenBy":"0.170.0"}",
        "{"id":"01a210c7-149e-7340-8d7a-e40748d867f4","title":"What is in fruit.txt?","folder":"/home/demo/project","model":"gpt-5.1-codex","lineage":null,"startedAt":1795577812.13,"endedAt":1795577835.908,"writtenBy":"0.169.0"}",
      ],
      "skipped": [
        "The file, or the rest of it, can’t be decompressed.",
      ],
    }
  `);
});

test('reads a session with a tool call, a failure, a stop and a compaction', async () => {
  expect(await sessionOf('01a210c7-149e-7340-8d7a-e40748d867f4')).toMatchInlineSnapshot(`
    [
      "1 hidden system: (instructions of the program)",
      "2 hidden user: <environment_context>
      <cwd>/home/demo/project</cwd>
    </environment_context>",
      "3 compacted user: What is in fruit.txt?",
      "4 compacted assistant: (thinks: The file first. {"openai":{"reasoningEncryptedContent":"ZW5jcnlwdGVk","itemId":"rs_1"}}) | I read the file. | calls exec_command call_1 {"cmd":"cat /home/demo/project/fruit.txt"}",
      "5 compacted tool: done exec_command call_1: Chunk ID: 81aadb
    Wall time: 0.0000 seconds
    Process exited with code 0
    Original token count: 5
    Output:
    apples and pears
    ",
      "6 compacted assistant: The file says: apples and pears.",
      "7 compacted user: And in none.txt?",
      "8 compacted assistant: I try the other file. | calls exec_command call_3 {"cmd":"cat /home/demo/project/none.txt"}",
      "9 compacted tool: failed exec_command call_3: Chunk ID: 9b4af4
    Wall time: 0.0000 seconds
    Process exited with code 1
    Original token count: 16
    Output:
    cat: /home/demo/project/none.txt: No such file or directory
    ",
      "10 compacted assistant: That file does not exist.",
      "11 compacted user: Count slowly.",
      "12 hidden user: <turn_aborted>(a note of the program)</turn_aborted>",
      "13 compacted assistant: <summary>The user asked to read fruit.txt; it says apples and pears.</summary>",
      "14 summary user: <summary>The user asked to read fruit.txt; it says apples and pears.</summary>",
      "15 shown user: Hello again.",
      "16 shown assistant: Hello from the scripted model.",
      "facts: {"folder":"/home/demo/project","startedAt":1795577812.13,"writtenBy":"0.169.0","model":"gpt-5.1-codex","usage":{"inputTokens":623,"outputTokens":120,"cachedInputTokens":60,"cacheWriteTokens":0,"reasoningTokens":24},"endedAt":1795577835.908}",
      "in 67 = imported 40 + skipped 27, 16 messages",
    ]
  `);
});

test('reads forks, rollbacks, every kind of item, refusals and a cut line', async () => {
  expect(await sessionOf('odd')).toMatchInlineSnapshot(`
    [
      "1 shown user: Look at this picture. | (image image/png iVBORw0KGgo=)",
      "2 shown assistant: (thinks: A picture.

    Search for it.) | calls web_search line 7 {"type":"search","query":"red square"} | calls apply_patch c1 *** Begin Patch
    *** End Patch
    ",
      "3 shown tool: failed apply_patch c1: {"output":"Failed","metadata":{"exit_code":1,"duration_seconds":0.1}}",
      "4 shown assistant: calls local_shell c2 {"type":"exec","command":["ls"]}",
      "5 shown tool: done local_shell c2: Exit code: 0
    Output:
    a.ts",
      "6 shown assistant: calls shell c3 {"command":["rm"]}",
      "7 shown tool: denied shell c3: exec command rejected by user",
      "8 shown assistant: calls view_image c4 {}",
      "9 shown tool: done view_image c4: seen(image image/png iVBORw0KGgo=)",
      "10 shown assistant: It is a red square.",
      "11 abandoned user: Paint it blue.",
      "12 abandoned assistant: I will not be seen.",
      "13 shown system: Selected model is at capacity.",
      "repeated at line 2: The session was described before.",
      "unknown at line 24: Records of type “hologram” are not known.",
      "unknown at line 25: Messages of role “narrator” are not known.",
      "unknown at line 26: Records of type “from_the_future” are not known.",
      "damaged at line 28: The record is cut off or is not a JSON object.",
      "facts: {"lineage":{"kind":"branch","parentId":"origin"},"folder":"/home/demo/project","startedAt":1762000000,"writtenBy":"0.53.0","model":"gpt-5-codex","usage":{"inputTokens":50,"outputTokens":9,"cachedInputTokens":5,"cacheWriteTokens":null,"reasoningTokens":2},"title":"A picture","endedAt":1762000026}",
      "in 28 = imported 20 + skipped 8, 13 messages",
    ]
  `);
});

test('reads the bare items of the time before September 2025', async () => {
  expect(await sessionOf('bare')).toMatchInlineSnapshot(`
    [
      "1 hidden user: <environment_context>
    Current working directory: /home/demo/old
    </environment_context>",
      "2 shown user: List the files.",
      "3 shown assistant: (thinks: Use ls. {"openai":{"reasoningEncryptedContent":"eA==","itemId":"rs_1"}}) | calls shell call_1 {"command":["ls"]}",
      "4 shown tool: done shell call_1: {"output":"a.ts\\n","metadata":{"exit_code":0,"duration_seconds":0.0}}",
      "5 shown assistant: There is one: a.ts",
      "facts: {"startedAt":1755479773.522,"folder":"/home/demo/old","endedAt":1755479773.522}",
      "in 9 = imported 7 + skipped 2, 5 messages",
    ]
  `);
});

test('reads a compressed rollout, with another name too, and says where a damaged one ends', async () => {
  const packed = readFileSync(`${fixtures}/codex/sessions/2025/11/01/rollout-2025-11-01T13-00-00-packed.jsonl.zst`);
  const damaged = packed.subarray(0, -20);
  const files = new MemoryFiles({ '/x/whole.bin': packed, '/x/cut.jsonl.zst': damaged });
  const [{ sessions }, { skipped }] = [await foundIn(files, '/x/whole.bin'), await foundIn(files, '/x/cut.jsonl.zst')];

  expect({
    skipped: skipped.map(({ kind, reason }) => `${kind}: ${reason}`),
    packed: await sessionOf('packed'),
  }).toMatchInlineSnapshot(`
    {
      "packed": [
        "1 shown user: What was packed?",
        "2 shown assistant: calls shell call_1 {"command":["ls"]}",
        "3 shown tool: done shell call_1: apples",
        "4 shown assistant: Apples were packed.",
        "facts: {"folder":"/home/demo/project","startedAt":1762002000,"writtenBy":"0.170.0","model":"gpt-5-codex","endedAt":1762002005}",
        "in 6 = imported 6 + skipped 0, 4 messages",
      ],
      "skipped": [
        "damaged: The file, or the rest of it, can’t be decompressed.",
      ],
    }
  `);
  expect(sessions.map(({ id, title }) => ({ id, title }))).toEqual([{ id: 'packed', title: 'What was packed?' }]);
});

async function foundIn(files: MemoryFiles, path: string): Promise<FoundHistory> {
  const found: Found[] = [];
  for await (const one of codexSource(files).findIn(path)) found.push(one);
  return {
    sessions: found.flatMap((one) => (one.kind === 'session' ? [one.session] : [])),
    skipped: found.flatMap((one) => (one.kind === 'skipped' ? [one.skipped] : [])),
  };
}

test('leaves out the tags around an image, also from the title', async () => {
  const content = [
    { type: 'input_text', text: '<image name=[Image #1] path="pic.png">' },
    { type: 'input_image', image_url: 'data:image/png;base64,aGk=' },
    { type: 'input_text', text: '</image>' },
    { type: 'input_text', text: 'What is this?' },
  ];
  const line = {
    timestamp: '2026-11-20T10:00:00Z',
    type: 'response_item',
    payload: { type: 'message', role: 'user', content },
  };
  const codex = codexSource(new MemoryFiles({ '/c/sessions/2026/11/20/rollout-x.jsonl': JSON.stringify(line) }));
  const at = placesWith({ codex: '/c' });
  const { sessions } = await findHistory(codex, at);

  expect([sessions[0]?.title, (await outlineOf(codex, at, sessions[0]?.id ?? ''))[0]]).toEqual([
    'What is this?',
    '1 shown user: (image image/png aGk=) | What is this?',
  ]);
});

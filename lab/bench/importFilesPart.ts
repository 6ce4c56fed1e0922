import { createReadStream, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '../../src/base/clock';
import { openLockedStore } from '../../src/features/commandLine/commands/lockedStore';
import { ImportClient } from '../../src/features/history/core/import/importClient';
import { usualPlaces } from '../../src/features/history/core/sources/historyPlaces';
import { inTemporaryFolder } from '../support/temporaryFolder';
import { grouped, rounded } from './figures';
import type { Part } from './part';
import { programs } from './programs';
import { watchProcess } from './watchProcess';

/** Imports generated sessions of Claude Code and Codex, and parses the same lines in the same process. `size`: their
 *  megabytes, at 0.4 MB a session. */
export const importFilesPart: Part = ({ quick, size }) =>
  inTemporaryFolder('import-files', async (root) => {
    const bytes = (size ?? (quick ? 20 : 120)) * 1e6;
    const files = makeSessions(root, bytes);
    const folder = join(root, 'store');
    mkdirSync(folder);
    const { openPort, close } = await openLockedStore(folder, { clock: systemClock, programFolder: await programs() });
    const worker = join(await programs(), 'importWorker.js');
    const importer = new ImportClient(worker, join(root, 'copies'), openPort);
    const parsing = watchProcess();
    const records = await parseAll(files);
    const parsed = parsing.stop();
    const watch = watchProcess();
    const places = usualPlaces({ home: root, platform: process.platform, environment: {} });
    const { sessions } = await importer.scan(places);
    const { messages, counts } = await importer.run(sessions);
    const { seconds, cpuSeconds, memoryMegabytes } = watch.stop();
    await importer.close();
    await close();
    if (counts.imported !== files.length) throw new Error(`not all were imported: ${JSON.stringify(counts)}`);
    const megabytes = sizeOf(files) / 1e6;
    const storeMegabytes = Math.round(sizeOf(readdirSync(folder).map((name) => join(folder, name))) / 1e6);
    const ratio = rounded(cpuSeconds / parsed.cpuSeconds);
    console.log(
      `  ${grouped(records)} records, ${files.length} sessions, ${Math.round(megabytes)} MB, ${grouped(messages)} ` +
        `messages in ${rounded(seconds)} s: ${cpuSeconds} s of processor time, JSON.parse ${parsed.cpuSeconds} s ` +
        `(${ratio} ×); memory +${memoryMegabytes} MB; the store has ${storeMegabytes} MB`,
    );
    return {
      figures: { megabytes, records, messages, seconds, cpuSeconds, parseSeconds: parsed.cpuSeconds, storeMegabytes },
      aims: [
        { aim: 'an import of session files, times the parsing of their JSON', value: ratio, most: 10 },
        { aim: 'an import of session files, memory growth in MB', value: memoryMegabytes, most: 300 },
      ],
    };
  });

function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, path) => sum + statSync(path).size, 0);
}

async function parseAll(files: readonly string[]): Promise<number> {
  let records = 0;
  for (const path of files)
    for await (const line of createInterface(createReadStream(path)))
      if (Object.keys(JSON.parse(line)).length > 0) records++;
  return records;
}

const bytesPerSession = 400_000;
const words = 'const the model reads file line error test import return if value of a string number promise '.split(
  ' ',
);

/** Text that differs from place to place, so that neither a search index nor a parser sees the same words twice in the
 *  same order. */
function prose(seed: number, characters: number): string {
  let text = '';
  for (let at = seed * 7919 + 1; text.length < characters; at = (at * 48_271) % 2_147_483_647) {
    const tail = at % 11 === 0 ? `_${(at % 4096).toString(36)}` : '';
    text += `${words[at % words.length]}${tail}${at % 13 === 0 ? '\n' : ' '}`;
  }
  return text.slice(0, characters);
}

/** Paths of the files. Every third one is of Codex. */
function makeSessions(root: string, bytes: number): readonly string[] {
  const claude = join(root, '.claude/projects/-home-demo');
  const codex = join(root, '.codex/sessions/2026/01/01');
  for (const folder of [claude, codex]) mkdirSync(folder, { recursive: true });
  return Array.from({ length: Math.max(3, Math.round(bytes / bytesPerSession)) }, (_, number) => {
    const id = `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;
    const isCodex = number % 3 === 2;
    const path = isCodex ? join(codex, `rollout-2026-01-01T00-00-00-${id}.jsonl`) : join(claude, `${id}.jsonl`);
    const lines = isCodex ? codexLines(id, number) : claudeLines(id, number);
    writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    return path;
  });
}

/** Characters of the results of a session's turns: a few large ones, as of files that are read. */
const resultSizes = Array.from({ length: 28 }, (_, turn) => 1000 + ((turn * 7919) % 19) * 1000);

function claudeLines(sessionId: string, seed: number): readonly object[] {
  let parentUuid: string | null = null;
  let count = 0;
  const record = (type: string, message: object, more: object = {}): object => {
    const uuid = `${sessionId}-${++count}`;
    const at = new Date(1_767_225_600_000 + count * 1000).toISOString();
    const line = { parentUuid, isSidechain: false, type, message, uuid, timestamp: at, cwd: '/home/demo', sessionId };
    parentUuid = uuid;
    return { ...line, version: '2.1.332', gitBranch: 'main', userType: 'external', ...more };
  };
  return resultSizes.flatMap((size, turn) => {
    const call = {
      type: 'tool_use',
      id: `toolu_${seed}_${turn}`,
      name: 'Read',
      input: { file_path: `/src/${turn}.ts` },
    };
    const content = prose(seed * 97 + turn, size);
    const answer = (part: object, id: string, stop: string): object =>
      record('assistant', {
        id: `msg_${seed}_${turn}_${id}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [part],
        stop_reason: stop,
        usage: { input_tokens: 900, output_tokens: 90 },
      });
    return [
      record('user', { role: 'user', content: prose(seed * 31 + turn, 300) }),
      answer(call, 'a', 'tool_use'),
      record(
        'user',
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: call.id, content }] },
        { toolUseResult: { type: 'text', file: { filePath: call.input.file_path, content: content.slice(0, 3000) } } },
      ),
      answer({ type: 'text', text: prose(seed * 13 + turn, 900) }, 'b', 'end_turn'),
    ];
  });
}

function codexLines(id: string, seed: number): readonly object[] {
  let count = 0;
  const line = (type: string, payload: object): object => ({
    timestamp: new Date(1_767_225_600_000 + ++count * 1000).toISOString(),
    type,
    payload,
  });
  const head = {
    id,
    timestamp: '2026-01-01T00:00:00Z',
    cwd: '/home/demo',
    originator: 'codex_cli',
    cli_version: '0.171.0',
  };
  return [
    line('session_meta', head),
    ...resultSizes.flatMap((size, turn) => {
      const callId = `call_${seed}_${turn}`;
      const message = (role: string, type: string, text: string): object =>
        line('response_item', { type: 'message', role, content: [{ type, text }] });
      return [
        message('user', 'input_text', prose(seed * 31 + turn, 300)),
        line('response_item', {
          type: 'function_call',
          name: 'shell',
          arguments: '{"command":["cat","a"]}',
          call_id: callId,
        }),
        line('response_item', {
          type: 'function_call_output',
          call_id: callId,
          output: prose(seed * 97 + turn, size + 2500),
        }),
        message('assistant', 'output_text', prose(seed * 13 + turn, 900)),
      ];
    }),
  ];
}

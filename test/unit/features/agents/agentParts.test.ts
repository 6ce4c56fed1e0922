import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentLog } from '../../../../src/base/log';
import { AgentConnection } from '../../../../src/features/agents/core/agentConnection';
import { AgentFiles, bytesBefore } from '../../../../src/features/agents/core/agentFiles';
import { readRegistry, registeredAgents, wordsOf } from '../../../../src/features/agents/core/agentRegistry';
import type { AgentCallUpdate } from '../../../../src/features/agents/core/agentUpdate';
import { FoldedCall } from '../../../../src/features/agents/core/foldedCall';
import { compareReplay, transcriptText } from '../../../../src/features/agents/core/handoff';
import { installedAgents } from '../../../../src/features/agents/core/installedAgents';
import { LineReader, type ReadLine } from '../../../../src/features/agents/core/lineReader';
import { permissionAnswer, readPermission, readUpdate } from '../../../../src/features/agents/core/protocol1';

describe('the reader of lines', () => {
  const read = (pieces: readonly Uint8Array[], longest?: number): readonly ReadLine[] => {
    const lines: ReadLine[] = [];
    const reader = new LineReader((line) => lines.push(line), longest);
    for (const piece of pieces) reader.push(piece);
    return lines;
  };

  test('joins lines that are cut anywhere, also within a letter, and drops one that never ends', () => {
    const bytes = Buffer.from('{"a":"é€😀"}\r\n\n{"b":1}\n{"never');
    for (let size = 1; size < 12; size++) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.subarray(index * size, (index + 1) * size),
      );
      expect(read(pieces)).toEqual([{ text: '{"a":"é€😀"}' }, { text: '{"b":1}' }]);
    }
  });

  test('cuts a line that is too long and goes on with the next one', () => {
    const lines = read([Buffer.from('x'.repeat(30)), Buffer.from(`${'x'.repeat(80)}\nshort\n`)], 50);
    expect(lines).toEqual([{ text: 'x'.repeat(110), bytes: 110 }, { text: 'short' }]);
  });
});

describe('a file before an edit that may be in it already', () => {
  const before = (now: string, ...diffs: readonly { before: string | null; after: string }[]): string | null => {
    const bytes = bytesBefore(Buffer.from(now), diffs);
    return bytes === null ? null : Buffer.from(bytes).toString('utf8');
  };

  test('is found from its diffs', () => {
    expect({
      notYet: before('one\nold\n', { before: 'old', after: 'new' }),
      already: before('one\nnew\n', { before: 'old', after: 'new' }),
      created: before('new\n', { before: null, after: 'new\n' }),
      replaced: before('older\n', { before: null, after: 'new\n' }),
      unknown: before('other\n', { before: 'old', after: 'new' }),
    }).toEqual({ notYet: 'one\nold\n', already: 'one\nold\n', created: null, replaced: 'older\n', unknown: 'other\n' });
  });
});

test('a command counts as an agent only if it is of its package; another one of that name is told apart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-path-'));
  const bin = join(folder, 'bin');
  const own = join(folder, 'lib/node_modules/@google/gemini-cli');
  mkdirSync(own, { recursive: true });
  mkdirSync(bin);
  const program = (file: string, text: string): void => writeFileSync(file, text, { mode: 0o755 });
  program(join(own, 'gemini.js'), '#!/usr/bin/env node\n');
  symlinkSync(join(own, 'gemini.js'), join(bin, 'gemini'));
  program(join(bin, 'qwen'), '#!/bin/sh\nexec node "$0/../node_modules/@qwen-code/qwen-code/cli.js" "$@"\n');
  program(join(bin, 'cline'), '#!/bin/sh\necho a table of contents\n');
  program(join(bin, 'goose'), 'migrates databases');
  writeFileSync(join(bin, 'kimi'), 'no program');
  const found = installedAgents(registeredAgents, { PATH: bin });
  expect(found.map(({ agent, path, isOwn }) => [agent.id, relative(bin, path), isOwn])).toEqual([
    ['gemini', 'gemini', true],
    ['qwen', 'qwen', true],
    ['cline', 'cline', false],
    ['goose', 'goose', false],
  ]);
  rmSync(folder, { recursive: true });
});

const inTurn = { sessionId: 's', turnUid: 't' };

test('a file that was changed before it could be read is recorded once its call says what it was (opencode)', async () => {
  const recorded: unknown[] = [];
  const disk = new Map([
    ['/new', 'made\n'],
    ['/old', 'one\nnew\n'],
  ]);
  const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('utf8'));
  const files = new AgentFiles(inTurn, {
    journal: {
      begin: (_call, [before]) =>
        Promise.resolve({
          end: ([after]) => {
            const change = [before?.path, textOf(before?.bytes ?? null), textOf(after?.bytes ?? null)];
            // The store drops a change that left the file as it was.
            if (change[1] !== change[2]) recorded.push(change);
            return Promise.resolve();
          },
        }),
    },
    editor: { bytesOnDisk: (path) => Promise.resolve(Buffer.from(disk.get(path) ?? '')) },
    log: silentLog,
  });
  const call = async (path: string, input: object, end: Omit<AgentCallUpdate, 'id'>): Promise<void> => {
    const folded = new FoldedCall(path, (shown) => shown, '/');
    for (const news of [
      { callKind: 'edit' as const, paths: [path], input },
      { status: 'completed' as const, ...end },
    ]) {
      folded.apply({ id: path, ...news });
      await files.follow(folded);
    }
  };
  await call('/new', { content: 'made\n' }, { output: { metadata: { exists: false } } });
  await call('/old', {}, { content: [{ kind: 'diff', path: '/old', before: 'old', after: 'new' }] });
  expect(recorded).toEqual([
    ['/new', null, 'made\n'],
    ['/old', 'one\nold\n', 'one\nnew\n'],
  ]);
});

test('files that calls name one after the other are all recorded when their calls end', async () => {
  const recorded: string[] = [];
  const files = new AgentFiles(inTurn, {
    journal: {
      begin: () =>
        Promise.resolve({ end: (after) => Promise.resolve(void recorded.push(...after.map((file) => file.path))) }),
    },
    editor: { bytesOnDisk: () => Promise.resolve(null) },
    log: silentLog,
  });
  const [one, other] = ['one', 'other'].map((id) => new FoldedCall(id, (path) => path, '/')) as [
    FoldedCall,
    FoldedCall,
  ];
  const follow = (call: FoldedCall, update: Omit<AgentCallUpdate, 'id'>): Promise<void> => {
    call.apply({ id: call.callId, callKind: 'edit', ...update });
    return files.follow(call);
  };
  await follow(one, { paths: ['/a'] });
  await follow(other, { paths: ['/b'] });
  await follow(one, { status: 'completed' });
  await follow(other, { paths: ['/b', '/c'] });
  await follow(other, { status: 'completed' });
  expect(recorded).toEqual(['/a', '/b', '/c']);
});

test('a replay is compared without its blanks, and never shortens what is stored', () => {
  expect(compareReplay('one two', 'onetwo')).toEqual({ kind: 'covered' });
  expect(compareReplay('one two', 'one')).toEqual({ kind: 'covered' });
  expect(compareReplay('one two', 'one two three')).toEqual({ kind: 'more', text: ' three' });
  expect(compareReplay('one two', 'other')).toEqual({ kind: 'differs' });
});

test('a permission is never taken from an option of another kind', () => {
  const question = (kinds: readonly string[]) =>
    readPermission({
      toolCall: { toolCallId: 'x' },
      options: kinds.map((kind) => ({ optionId: kind, name: kind, kind })),
    });
  const answers = (kinds: readonly string[]): readonly unknown[] =>
    [true, false].map((isAllowed) => permissionAnswer(question(kinds), isAllowed).outcome);
  expect(answers(['allow_always', 'allow_once', 'reject_once'])).toEqual([
    { outcome: 'selected', optionId: 'allow_once' },
    { outcome: 'selected', optionId: 'reject_once' },
  ]);
  expect(answers(['allow_always'])).toEqual([
    { outcome: 'selected', optionId: 'allow_always' },
    { outcome: 'cancelled' },
  ]);
  expect(answers(['odd'])).toEqual([{ outcome: 'cancelled' }, { outcome: 'cancelled' }]);
  const numbered = readPermission({ options: [null, { optionId: 1, kind: 'allow_once' }] });
  expect(permissionAnswer(numbered, true).outcome).toEqual({ outcome: 'selected', optionId: 1 });
});

test('an answer counts for its request also if the id came back as text', async () => {
  const connection = new AgentConnection(() => Promise.resolve());
  const answer = connection.request('session/prompt', {});
  await connection.receive({ id: '1', method: undefined, result: 'done' });
  connection.close(new Error('There was no answer.'));
  expect(await answer).toBe('done');
});

test('paths of a call are those of its folder', () => {
  const call = new FoldedCall('c', (path) => path, '/work');
  const content = [{ kind: 'diff', path: 'a.ts', before: 'a', after: 'b' }] as const;
  call.apply({ id: 'x', callKind: 'edit', paths: ['./a.ts', 'file:///work/b%20c.ts', 'file:%'], content });
  expect(call.editedPaths).toEqual(['/work/a.ts', '/work/b c.ts', '/work/file:%']);
});

test.each([
  ['a word', 'Hello'],
  ['blocks', [{ type: 'text', text: 'Hel' }, 'lo']],
  ['a block without a type', { text: 'Hello' }],
])('words that come as %s are words', (_what, content) => {
  const news = (sessionUpdate: string) => readUpdate({ update: { sessionUpdate, toolCallId: 'x', content } });
  expect(news('agent_message_chunk')).toMatchObject({ kind: 'text', text: 'Hello' });
  const call = new FoldedCall('c', (path) => path, '/work');
  const update = news('tool_call');
  if (update.kind === 'call') call.apply(update.call);
  expect(call.text.replace('\n', '')).toBe('Hello');
});

test.each(['plan', 'current_mode_update'])('%s that says nothing changes nothing', (sessionUpdate) => {
  expect(readUpdate({ update: { sessionUpdate } })).toMatchObject({ kind: 'unknown', name: sessionUpdate });
});

test('news of any shape is read without an error', () => {
  for (const params of [
    null,
    3,
    {},
    { update: null },
    { update: { sessionUpdate: 'tool_call', toolCallId: 7, content: 3 } },
  ])
    expect(() => readUpdate(params)).not.toThrow();
  expect(readUpdate({ update: { sessionUpdate: 'tool_call', toolCallId: 7, kind: 'odd', status: 'odd' } })).toEqual({
    kind: 'call',
    isStart: true,
    call: { id: '7', callKind: 'other' },
  });
});

test('a command line is split into words', () => {
  expect(wordsOf(`"/a b/agent" acp --x='y z' last`)).toEqual(['/a b/agent', 'acp', "--x='y", "z'", 'last']);
});

test('a transcript says who said what, without thinking', () => {
  expect(transcriptText([])).toBe('');
});

test('the public registry is read strictly, and what is known of an agent stays', () => {
  const entry = (id: string, distribution: object, more: object = {}) => ({
    id,
    name: id.toUpperCase(),
    version: '1.0.0',
    repository: `https://example.org/${id}`,
    distribution,
    ...more,
  });
  const npx = (name: string, args: readonly unknown[] = []) => ({ npx: { package: name, args } });
  const agents = readRegistry({
    agents: [
      entry('claude-acp', npx('@agentclientprotocol/claude-agent-acp@9.0.0')),
      entry('other', npx('@some/other-agent@2.1.0-beta.1', ['--acp'])),
      entry('binary', { binary: {} }),
      entry('loose', npx('anything@latest')),
      entry('flag', npx('--global@1.0.0; rm')),
      entry('option', npx('--global@1.0.0')),
      entry('codex', npx('another@1.0.0')),
      entry('../up', npx('up@1.0.0')),
      entry('odd', { binary: {} }, { repository: 'file:///etc/passwd' }),
      'nothing',
    ],
  });
  expect(agents.find(({ id }) => id === 'claude')).toMatchObject({
    name: 'Claude Code',
    command: 'claude-agent-acp',
    package: { version: '9.0.0' },
    signIn: 'claude /login',
  });
  const ids = new Set(registeredAgents.map(({ id }) => id));
  expect(agents.filter(({ id }) => !ids.has(id))).toEqual([
    {
      id: 'other',
      name: 'OTHER',
      command: 'other-agent',
      args: ['--acp'],
      package: { name: '@some/other-agent', version: '2.1.0-beta.1' },
      node: null,
      signIn: '',
      home: 'https://example.org/other',
    },
    expect.objectContaining({ id: 'binary', package: null, home: 'https://example.org/binary' }),
    expect.objectContaining({ id: 'loose', package: null }),
    expect.objectContaining({ id: 'flag', package: null }),
    expect.objectContaining({ id: 'option', package: null }),
  ]);
  expect(() => readRegistry({ agent: [] })).toThrow();
});

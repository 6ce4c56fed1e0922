import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../../../../src/transcript/json';
import type { ToolResultPart } from '../../../../../src/transcript/part';
import { diffLines } from '../../../../../src/webview/DiffView';
import { lineCounts, toolDetails } from '../../../../../src/webview/toolDetails';
import { groupLabel, isLongRunning, resultCount, toolLabels } from '../../../../../src/webview/toolLabels';
import { toolReason } from '../../../../../src/webview/toolReasons';
import { call } from '../../../../support/builders/viewMessages';

function came(details: JsonValue, name = 'x'): ToolResultPart {
  return { kind: 'toolResult', callId: 'c', name, outcome: 'done', text: '', details };
}
const file = (change: string, added = 6, removed = 2): JsonValue => ({
  path: '/f/src/upload.ts',
  shown: 'src/upload.ts',
  change,
  added,
  removed,
});
const command = {
  kind: 'command',
  command: 'npm test',
  folder: '/f',
  exitCode: 0,
  signal: null,
  ms: 12_000,
  bytes: 9,
  file: '/o',
  timedOut: false,
  background: null,
  tail: 'ok',
};
const said = (name: string, input: object, details?: JsonValue): string => {
  const { verb, target } = toolLabels(call('c', name, input), 'done', details === undefined ? null : came(details));
  return `${verb} ${target}`.trim();
};

describe('the line of a call', () => {
  test('states the action and its target in the words of its tool', () => {
    expect([
      said('edit_file', { path: 'src/upload.ts' }, { kind: 'edit', files: [file('edited')], diff: '' }),
      said('write_file', { path: 'src/upload.ts' }, { kind: 'edit', files: [file('created')], diff: '' }),
      said('apply_patch', { patch: '' }, { kind: 'edit', files: [file('edited'), file('deleted')], diff: '' }),
      said('apply_patch', { patch: '*** Begin Patch\n*** Update File: src/a.ts\n' }),
      said('run_command', { command: '\nnpm test\nnpm run lint' }),
      said(
        'todo_write',
        {},
        {
          kind: 'todos',
          items: [
            { text: 'a', state: 'done' },
            { text: 'b', state: 'pending' },
          ],
        },
      ),
      said('mcp_github_create_issue', { title: 'x' }),
      said('mcp_issue_tracker_create', { title: 'x' }, { server: 'issue tracker', tool: 'create', isError: false }),
      said('ext_copilot_search', {}),
      said('unheard_of', { path: 'x' }),
      said('list_directory', { path: '.' }),
      said('list_directory', {}),
    ]).toEqual([
      'Edited src/upload.ts',
      'Created src/upload.ts',
      'Edited 2 files',
      'Edited src/a.ts',
      '$ npm test',
      'Updated todos 1 of 2 done',
      'github: create_issue',
      'issue tracker: create',
      'copilot_search',
      'unheard_of',
      'Listed the folder',
      'Listed the folder',
    ]);
  });

  test('is in the past tense once the call has ended, however it ended', () => {
    const read = call('c', 'read_file', { path: 'nope.js' });
    expect(
      (
        ['queued', 'waiting', 'running', 'done', 'failed', 'denied', 'cancelled', 'interrupted', 'repaired'] as const
      ).map((state) => toolLabels(read, state).verb),
    ).toEqual([...Array<string>(3).fill('Reading'), 'Read', ...Array<string>(5).fill('Tried to read')]);
  });

  test('gives the reason of a failure or a refusal, in a few words where they suffice', () => {
    const failed = (text: string, details?: JsonValue): ToolResultPart => ({
      ...came(details ?? null),
      outcome: 'failed',
      text,
    });
    expect(
      [
        failed('There is no file nope/missing.js. Use list_directory to find it.'),
        failed('There is no folder at docs; nothing was run.'),
        failed('The text to replace occurs 3 times in src/v1.2/retry.ts. Nothing was changed.'),
        failed(`Line one ${'x'.repeat(300)}\nline two`),
        failed('exit code 1', command),
        failed('  '),
        { ...came({ kind: 'denied', reason: 'use b.ts' }), outcome: 'denied' as const },
        { ...came({ kind: 'denied', reason: null }), outcome: 'denied' as const },
        came({ lines: 3 }),
        null,
      ].map((result) => {
        const reason = toolReason(result);
        return reason === null ? null : [reason.text.slice(0, 60), reason.isShort];
      }),
    ).toEqual([
      ['not found', true],
      ['not found', true],
      ['The text to replace occurs 3 times in src/v1.2/retry.ts', false],
      [`Line one ${'x'.repeat(51)}`, false],
      null,
      null,
      ['use b.ts', true],
      null,
      null,
      null,
    ]);
  });

  test('shows how a command ended, and the result of others', () => {
    expect(
      [
        command,
        { ...command, exitCode: 1 },
        { ...command, exitCode: null, signal: 'SIGKILL' },
        { ...command, exitCode: null, timedOut: true },
        { ...command, exitCode: null, background: 'cmd1' },
        { kind: 'fetch', url: 'https://example.com', status: 404, bytes: 10 },
        { kind: 'delegate', sessionId: 's', title: 'Look', turns: 1, ms: 65_000 },
        { matches: 2 },
      ].map((details) => resultCount(came(details))),
    ).toEqual([
      '12 s',
      'exit 1 · 12 s',
      'ended by SIGKILL · 12 s',
      'timed out · 12 s',
      'ran in the background',
      '404',
      '1 step · 1 min 5 s',
      '2 matches',
    ]);
  });

  test('treats details of another shape as missing', () => {
    expect(
      [
        { ...command, ms: 'long' },
        { kind: 'edit', files: [{ path: 1 }], diff: '' },
        { kind: 'hologram' },
        'text',
        null,
        [1],
      ].map((details) => toolDetails(came(details))),
    ).toEqual([null, null, null, null, null, null]);
  });

  test('offers to stop slow calls: commands, the network, external tools', () => {
    expect(['run_command', 'fetch_url', 'mcp_a_b', 'ext_a', 'read_file', 'edit_file'].map(isLongRunning)).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  test('of several reads is one, whatever they read', () => {
    expect(groupLabel([call('1', 'read_file', { path: 'a' }), call('2', 'git_log', {}), call('3', 'hover', {})])).toBe(
      'Read 1 file · looked up 2 items',
    );
    expect(groupLabel([call('1', 'todo_write', {}), call('2', 'read_file', { path: 'a' })])).toBe(
      'Read 1 file · updated todos',
    );
  });
});

describe('a diff', () => {
  test('is rendered line by line with the numbers of both files, and without the text tools write around it', () => {
    const diff =
      'diff --git a/a.ts b/a.ts\nindex 1..2 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -3,3 +3,3 @@ function ' +
      'f()\n same\n-old\n--- not a header\n+new\n+++ neither\n';
    expect(diffLines(diff).map(({ kind, text, before, after }) => [kind, text, before, after])).toEqual([
      ['file', 'a.ts', null, null],
      ['hunk', 'function f()', 3, 3],
      ['same', 'same', 3, 3],
      ['removed', 'old', 4, null],
      ['removed', '-- not a header', 5, null],
      ['added', 'new', null, 4],
      ['added', '++ neither', null, 5],
    ]);
  });

  test('names a deleted file, keeps notes about it, and reads empty lines whose space an editor removed', () => {
    const diff =
      '--- a/gone.ts\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n\\ No newline at end of file\n--- a/' +
      'b.ts\n+++ b/b.ts\n@@ -1,2 +1,2 @@\n\n-x\n+y\n… 40 more lines';
    expect(diffLines(diff).map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'file gone.ts',
      'hunk ',
      'removed one',
      'removed two',
      'note \\ No newline at end of file',
      'file b.ts',
      'hunk ',
      'same ',
      'removed x',
      'added y',
      'note … 40 more lines',
    ]);
  });

  test('counts lines over files, files that are not text as none', () => {
    expect(
      lineCounts([
        { added: 6, removed: 2 },
        { added: null, removed: null },
        { added: 1, removed: 0 },
      ]),
    ).toEqual({ added: 7, removed: 2 });
  });
});

import { expect, it, test } from 'vitest';
import { unifiedDiff } from '../../../../../src/tools/files/unifiedDiff';
import { approvalName, approvalTitle } from '../../../../../src/webview/chat/cards/approvalLabels';
import type { ApprovalRequest } from '../../../../../src/transcript/approval';

const asked = (access: ApprovalRequest['access']): ApprovalRequest => ({
  tool: 'x',
  access,
  subject: 's',
  reasons: [],
  rules: [],
  preview: null,
});

it.each([
  [
    'a server',
    asked({ kind: 'mcp', server: 'files\u202e', tool: 'read of your own files\nAllow nothing\u200b', readOnly: true }),
    'Use read of your own files⏎Allow nothing\\u{200b} from the MCP server files\\u{202e}?',
  ],
  [
    'an extension',
    asked({ kind: 'editorTool', name: 'a\u2066b\nc' }),
    'Use the tool a\\u{2066}b⏎c from another extension?',
  ],
])('names that %s chose cannot hide, reverse or end the question', (_whose, request, words) => {
  expect([approvalName(request), approvalTitle(request)]).toEqual([words, words]);
});

test('an edit is named after what it does to its file', () => {
  const paths = (...names: readonly string[]): ApprovalRequest['access'] => ({
    kind: 'edit',
    paths: names.map((name) => ({ path: `/f/${name}`, shown: name, isInside: true })),
  });
  const edit = (preview: string | null, ...names: readonly string[]): ApprovalRequest => ({
    ...asked(paths(...names)),
    subject: names.join(', '),
    preview,
  });
  expect(
    [
      edit(unifiedDiff('a.ts', null, '--- a\n'), 'a.ts'),
      edit(unifiedDiff('a.ts', null, ''), 'a.ts'),
      edit(unifiedDiff('a.ts', 'old\n', 'new\n+++ /dev/null\n'), 'a.ts'),
      edit(unifiedDiff('a.ts', 'old\n', null), 'a.ts'),
      edit(null, 'a.ts'),
      edit([unifiedDiff('a.ts', null, 'x\n'), unifiedDiff('b.ts', 'x\n', null)].join('\n'), 'a.ts', 'b.ts'),
    ].map((request) => [approvalName(request), approvalTitle(request)]),
  ).toEqual([
    ['Create a.ts?', 'Create this file?'],
    ['Create a.ts?', 'Create this file?'],
    ['Edit a.ts?', 'Edit this file?'],
    ['Delete a.ts?', 'Delete this file?'],
    ['Edit a.ts?', 'Edit this file?'],
    ['Edit a.ts, b.ts?', 'Edit these files?'],
  ]);
});

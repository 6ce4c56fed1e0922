import { expect, it } from 'vitest';
import { approvalName, approvalTitle } from '../../../../../src/webview/chat/labels/approvalLabels';
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

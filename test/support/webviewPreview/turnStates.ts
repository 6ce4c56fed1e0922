import type { ShownSession } from '../../../src/protocol/chatProtocol';
import type { ApprovalRequest } from '../../../src/transcript/approval';
import { continuationPart } from '../../../src/transcript/continuation';
import type { Turn } from '../../../src/transcript/turn';
import {
  answer,
  call,
  delivered,
  pendingApproval,
  prompt,
  result,
  runningTurn,
  settledTurn,
  shownSession,
  waitingTurn,
} from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

const question = prompt({ uid: 'u1', position: 1 }, 'Why does upload.test.ts fail on CI only?');
const answered = answer({ uid: 'a1', position: 4 }, [
  'The retry timer uses the real clock, so the test passes only where the machine is fast enough.',
]);
const usage = {
  inputTokens: 48_210,
  outputTokens: 1930,
  cachedInputTokens: 39_400,
  cacheWriteTokens: null,
  reasoningTokens: 640,
  costUsd: 0.0213,
  requests: 4,
};
const used: Turn & { readonly state: 'settled' } = {
  ...settledTurn(),
  usage,
  recalled: [{ provider: 'builtin', label: 'Memory', count: 3 }],
};
const facts = '9 s · 50.1K tok (82% cached) · $0.021 · qwen3:8b · Recalled 3 memories';

const log = Array.from(
  { length: 40 },
  (_, index) => `  at step ${index + 1} of the upload queue (src/client/uploadQueue.ts:${index + 12})`,
).join('\n');
const long = prompt({ uid: 'u1', position: 1 }, `This is what CI says. Why?\n\n${log}`);

const second = { position: 6, turnUid: 'turn2' };
const continuation = { ...prompt({ uid: 'u2', ...second }, ''), parts: [continuationPart()] };
const failure = {
  cause: 'rateLimit' as const,
  sentence:
    'OpenRouter allows no more requests for now (429). Everything shown is saved. Wait a minute, then continue.',
  technical:
    'HTTP 429 from https://openrouter.ai/api/v1/chat/completions\nretry-after: 60\n{"error":{"message":"Rate limit exceeded","code":429}}',
};

const states = [
  call('t1', 'list_directory', { path: '.' }),
  call('t2', 'read_file', { path: 'test/fixtures/upload.json' }),
  call('t3', 'run_command', { command: 'rm -rf build' }),
  call('t4', 'fetch_url', { url: 'https://vitest.dev/guide/mocking.html' }),
  call('t5', 'run_command', { command: 'npm test' }),
  call('t6', 'read_file', { path: 'src/retry.ts' }),
  call('t7', 'edit_file', { path: 'src/retry.ts' }),
  call('t8', 'edit_file', { path: 'package.json' }),
];
const denied = {
  kind: 'toolResult',
  callId: 't3',
  name: 'run_command',
  outcome: 'denied',
  text: 'The person did not allow this.',
  details: { kind: 'denied', reason: 'keep the build' },
} as const;
const ended = [
  result({ uid: 't1r', position: 2 }, 't1', 'list_directory', 'src\ntest', 'done', { entries: 2 }),
  result({ uid: 't2r', position: 2 }, 't2', 'read_file', 'There is no file test/fixtures/upload.json.', 'failed'),
  { ...result({ uid: 't3r', position: 2 }, 't3', 'run_command', ''), parts: [denied] as const },
  result({ uid: 't4r', position: 2 }, 't4', 'fetch_url', 'Not run.', 'cancelled'),
  result({ uid: 't5r', position: 2 }, 't5', 'run_command', 'Interrupted.', 'interrupted'),
  result({ uid: 'a1/result/t6', position: 2 }, 't6', 'read_file', 'Interrupted.', 'interrupted'),
  result(
    { uid: 't7r', position: 2 },
    't7',
    'edit_file',
    'The text to replace occurs 3 times in src/retry.ts, so it is not clear which one is meant. Nothing was changed.',
    'failed',
  ),
  result({ uid: 't8r', position: 2 }, 't8', 'edit_file', 'The person did not allow this.', 'denied'),
];

const hook = '.claude/settings.json: .claude/hooks/guard.sh';
const hookCalls = [
  call('h1', 'run_command', { command: 'git push --force origin main' }),
  call('h2', 'edit_file', { path: 'src/retry.ts' }),
  call('h3', 'read_file', { path: 'src/upload.ts' }),
];
const hooked = [
  result({ uid: 'h1r', position: 2 }, 'h1', 'run_command', 'A hook blocked this call.', 'denied', {
    hooks: [{ event: 'PreToolUse', hook, outcome: 'blocked', text: 'Force pushes to main are not allowed here.' }],
  }),
  result({ uid: 'h2r', position: 2 }, 'h2', 'edit_file', 'Edited src/retry.ts.', 'done', {
    hooks: [
      { event: 'PreToolUse', hook, outcome: 'changed', text: '' },
      {
        event: 'PostToolUse',
        hook: '.github/hooks/lint.json: npm run lint',
        outcome: 'failed',
        text: 'It took longer than 30 seconds.',
      },
    ],
  }),
  result({ uid: 'h3r', position: 2 }, 'h3', 'read_file', '20 lines', 'done', {
    lines: 20,
    hooks: [{ event: 'PreToolUse', hook, outcome: 'passed', text: '' }],
  }),
];

const lines = Array.from({ length: 300 }, (_, index) => `+  entry(${index + 1}),`).join('\n');
const write: ApprovalRequest = {
  tool: 'write_file',
  access: { kind: 'edit', paths: [{ path: '/home/me/upload/src/table.ts', shown: 'src/table.ts', isInside: true }] },
  subject: 'src/table.ts',
  reasons: ['change'],
  rules: ['edit(src/**)'],
  preview: `--- /dev/null\n+++ b/src/table.ts\n@@ -0,0 +1,300 @@\n${lines}\n`,
};

/** What one turn shows. */
export function turnStates(): Readonly<Record<string, PreviewState>> {
  const shows = (change: Partial<ShownSession>): PreviewState => chat(shownSession(change));
  return {
    'turn-footer': { ...shows({ messages: [question, answered], turns: [used] }), press: [facts] },
    'turn-long-prompt': { ...shows({ messages: [long, answered], turns: [used] }), hover: 'You' },
    'turn-continued': shows({
      messages: [
        question,
        answered,
        continuation,
        answer({ uid: 'a2', position: 7, turnUid: 'turn2' }, ['Hand the clock in, and it is the same everywhere.']),
      ],
      turns: [settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'crash' }), settledTurn('turn2', 'u2')],
    }),
    'turn-details': {
      ...shows({
        messages: [question, answered],
        turns: [settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'error', failure })],
      }),
      press: ['Show Details'],
    },
    'turn-calls': shows({
      messages: [
        question,
        answer({ uid: 'a1', position: 2 }, states),
        ...ended,
        answer({ uid: 'a3', position: 4 }, ['Most of it went wrong.']),
      ],
      turns: [settledTurn()],
    }),
    'turn-hooks': shows({
      messages: [
        question,
        answer({ uid: 'a1', position: 2 }, hookCalls),
        ...hooked,
        answer({ uid: 'a3', position: 4 }, ['The push was blocked, so I leave it to you.']),
      ],
      turns: [
        { ...settledTurn(), recalled: [{ provider: 'hooks', label: 'Hooks added text to the prompt', count: 0 }] },
      ],
    }),
    'turn-thinking': {
      ...shows({ messages: [question], openTurn: runningTurn(), activity: { kind: 'answering' } }),
      events: [
        delivered(
          'turn1',
          'a1',
          1,
          0,
          'The test fails on CI only.\nThat smells of time: let me look for timers, setTimeout in upload.ts and the retry loop around it, and whether',
          { kind: 'thinking' },
        ),
      ],
    },
    'approval-long-change': shows({
      messages: [question, answer({ uid: 'a1', position: 2 }, [call('c1', 'write_file', { path: 'src/table.ts' })])],
      openTurn: waitingTurn(),
      approval: pendingApproval(write),
    }),
  };
}

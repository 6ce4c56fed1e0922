import type { ShownSession } from '../../../src/protocol/chatProtocol';
import type { Approval, ApprovalRequest, Confined } from '../../../src/transcript/approval';
import type { ChangedFile, FileHunk } from '../../../src/transcript/changedFile';
import type { JsonValue } from '../../../src/transcript/json';
import type { Message } from '../../../src/transcript/message';
import type { ToolOutcome } from '../../../src/transcript/part';
import {
  answer,
  call,
  pendingApproval,
  prompt,
  result,
  runningTurn,
  settledTurn,
  shownSession,
  waitingTurn,
} from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** States of an agent at work, for the preview. */

const question = prompt(
  { uid: 'w1', position: 1, turnUid: 'work' },
  'The upload test is flaky on CI. Find out why, fix it, and run the tests.',
);

const finishedCall = (
  position: number,
  callId: string,
  name: string,
  text: string,
  details?: JsonValue,
  outcome: ToolOutcome = 'done',
): Message => result({ uid: `t-${callId}`, position, turnUid: 'work' }, callId, name, text, outcome, details);

const diff = `--- a/src/upload.ts
+++ b/src/upload.ts
@@ -38,7 +38,11 @@ export async function upload(file: File, clock: Clock)
   for (let attempt = 1; attempt <= 3; attempt++) {
     if (await send(file)) return;
-    await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
+    // The clock comes in, so that a test can hold it still.
+    await clock.sleep(200 * attempt);
   }
   throw new UploadError(\`gave up after \${attempts} attempts, which is more than anyone should have to wait for an upload to succeed\`);
 }
@@ -60,3 +64,4 @@ export class UploadError extends Error {
   readonly name = 'UploadError';
+  readonly retried = true;
 }
`;

const edit: JsonValue = {
  kind: 'edit',
  files: [{ path: '/home/me/upload/src/upload.ts', shown: 'src/upload.ts', change: 'edited', added: 3, removed: 1 }],
  diff,
};
const patch: JsonValue = {
  kind: 'edit',
  files: [
    {
      path: '/home/me/upload/src/client/uploadQueue.ts',
      shown: 'src/client/uploadQueue.ts',
      change: 'edited',
      added: 12,
      removed: 4,
    },
    { path: '/home/me/upload/test/heldClock.ts', shown: 'test/heldClock.ts', change: 'created', added: 18, removed: 0 },
  ],
  diff: `${diff}--- /dev/null\n+++ b/test/heldClock.ts\n@@ -0,0 +1,2 @@\n+/** A clock that stands still. */\n+export class HeldClock {}\n`,
};
const ran = (exitCode: number, ms: number): JsonValue => ({
  kind: 'command',
  command: 'npm test -- upload',
  folder: '/home/me/upload',
  exitCode,
  signal: null,
  ms,
  bytes: 5120,
  file: '/data/outputs/work-c4.log',
  timedOut: false,
  background: null,
  tail: ' RUN  v4.0.9 /home/me/upload\n\n ✓ test/upload.test.ts (12 tests) 41ms\n\n Test Files  1 passed (1)\n      Tests  12 passed (12)\n',
});
const todos: JsonValue = {
  kind: 'todos',
  items: [
    { text: 'Find what the test waits for', state: 'done' },
    { text: 'Hand the clock into upload()', state: 'done' },
    { text: 'Hold the clock still in the test, and see that it fails without the fix', state: 'active' },
    { text: 'Run the tests', state: 'pending' },
    { text: 'Say what was changed', state: 'pending' },
  ],
};

const looked = [
  answer({ uid: 'wa', position: 2, turnUid: 'work' }, [
    'I will look at the test first.',
    call('c0', 'todo_write', {}),
    call('c1', 'read_file', { path: 'src/upload.ts' }),
    call('c2', 'git_log', { path: 'src/upload.ts' }),
    call('c2b', 'find_references', { symbol: 'upload' }),
  ]),
  finishedCall(3, 'c0', 'todo_write', 'Noted.', todos),
  finishedCall(4, 'c1', 'read_file', 'export async function upload', { lines: 88 }),
  finishedCall(5, 'c2', 'git_log', 'a1b2c3 Retry uploads'),
  finishedCall(6, 'c2b', 'find_references', 'src/client/uploadQueue.ts:12'),
];

const edited = [
  answer({ uid: 'wb', position: 7, turnUid: 'work' }, [
    'The retry timer uses the real clock. I hand one in.',
    call('c3', 'edit_file', { path: 'src/upload.ts' }),
    call('c3b', 'apply_patch', { patch: '' }),
  ]),
  finishedCall(8, 'c3', 'edit_file', 'Edited src/upload.ts.', edit),
  finishedCall(9, 'c3b', 'apply_patch', 'Patched 2 files.', patch),
];

const commands = [
  answer({ uid: 'wc', position: 10, turnUid: 'work' }, [
    call('c4', 'run_command', { command: 'npm test -- upload' }),
    call('c5', 'run_command', { command: 'npm run lint && npm run typecheck -- --pretty false --incremental' }),
    call('c6', 'fetch_url', { url: 'https://vitest.dev/guide/mocking.html' }),
    call('c7', 'mcp_github_create_issue', { title: 'Flaky' }),
    call('c8', 'run_command', { command: 'rm -rf node_modules' }),
  ]),
  finishedCall(11, 'c4', 'run_command', 'passed', ran(0, 12_400)),
  finishedCall(12, 'c5', 'run_command', 'failed', { ...Object(ran(2, 3100)), command: 'npm run lint' }, 'failed'),
  finishedCall(13, 'c6', 'fetch_url', 'Mocking …', {
    kind: 'fetch',
    url: 'https://vitest.dev/guide/mocking.html',
    status: 200,
    bytes: 81_000,
  }),
  finishedCall(14, 'c7', 'mcp_github_create_issue', 'Created #12.'),
  finishedCall(15, 'c8', 'run_command', 'The person did not allow this.', undefined, 'denied'),
];

const served = {
  file: '/data/outputs/work-d3.log',
  command: 'while ! curl --silent http://127.0.0.1:5173; do sleep 1; done; npm run dev -- --port 5173',
  startedAt: Date.now() / 1000 - 125,
  end: null,
};

const waiting = waitingTurn('work', 'w1');
const running = runningTurn('work', 'w1');

const asked = (callId: string, request: ApprovalRequest): Approval =>
  pendingApproval(request, { turnUid: 'work', messageUid: 'wd', callId });

const inside = (path: string) => ({ path: `/home/me/upload/${path}`, shown: path, isInside: true });

export const asks: Readonly<Record<string, ApprovalRequest>> = {
  command: {
    tool: 'run_command',
    access: {
      kind: 'run',
      command: 'git push origin fix && npm publish --dry-run',
      folder: { path: '/home/me/upload', shown: 'upload', isInside: true },
      shell: 'posix',
    },
    subject: 'git push origin fix && npm publish --dry-run',
    reasons: ['command'],
    rules: ['run(git push origin fix)', 'run(npm publish *)'],
    preview: null,
  },
  edit: {
    tool: 'edit_file',
    access: { kind: 'edit', paths: [inside('src/upload.ts')] },
    subject: 'src/upload.ts',
    reasons: ['change'],
    rules: ['edit(src/**)'],
    preview: diff,
  },
  plan: {
    tool: 'exit_plan_mode',
    access: { kind: 'plan' },
    subject: 'Plan',
    reasons: ['plan'],
    rules: [],
    preview:
      '## Hold the clock still\n\n1. `upload()` takes a `Clock`\n2. The test hands in one that stands still\n3. Run **all** tests\n\n```ts\nexport interface Clock {\n  sleep(ms: number): Promise<void>;\n}\n```',
  },
  outside: {
    tool: 'read_file',
    access: {
      kind: 'read',
      paths: [
        {
          path: '/home/me/.config/upload/credentials.json',
          shown: '/home/me/.config/upload/credentials.json',
          isInside: false,
        },
      ],
    },
    subject: '/home/me/.config/upload/credentials.json',
    reasons: ['outside', 'sensitive'],
    rules: [],
    preview: null,
  },
  server: {
    tool: 'mcp_github_create_issue',
    access: { kind: 'mcp', server: 'github', tool: 'create_issue', readOnly: false },
    subject: 'github: create_issue',
    reasons: ['server'],
    rules: ['mcp(github/create_issue)'],
    preview: '```json\n{\n  "title": "Flaky upload test"\n}\n```',
  },
};

const asking = answer({ uid: 'wd', position: 20, turnUid: 'work' }, [
  'Now I push it.',
  call('d1', 'run_command', { command: 'git push origin fix && npm publish --dry-run' }),
  call('d2', 'edit_file', { path: 'CHANGELOG.md' }),
  call('d3', 'run_command', { command: 'npm test' }),
]);

function waits(request: ApprovalRequest): ShownSession {
  return shownSession({ messages: [question, ...looked, asking], openTurn: waiting, approval: asked('d1', request) });
}

const missing = {
  kind: 'missing',
  reason: 'bubblewrap is not installed',
  remedy: 'Install bubblewrap and socat (for example: sudo apt install bubblewrap socat) and reload the window.',
} as const;

function asksToRun(
  command: string,
  confined: Confined | null,
  reasons: ApprovalRequest['reasons'],
  rules: readonly string[],
): ShownSession {
  return waits({
    tool: 'run_command',
    access: {
      kind: 'run',
      command,
      folder: { path: '/home/me/upload', shown: '.', isInside: true },
      shell: 'posix',
      ...(confined === null ? {} : { confined }),
    },
    subject: command,
    reasons,
    rules,
    preview: null,
  });
}

const stopped: JsonValue = {
  ...Object(ran(1, 2600)),
  command: 'npm ci',
  sandbox: { stopped: ['write to ~/.npmrc', 'connect to registry.npmjs.org'], takenOut: ['.husky'] },
};
const wasStopped = answer({ uid: 'wq', position: 20, turnUid: 'work' }, [
  'Installing what it needs.',
  call('q1', 'run_command', { command: 'npm ci' }),
]);

const changed = (shown: string, change: Partial<ChangedFile>): ChangedFile => ({
  path: `/home/me/upload/${shown}`,
  shown,
  kind: 'edited',
  added: 3,
  removed: 1,
  state: 'open',
  ...change,
});
const files: readonly ChangedFile[] = [
  changed('src/upload.ts', {}),
  changed('src/client/uploadQueue.ts', { added: 12, removed: 4, state: 'changedSince' }),
  changed('test/heldClock.ts', { kind: 'created', added: 18, removed: 0, state: 'kept' }),
  changed('media/flaky.png', { kind: 'deleted', added: null, removed: null, state: 'reverted', canUndoRevert: true }),
];

export const hunks: readonly FileHunk[] = [
  {
    id: 'h1',
    line: 40,
    removed: ['    await new Promise((resolve) => setTimeout(resolve, 200 * attempt));'],
    added: ['    // The clock comes in, so that a test can hold it still.', '    await clock.sleep(200 * attempt);'],
  },
  { id: 'h2', line: 65, removed: [], added: ['  readonly retried = true;'] },
];

const done = shownSession({
  messages: [
    question,
    ...looked,
    ...edited,
    ...commands,
    answer({ uid: 'wz', position: 30, turnUid: 'work' }, ['The test is steady now: it holds the clock still.']),
  ],
  turns: [settledTurn('work', 'w1')],
  changes: { work: files },
});

/** */
export function workStates(): Readonly<Record<string, PreviewState>> {
  return {
    ...Object.fromEntries(Object.entries(asks).map(([name, request]) => [`approval-${name}`, chat(waits(request))])),
    'approval-more': chat(waits(asks['edit'] ?? fail()), { press: ['More Actions…'] }),
    'approval-rules': chat(waits(asks['command'] ?? fail()), { press: ['More Actions…', 'Always…'] }),
    'approval-deny': chat(waits(asks['command'] ?? fail()), { press: ['More Actions…', 'Deny with Reason…'] }),
    'work-rows': chat(
      shownSession({
        messages: [question, ...looked, ...edited, ...commands],
        openTurn: running,
        activity: { kind: 'requesting', elapsedMs: 4000, iteration: 52, maxIterations: 90 },
      }),
    ),
    'work-diff': chat(
      shownSession({
        messages: [question, ...edited],
        turns: [settledTurn('work', 'w1')],
        changes: { work: files.slice(0, 1) },
      }),
      { press: ['Tool: edit_file src/upload.ts'] },
    ),
    'work-command': chat(
      shownSession({
        messages: [
          question,
          answer({ uid: 'we', position: 20, turnUid: 'work' }, [
            'Running the tests.',
            call('d3', 'run_command', { command: 'npm test' }),
          ]),
        ],
        openTurn: running,
        activity: { kind: 'runningTool', callId: 'd3', startedAt: Date.now() / 1000 - 12 },
      }),
      {
        events: [
          {
            kind: 'toolProgress',
            turnUid: 'work',
            callId: 'd3',
            progress: {
              kind: 'output',
              file: '/data/outputs/work-d3.log',
              bytes: 900,
              tail: Array.from(
                { length: 14 },
                (_, index) => ` ✓ test/part${index + 1}.test.ts (${index + 3} tests)`,
              ).join('\n'),
            },
          },
        ],
      },
    ),
    'work-background': chat(
      shownSession({
        messages: [
          question,
          answer({ uid: 'we', position: 20, turnUid: 'work' }, [
            'The server runs; the tests are next.',
            call('d3', 'run_command', { command: served.command, background: true }),
          ]),
          finishedCall(21, 'd3', 'run_command', 'Running', {
            ...Object(ran(0, 1000)),
            command: served.command,
            exitCode: null,
            file: served.file,
            background: 'cmd1',
          }),
          answer({ uid: 'wr', position: 30, turnUid: 'work' }, ['It listens at http://127.0.0.1:5173.']),
        ],
        turns: [settledTurn('work', 'w1')],
      }),
      {},
      {
        commands: [
          served,
          { ...served, file: '/data/outputs/other.log', command: 'npm run watch -- --project packages/client/web' },
        ],
      },
    ),
    'work-sub-agent': chat(
      shownSession({
        messages: [
          question,
          answer({ uid: 'we', position: 20, turnUid: 'work' }, [
            'Two of me look at it.',
            call('s1', 'delegate_task', { title: 'Find every timer in the upload code' }),
            call('s2', 'delegate_task', { title: 'Read the CI logs' }),
          ]),
        ],
        openTurn: running,
        activity: { kind: 'runningTool', callId: 's1', startedAt: Date.now() / 1000 - 12 },
      }),
      {
        events: [
          { kind: 'toolProgress', turnUid: 'work', callId: 's1', progress: { kind: 'session', sessionId: 'sub1' } },
          {
            kind: 'toolProgress',
            turnUid: 'work',
            callId: 's1',
            progress: {
              kind: 'step',
              call: call('x1', 'read_file', { path: 'src/client/uploadQueue.ts' }),
              outcome: null,
              steps: 4,
            },
          },
          {
            kind: 'activity',
            turnUid: 'work',
            activity: { kind: 'runningTool', callId: 's2', startedAt: Date.now() / 1000 - 3 },
          },
          {
            kind: 'toolProgress',
            turnUid: 'work',
            callId: 's2',
            progress: {
              kind: 'step',
              call: call('x2', 'run_command', { command: 'gh run view --log-failed' }),
              outcome: 'failed',
              steps: 1,
            },
          },
        ],
      },
    ),
    'work-todos': chat(shownSession({ messages: [question, ...looked, ...edited], openTurn: running, mode: 'auto' }), {
      press: ['Todos 2/5'],
    }),
    'work-files': chat(done, { requests: { fileHunks: hunks }, press: ['4 files changed', 'upload.ts src edited'] }),
    'work-reverted': chat(
      {
        ...done,
        changes: {
          work: files.map((file) => ({ ...file, state: 'reverted' as const, canUndoRevert: true })),
        },
      },
      { press: ['4 files changed'] },
    ),
    'work-conflict': chat(done, {
      requests: {
        reviewFiles: {
          sentence: 'src/client/uploadQueue.ts has changed since and stays as it is. The other files are reverted.',
          conflicts: ['/home/me/upload/src/client/uploadQueue.ts'],
        },
      },
      press: ['Revert'],
    }),
    'work-retry': chat(done, { requests: { filesFrom: files.slice(0, 3) }, press: ['Retry'] }),
    'sandbox-card': chat(
      asksToRun(
        'npm ci',
        { kind: 'inside', hosts: ['registry.npmjs.org'] },
        ['command', 'network'],
        ['run(npm ci)', 'connect(registry.npmjs.org)'],
      ),
      {},
      { sandbox: { kind: 'works' } },
    ),
    'sandbox-outside': chat(
      asksToRun(
        'docker compose up -d db',
        {
          kind: 'outside',
          reason: 'It talks to the Docker daemon, whose socket cannot be reached from inside the sandbox.',
        },
        ['unconfined'],
        [],
      ),
      {},
      { sandbox: { kind: 'works' } },
    ),
    'sandbox-missing-card': chat(asksToRun('npm ci', null, ['command'], ['run(npm ci)']), {}, { sandbox: missing }),
    'sandbox-row': chat(
      shownSession({
        messages: [
          question,
          wasStopped,
          finishedCall(21, 'q1', 'run_command', 'failed', stopped, 'failed'),
          answer({ uid: 'wr', position: 30, turnUid: 'work' }, ['It may not reach the registry.']),
        ],
        turns: [settledTurn('work', 'w1')],
      }),
      {},
      { sandbox: { kind: 'works' } },
    ),
    'sandbox-menu': chat(
      shownSession({ messages: [question], turns: [settledTurn('work', 'w1')], mode: 'auto' }),
      { press: ['Mode'] },
      {
        sandbox: { kind: 'works' },
      },
    ),
    'sandbox-missing-menu': chat(
      shownSession({ messages: [question], turns: [settledTurn('work', 'w1')], mode: 'auto' }),
      { press: ['Mode'] },
      {
        sandbox: missing,
      },
    ),
    'work-mode': chat(
      shownSession({ messages: [question], turns: [settledTurn('work', 'w1')], mode: 'plan' }),
      { press: ['Mode'] },
      {
        restricted: true,
      },
    ),
  };
}

function fail(): never {
  throw new Error('There is no such question');
}

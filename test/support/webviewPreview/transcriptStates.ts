import type { TranscriptBranch } from '../../../src/features/transcript/protocol/transcriptProtocol';
import type { Message } from '../../../src/transcript/message';
import { handoffPart } from '../../../src/transcript/handoff';
import { storedTurn, transcriptPage, transcriptState, treeBranch } from '../builders/transcriptState';
import { afternoon, answer, call, prompt, result, session, settledTurn } from '../builders/viewMessages';
import type { PreviewState } from './previewState';

const usage = {
  inputTokens: 2810,
  outputTokens: 290,
  cachedInputTokens: 1200,
  cacheWriteTokens: null,
  reasoningTokens: null,
};
const text = `The retry timer uses the **real clock**, so the test passes only where the machine is fast enough.

1. \`upload()\` starts a timer in [src/upload.ts:42](src/upload.ts:42)
2. CI is slower, and the second attempt begins before the first has failed

\`\`\`ts
export async function upload(file: File, clock: Clock): Promise<void> {
  for (let attempt = 1; attempt <= 3; attempt++) if (await send(file, { attempt, clock, signal: AbortSignal.timeout(5000) })) return;
}
\`\`\``;
const listing = Array.from(
  { length: 70 },
  (_, index) =>
    `${index + 1}: src/upload/part${index}.ts holds a line that is long enough to need scrolling inside of its own box and nowhere else`,
).join('\n');

const plain: readonly Message[] = [
  prompt({ uid: 'u1', position: 1 }, 'Why does upload.test.ts fail on CI only?'),
  answer(
    { uid: 'a1', position: 2 },
    [
      { kind: 'thinking', text: 'The test fails on CI only, which smells of time.' },
      call('c1', 'search_files', { pattern: 'retry(', path: 'src' }),
    ],
    { usage },
  ),
  result({ uid: 'r1', position: 3 }, 'c1', 'search_files', listing),
  answer(
    { uid: 'a2', position: 4 },
    ['I will run the test.', call('c2', 'run_command', { command: 'npm test -- upload' })],
    { usage },
  ),
  result({ uid: 'r2', position: 5 }, 'c2', 'run_command', 'Error: expected 3 attempts, saw 2', 'failed'),
  answer({ uid: 'a3', position: 6 }, [text], { usage }),
];
const turn = storedTurn(settledTurn(), 1, {
  files: [
    { path: 'src/upload.ts', kind: 'edited', reviewed: 'kept' },
    { path: 'test/fakeClock.ts', kind: 'created', reviewed: null },
  ],
});
const asked = {
  id: 'ap1',
  messageUid: 'a2',
  callId: 'c2',
  requestedAt: afternoon + 4,
  subject: 'npm test -- upload',
  rules: ['run(npm test)'],
  state: {
    kind: 'decided',
    decision: { kind: 'allow', scope: 'session', rules: ['run(npm test *)'] },
    decidedAt: afternoon + 6,
  },
} as const;
const page = { messages: plain, turns: [turn], approvals: [asked] };

const repaired: readonly Message[] = [
  prompt({ uid: 'u1', position: 1 }, 'Fix the upload.\n\nAnd tell me why it failed.'),
  prompt(
    { uid: 'u2', position: 2, turnUid: 'turn2', visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u1' } },
    'And tell me why it failed.',
  ),
  answer({ uid: 'a1', position: 3 }, [call('c1', 'run_command', { command: 'npm test' })], { usage }),
  result(
    { uid: 'a1/result/c1', position: 4 },
    'c1',
    'run_command',
    '(Interrupted before a result was recorded. It may have run, in whole or in part.)',
    'interrupted',
  ),
  result(
    { uid: 'x1', position: 5, visibility: { kind: 'hidden', reason: 'dropped', absorbedInto: null } },
    'c9',
    'read_file',
    'A result that no call asked for',
    'done',
  ),
  answer({ uid: 'h1', position: 6, visibility: { kind: 'hidden', reason: 'retried', absorbedInto: null } }, [
    'An earlier answer about `upload.ts`, that [was asked for](https://example.org/) again.',
  ]),
  answer({ uid: 'a2', position: 7 }, ['It failed because of the clock.'], { usage }),
  answer({ uid: 'k1', position: 8, turnUid: 'turn3', visibility: { kind: 'closing' } }, [
    '(Stopped by the user before an answer. Do not resume this request unless asked.)',
  ]),
];
const repairedPage = transcriptPage({
  messages: repaired,
  turns: [
    storedTurn(settledTurn('turn1', 'u1'), 1),
    storedTurn(settledTurn('turn2', 'u2', { outcome: 'interrupted', stopReason: 'crash' }), 2, {
      versions: [
        { turnUid: 'turn0', firstUid: 'h1' },
        { turnUid: 'turn2', firstUid: 'u2' },
      ],
    }),
    storedTurn(
      settledTurn('turn3', 'u3', {
        outcome: 'failed',
        stopReason: 'error',
        failure: {
          cause: 'auth',
          sentence:
            'The key for OpenRouter was refused (401). Your prompt is saved. Set a new key or choose another model.',
          technical: '401',
        },
      }),
      3,
    ),
  ],
  absorbed: [{ into: 'u1', uid: 'u2', number: 2 }],
  absorbers: [{ uid: 'u1', number: 1 }],
  revised: ['u1'],
  counts: { complete: 5, interrupted: 2, failed: 1, waiting: 0, repaired: 4, hidden: 4 },
});

const second = '20261112_150200_d4e5f6';
const handoff: Message = {
  ...answer({ uid: `${second}/handoff`, position: 20, visibility: { kind: 'handoff' } }, []),
  role: 'user',
  sessionId: second,
  turnUid: null,
  parts: [
    handoffPart('The person asked why upload.test.ts fails on CI only. The retry timer uses the real clock.', {
      before: 62_000,
      after: 4100,
    }),
  ],
};
const segments = [
  { sessionId: session().id, firstUid: 'u1', lastUid: 'a3', handoffUid: null, tokens: null },
  {
    sessionId: second,
    firstUid: `${second}/handoff`,
    lastUid: 'b1',
    handoffUid: `${second}/handoff`,
    tokens: { before: 62_000, after: 4100 },
  },
] as const;
const inSecond = (message: Message): Message => ({ ...message, sessionId: second });
const compressed = {
  messages: [
    plain[0],
    plain[5],
    handoff,
    inSecond(prompt({ uid: 'u5', position: 21, turnUid: 'turn2' }, 'Go on')),
    inSecond(answer({ uid: 'b1', position: 22, turnUid: 'turn2' }, ['The clock is handed in now.'], { usage })),
  ].filter((message) => message !== undefined),
  turns: [turn, storedTurn(settledTurn('turn2', 'u5', { outcome: 'interrupted', stopReason: 'user' }), 2)],
  segments,
};

const tree: readonly TranscriptBranch[] = [
  treeBranch('root', null, { title: 'Fix flaky upload test', turnCount: 9 }),
  treeBranch(session().conversationId, 'root', { title: 'Fix flaky upload test #2', branchedFrom: 'u1' }),
  treeBranch('deep', session().conversationId, {
    title: 'Fix flaky upload test #3: with a clock that is handed in everywhere it is needed',
    turnCount: 1,
  }),
  treeBranch('agent', 'root', { title: 'Find every timer', turnCount: 1, subAgent: true }),
  treeBranch('other', 'root', { title: null }),
];

const rawJson = JSON.stringify(
  {
    id: 12,
    uid: 'a3',
    session_id: session().id,
    turn_uid: 'turn1',
    position: 6,
    role: 'assistant',
    timestamp: afternoon,
    finish_reason: 'stop',
    active: 1,
    state: 'final',
    last_seq: 14,
    model: 'Local/qwen3:8b',
    usage,
    parts: [{ kind: 'text', text }],
  },
  null,
  2,
);

/** The transcript tab in the states worth looking at. */
export const transcriptStates: Readonly<Record<string, PreviewState>> = {
  transcript: {
    view: 'transcript',
    bootstrap: transcriptState({
      ...page,
      earlier: 0,
      total: 9,
      counts: { complete: 6, interrupted: 0, failed: 0, waiting: 0, repaired: 0, hidden: 3 },
    }),
  },
  'transcript-branches': {
    view: 'transcript',
    bootstrap: transcriptState({ ...page, earlier: 354, later: 40, total: 400 }, { branches: tree, reveal: 'a3' }),
  },
  'transcript-repairs': {
    view: 'transcript',
    bootstrap: { ...transcriptState({}), rows: repairedPage },
    requests: {
      loadRows: repairedPage,
      revisions: [
        {
          revisedAt: afternoon + 60,
          parts: [{ kind: 'text', text: 'Fix the upload.' }],
          diff: '--- row\n+++ row\n@@ -1 +1,3 @@\n Fix the upload.\n+\n+And tell me why it failed.',
        },
      ],
    },
    press: ['Hidden Rows (4)', 'Show Earlier Content'],
  },
  'transcript-segments': { view: 'transcript', bootstrap: transcriptState(compressed) },
  'transcript-filtered': {
    view: 'transcript',
    bootstrap: transcriptState({
      messages: [],
      total: 400,
      matching: 0,
      counts: { complete: 380, interrupted: 12, failed: 8, waiting: 0, repaired: 0, hidden: 21 },
    }),
  },
  'transcript-empty': { view: 'transcript', bootstrap: transcriptState({}) },
  'transcript-unreadable': {
    view: 'transcript',
    bootstrap: {
      ...transcriptState(
        {},
        {
          session: null,
          problem:
            'The history could not be opened: the disk cannot be read. Everything shown is saved. Try again, or open the log.',
        },
      ),
      rows: null,
    },
  },
  'transcript-other-folder': {
    view: 'transcript',
    bootstrap: transcriptState(page, { otherFolder: '/home/me/another-project', readAt: afternoon }),
  },
  'transcript-file': {
    view: 'transcript',
    bootstrap: transcriptState(page, { file: { sessions: 3 }, readAt: afternoon }),
  },
  'transcript-raw-row': {
    view: 'transcript',
    bootstrap: transcriptState(page, { reveal: 'a3' }),
    requests: { rawRow: rawJson },
    press: ['Raw Row'],
  },
  'transcript-menu': {
    view: 'transcript',
    bootstrap: transcriptState(page, { reveal: 'u1' }),
    press: ['More Actions…'],
  },
  'transcript-search': {
    view: 'transcript',
    bootstrap: transcriptState({ ...page, earlier: 2994, total: 3000 }),
    requests: { findRows: ['a1', 'r1', 'a3'] },
    findRows: 'retry',
  },
  'transcript-searching': {
    view: 'transcript',
    bootstrap: transcriptState({ ...page, earlier: 59_994, total: 60_000 }),
    findRows: 'zeppelin',
  },
};

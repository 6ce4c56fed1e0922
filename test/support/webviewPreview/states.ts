import type { ChatState, ModelList, ContextUseView, SetupEntry } from '../../../src/protocol/chatProtocol';
import type { SearchState } from '../../../src/features/search/protocol/searchProtocol';
import type { Message } from '../../../src/transcript/message';
import type { SessionSummary } from '../../../src/transcript/session';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { searchHit, searchPage, searchSession } from '../builders/searchResults';
import { approvalStates } from './approvalStates';
import { inputStates } from './inputStates';
import { attachmentStates } from './attachmentStates';
import { endingStates } from './endingStates';
import { startStates } from './startStates';
import { syncStates } from './syncStates';
import { storeStates } from './storeStates';
import { composerStates } from './composerStates';
import { feedStates } from './feedStates';
import { turnStates } from './turnStates';
import { transcriptStates } from './transcriptStates';
import { codeStates } from './codeStates';
import { deliveryStates } from './deliveryStates';
import { workStates } from './workStates';
import {
  afternoon,
  answer,
  call,
  delivered,
  modelRow,
  prompt,
  result,
  runningTurn,
  session,
  sessionSummary,
  settledTurn,
  shownSession,
} from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

const markdown = `The retry timer uses the **real clock**, so the test passes only where the machine is fast enough.

1. \`upload()\` starts a timer in [src/upload.ts:42](src/upload.ts:42)
2. CI is slower, and the second attempt begins before the first has failed:
   - attempt 1 waits 200 ms
   - attempt 2 is *not* cancelled

\`\`\`ts
export async function upload(file: File, clock: Clock): Promise<void> {
  // the clock comes in, so that a test can hold it still
  for (let attempt = 1; attempt <= 3; attempt++) {
    if (await send(file)) return;
    await clock.sleep(200 * attempt);
  }
  throw new UploadError(\`gave up after \${attempts} attempts\`);
}
\`\`\`

| Attempt | Delay | Seen on CI |
|--------:|:-----:|------------|
| 1 | 200 ms | always |
| 2 | 400 ms | sometimes |

> Timers in tests belong to the test.

- [x] find the timer
- [ ] inject the clock`;

const thinking =
  'The test fails on CI only, which smells of time. Let me look for timers: setTimeout in upload.ts, and the retry loop around it.';
const question = prompt({ uid: 'u1', position: 1 }, 'Why does upload.test.ts fail on CI only?');

const reads: readonly Message[] = [
  answer({ uid: 'a1', position: 2 }, [
    { kind: 'thinking', text: thinking },
    call('c1', 'read_file', { path: 'src/upload.ts' }),
  ]),
  result({ uid: 'r1', position: 3 }, 'c1', 'read_file', '1  export async function upload', 'done', { lines: 88 }),
  answer({ uid: 'a2', position: 4 }, [
    call('c2', 'read_file', { path: 'test/upload.test.ts' }),
    call('c3', 'search_files', { query: 'retry(' }),
  ]),
  result({ uid: 'r2', position: 5 }, 'c2', 'read_file', 'test("uploads")', 'done', { lines: 31 }),
  result({ uid: 'r3', position: 6 }, 'c3', 'search_files', 'src/upload.ts\n42: retry(', 'done', { matches: 1 }),
];

const complete = shownSession({
  messages: [question, ...reads, answer({ uid: 'a3', position: 7 }, [markdown])],
  turns: [settledTurn()],
});

const secondQuestion = prompt(
  { uid: 'u2', position: 20, turnUid: 'turn2' },
  'Fix it, and add a test that holds the clock still.\nKeep the public API as it is.',
);

const tools: readonly Message[] = [
  secondQuestion,
  answer({ uid: 'b1', position: 21, turnUid: 'turn2' }, [
    'I will read the callers first.',
    call('d1', 'read_file', { path: 'src/client/uploadQueue.ts' }),
    call('d2', 'list_directory', { path: 'test/fixtures' }),
    call('d3', 'search_files', { query: 'new UploadError' }),
  ]),
  result(
    { uid: 's1', position: 22, turnUid: 'turn2' },
    'd1',
    'read_file',
    'import { upload } from "../upload";',
    'done',
    { lines: 120 },
  ),
  result(
    { uid: 's2', position: 23, turnUid: 'turn2' },
    'd2',
    'list_directory',
    'There is no folder test/fixtures.',
    'failed',
  ),
];

const entries: readonly SetupEntry[] = [
  {
    id: 'editor',
    kind: 'editorModels',
    title: 'Use the editor’s models',
    detail: 'Copilot: 12 models. Asks for your consent at the first prompt.',
  },
  {
    id: 'ollama',
    kind: 'localServer',
    title: 'Found Ollama on this machine: 5 models',
    detail: 'Prompts stay on 127.0.0.1:11434',
  },
  {
    id: 'key',
    kind: 'pasteKey',
    title: 'Paste a Key',
    detail: 'OpenRouter, OpenAI, Anthropic, Nous, Groq, DeepSeek, Mistral …',
  },
  {
    id: 'demo',
    kind: 'demo',
    title: 'Try the Demo',
    detail: 'Scripted, offline, not AI: shows how streaming, Stop and saving behave',
  },
];

function summary(
  id: string,
  title: string | null,
  hoursAgo: number,
  lastTurn: SessionSummary['lastTurn'],
): SessionSummary {
  return sessionSummary({
    id,
    title,
    lastActiveAt: Date.now() / 1000 - hoursAgo * 3600,
    preview: 'Why does upload.test.ts fail on CI only?',
    turnCount: 4,
    messageCount: 19,
    lastTurn,
  });
}

const recent = [
  summary('s1', 'Fix flaky upload test', 0.2, { state: 'running' }),
  summary('s2', 'Explain the build scripts and where the worker comes from', 3, { state: 'complete' }),
  summary('s3', null, 30, { state: 'interrupted' }),
  { ...summary('s4', 'Rename the store module', 200, { state: 'failed' }), unread: true },
  { ...summary('s5', 'Which tests use the real clock?', 400, { state: 'complete' }), unread: true },
];

const wellFilled: ContextUseView = {
  tokens: 52_400,
  counted: true,
  window: 128_000,
  parts: { system: 1900, tools: 3100, memory: 600, messages: 46_800 },
  spending: { session: { usd: 0.42, unpriced: 0 }, today: { usd: 1.8, unpriced: 1 } },
};

const demo = modelRow({
  ref: 'Demo/demo',
  label: 'Demo',
  provider: 'Demo',
  destination: 'Runs offline, sends nothing',
  contextWindow: null,
  isDemo: true,
});

const choices: ModelList = {
  models: [
    modelRow(),
    modelRow({
      ref: 'Local/tiny',
      label: 'tinyllama:1.1b',
      contextWindow: 2048,
      tools: false,
      warnings: ['This server reads only 2k tokens. Start it with OLLAMA_CONTEXT_LENGTH=32768 ollama serve.'],
    }),
    modelRow({
      ref: 'OpenRouter/anthropic/claude-x',
      label: 'Claude X',
      provider: 'OpenRouter',
      destination: 'openrouter.ai',
      contextWindow: 200_000,
      price: { input: 3, output: 15 },
    }),
    modelRow({
      ref: 'Editor/gpt',
      label: 'GPT-5 mini',
      provider: 'Editor',
      destination: 'Editor (Copilot)',
      contextWindow: 128_000,
      warnings: ['The editor’s models may lose the last words when the provider fails.'],
    }),
    demo,
  ],
  problems: [{ provider: 'Nous', sentence: 'Nous: the key was refused (401). Set a new key.' }],
};

const piece = (uid: string, text: string): TurnEvent => delivered('turn2', uid, 1, 0, text);

const failure = {
  cause: 'auth' as const,
  sentence: 'The key for OpenRouter was refused (401). Your prompt is saved. Set a new key or choose another model.',
  technical: 'HTTP 401 from https://openrouter.ai/api/v1/chat/completions',
};

const running = shownSession({
  ...complete,
  messages: [...complete.messages, secondQuestion],
  openTurn: runningTurn('turn2', 'u2'),
  activity: { kind: 'answering' },
});

const branched = shownSession({
  ...complete,
  session: session({ parentSessionId: 's2', parentKind: 'branch', title: 'Fix flaky upload test #2', private: true }),
  origin: { sessionId: 's2', title: 'Fix flaky upload test', isTrashed: false },
  versions: [{ turnUid: 'turn1', versions: ['turn0', 'turn1', 'turn2'] }],
});

const background: ChatState['background'] = [
  { sessionId: 's3', title: 'Explain the build scripts and where the worker comes from', state: 'running' },
  { sessionId: 's4', title: 'Rename the store module', state: 'failed' },
];

const long = shownSession({
  messages: Array.from({ length: 40 }, (_, index) => [
    prompt(
      { uid: `lu${index}`, position: index * 2 + 1, turnUid: `lt${index}` },
      `Question ${index + 1}: what does part ${index + 1} of this folder do?`,
    ),
    answer({ uid: `la${index}`, position: index * 2 + 2, turnUid: `lt${index}` }, [
      `Part ${index + 1} does what its name says. `.repeat(6),
    ]),
  ]).flat(),
  turns: Array.from({ length: 40 }, (_, index) => settledTurn(`lt${index}`, `lu${index}`)),
});

function searching(asked: string | null): SearchState {
  return { asked, problem: null, localization: {} };
}

const foundPage = searchPage({
  hits: [
    searchHit(
      'h1',
      'The retry timer uses the real clock, so the test passes only where the machine is fast enough: retry( is called twice',
      ['retry'],
      { role: 'assistant' },
    ),
    searchHit('h2', 'src/upload.ts\n42: retry(send, { attempts: 3 })', ['retry'], { role: 'tool' }),
    searchHit('h3', 'Why does the retry in upload.test.ts fail on CI only?', ['retry'], {
      createdAt: afternoon - 90_000,
    }),
    searchHit('h4', 'لماذا retry؟', ['retry'], {
      sessionId: 's2',
      conversationId: 's2',
      sessionTitle:
        'Rename the store module and a title that is long enough to need a second line at three hundred pixels',
    }),
  ],
  sessions: [
    searchSession(),
    searchSession({
      id: 's2',
      conversationId: 's2',
      title: 'Rename the store module and a title that is long enough to need a second line at three hundred pixels',
      archived: true,
      turnCount: 1,
    }),
  ],
  titled: [
    searchSession({
      id: 's3',
      conversationId: 's3',
      title: 'Retry with backoff',
      branchOf: { conversationId: 's2', sessionId: 's2', title: 'Rename the store module' },
    }),
  ],
  hasMore: true,
  indexLeft: 12_340,
});

/** Every state worth looking at, by name. */
export const states: Readonly<Record<string, PreviewState>> = {
  'empty-no-model': chat(
    null,
    {},
    {
      model: { chosen: null, problem: null },
      setup: { searching: true, entries },
      recentSessions: recent,
    },
  ),
  'empty-no-model-sent': chat(
    null,
    { press: ['Send'] },
    {
      model: { chosen: null, problem: null },
      setup: { searching: false, entries },
      newDraft: 'Why is the sky blue?',
    },
  ),
  'empty-no-folder': chat(
    null,
    {},
    {
      folderName: null,
      model: { chosen: null, problem: 'The model Local/qwen3:8b is not there any more. Choose another one.' },
      setup: { searching: false, entries },
    },
  ),
  'empty-chosen': chat(
    null,
    {
      requests: {
        starterPrompts: [
          'Explain what this project does and where to start reading',
          'What do the tests in test/ cover?',
          'Review my uncommitted changes',
        ],
      },
    },
    { recentSessions: recent },
  ),
  ...startStates(recent),
  complete: chat(complete, { hover: 'Hermes' }),
  tools: chat(
    shownSession({
      messages: [question, ...reads, ...tools],
      turns: [settledTurn()],
      openTurn: runningTurn('turn2', 'u2'),
      activity: { kind: 'runningTool', callId: 'd3', startedAt: Date.now() / 1000 - 12 },
    }),
    { press: ['Tool: list_directory'] },
  ),
  streaming: chat(running, { events: [piece('b9', markdown.slice(0, 640))] }),
  loading: chat({ ...running, activity: { kind: 'loadingModel', elapsedMs: 12_000 } }),
  retrying: chat({
    ...running,
    activity: {
      kind: 'retrying',
      attempt: 2,
      attempts: 4,
      delayMs: 3000,
      failure: { cause: 'overloaded', sentence: 'openrouter.ai is overloaded (529).', technical: '' },
    },
  }),
  queue: chat(
    {
      ...running,
      queue: [
        {
          uid: 'q0',
          sessionId: session().id,
          text: 'use the clock of the test',
          createdAt: afternoon,
          isNextStep: true,
        },
        { uid: 'q1', sessionId: session().id, text: 'also update the docs', createdAt: afternoon },
        {
          uid: 'q2',
          sessionId: session().id,
          text: 'and then tell me which other tests use the real clock, with the file and the line of each of them',
          createdAt: afternoon,
        },
      ],
    },
    { events: [piece('b9', 'I will inject the clock.')], type: 'One more thing' },
  ),
  failed: chat(
    shownSession({
      messages: [...complete.messages, secondQuestion],
      turns: [settledTurn(), settledTurn('turn2', 'u2', { outcome: 'failed', stopReason: 'error', failure })],
    }),
  ),
  interrupted: chat(
    shownSession({
      session: session({ parentSessionId: 's2', parentKind: 'branch' }),
      messages: [
        ...complete.messages,
        secondQuestion,
        answer({ uid: 'b1', position: 21, turnUid: 'turn2' }, ['I will inject the clock and then']),
      ],
      turns: [
        settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'user' }),
        settledTurn('turn2', 'u2', { outcome: 'interrupted', stopReason: 'crash' }),
      ],
    }),
    {},
    { recentSessions: recent },
  ),
  demo: chat(complete, {}, { model: { chosen: demo, problem: null }, restricted: true }),
  picker: chat(complete, { requests: { listModels: choices }, press: ['Model'] }),
  context: chat(complete, {
    requests: {
      contextUse: {
        ...wellFilled,
        files: [
          { kind: 'rules', path: 'AGENTS.md', origin: 'folder', tokens: 410 },
          { kind: 'rules', path: '~/.config/hermes/AGENTS.md', origin: 'hermes', tokens: 120 },
          { kind: 'skills', count: 3, origin: 'claude', tokens: 240 },
        ],
        left: [{ path: '~/.codex/AGENTS.md', reason: 'size' }],
      },
    },
    press: ['Context 41% full'],
  }),
  compress: chat(complete, {
    requests: { contextUse: { ...wellFilled, tokens: 112_000 }, compressionPreview: { before: 62_000, after: 4100 } },
    press: ['Context 88% full', 'Compress…'],
  }),
  compressing: chat(
    {
      ...complete,
      activity: { kind: 'compressing', startedAt: afternoon },
      queue: [{ uid: 'q1', sessionId: session().id, text: 'also update the docs', createdAt: afternoon }],
    },
    { requests: { contextUse: { ...wellFilled, tokens: 112_000 } } },
  ),
  recalling: chat({ ...running, activity: { kind: 'recalling', startedAt: afternoon } }),
  moved: chat(
    complete,
    {},
    {
      store: {
        kind: 'open',
        notices: [
          {
            sentence:
              'hermes.storage.path was changed. This window still saves sessions in /srv/hermes/upload-2f8a. Reload the window to use the new folder.',
            actions: [{ action: 'reloadWindow', label: 'Reload Window' }],
          },
        ],
      },
    },
  ),
  'store-failed': chat(
    complete,
    {},
    {
      store: {
        kind: 'failed',
        cause: 'full',
        sentence:
          'The disk is full: nothing more can be saved. Everything shown up to here is saved. Free some space, then try again.',
        technical: 'ENOSPC',
        actions: [
          { action: 'retry', label: 'Try Again' },
          { action: 'showLog', label: 'Show Log' },
        ],
      },
    },
  ),
  elsewhere: chat(
    complete,
    {},
    {
      store: {
        kind: 'elsewhere',
        readable: true,
        sentence: 'Your sessions are open in another window. You can read them here.',
        actions: [{ action: 'store.takeOver', label: 'Take Over' }],
      },
    },
  ),
  long: chat(long),
  branch: chat(branched, { hover: 'You' }, { background }),
  'edit-prompt': chat(branched, { press: ['Edit & Resend'] }),
  rewind: chat(branched, { press: ['Rewind to Here…'] }),
  'resume-list': chat({ ...complete, draft: '/resume' }, { press: ['Send'] }, { recentSessions: recent }),
  private: chat(null, {}, { beginning: { private: true }, recentSessions: recent }),
  ...storeStates((store) => chat(running, { events: [piece('b9', markdown.slice(0, 640))] }, { store })),
  ...workStates(),
  ...codeStates(),
  ...turnStates(),
  ...approvalStates(),
  ...inputStates(),
  ...endingStates(),
  ...attachmentStates(),
  ...composerStates(),
  ...feedStates(),
  ...deliveryStates(),
  ...syncStates(complete),
  rtl: chat(complete, { direction: 'rtl' }),
  ...transcriptStates,
  'search-idle': { view: 'search', bootstrap: searching('') },
  'search-found': { view: 'search', bootstrap: searching('retry'), requests: { search: foundPage } },
  'search-nothing': { view: 'search', bootstrap: searching('zeppelin'), requests: { search: searchPage() } },
  'search-scanning': { view: 'search', bootstrap: searching('try(') },
  'search-unreadable': {
    view: 'search',
    bootstrap: {
      ...searching(null),
      problem: 'The history could not be opened: the disk cannot be read. Try again, or open the log.',
    },
  },
};

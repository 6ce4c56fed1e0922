import type {
  ChatNotifications,
  ChatResults,
  ChatState,
  ModelList,
  ContextUseView,
  SetupEntry,
  ShownSession,
} from '../../../src/protocol/chatProtocol';
import type { SearchPage, SearchState } from '../../../src/protocol/searchProtocol';
import type { TranscriptResults, TranscriptState } from '../../../src/protocol/transcriptProtocol';
import type { HandoffTokens } from '../../../src/transcript/handoff';
import type { Message } from '../../../src/transcript/message';
import type { SessionSummary } from '../../../src/transcript/session';
import type { TurnEvent } from '../../../src/transcript/turnEvent';
import { searchHit, searchPage, searchSession } from '../builders/searchResults';
import { approvalStates } from './approvalStates';
import { attachmentStates } from './attachmentStates';
import { endingStates } from './endingStates';
import { startStates } from './startStates';
import { syncStates } from './syncStates';
import { storeStates } from './storeStates';
import { composerStates } from './composerStates';
import { feedStates, type StoredConversation } from './feedStates';
import { turnStates } from './turnStates';
import { transcriptStates } from './transcriptStates';
import { codeStates } from './codeStates';
import { deliveryStates } from './deliveryStates';
import { workStates } from './workStates';
import {
  afternoon,
  answer,
  call,
  modelRow,
  prompt,
  result,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../builders/viewMessages';

/** A view as the host would describe it, and what a person does in it before it is looked at. */
export interface PreviewState {
  readonly view: 'chat' | 'transcript' | 'search';
  readonly bootstrap: ChatState | TranscriptState | SearchState;
  readonly events?: readonly TurnEvent[];
  /** Told behind the bootstrap. */
  readonly effort?: ChatNotifications['effort'];
  readonly currentFile?: ChatNotifications['currentFile'];
  readonly requests?: {
    readonly listModels?: ModelList;
    readonly contextUse?: ContextUseView;
    readonly compressionPreview?: HandoffTokens;
    readonly search?: SearchPage;
  } & {
    readonly [
      Name in 'starterPrompts' | 'fileHunks' | 'filesFrom' | 'mentions' | 'reviewFiles' | 'reportDelivery'
    ]?: ChatResults[Name];
  } & { readonly [Name in 'loadRows' | 'findRows' | 'revisions' | 'rawRow' | 'verify']?: TranscriptResults[Name] };
  /** Pages that are there before the first, newest page first. */
  readonly earlierPages?: readonly (readonly Message[])[];
  /** All that is stored of the conversation: pages of it are read from here. */
  readonly stored?: StoredConversation;
  /** Words that are looked for in the conversation. */
  readonly find?: string;
  /** Buttons pressed, by accessible name, in order. */
  readonly press?: readonly string[];
  readonly hover?: string;
  readonly type?: string;
  /** Typed into the transcript's find field; Enter is pressed when it was found. */
  readonly findRows?: string;
  readonly direction?: 'rtl';
  /** What the page kept when it was last seen. */
  readonly recalled?: object;
}

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

function state(shown: ShownSession | null, change: Partial<ChatState> = {}): ChatState {
  return {
    shown,
    newDraft: '',
    newDraftParts: [],
    recentSessions: [],
    beginning: { private: false },
    newMode: 'ask',
    background: [],
    model: { chosen: modelRow(), problem: null },
    setup: { searching: false, entries: [] },
    store: { kind: 'open', notices: [] },
    restricted: false,
    folderName: 'upload',
    promptFiles: [{ name: 'review', description: 'Review a file', argumentHint: '[file]' }],
    demoPrompts: ['What is in this folder?', 'Search for “TODO”', 'Give me a long answer about this folder'],
    localization: {},
    ...change,
  };
}

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
  const at = Date.now() / 1000 - hoursAgo * 3600;
  return {
    ...session({ id, title }),
    lastActiveAt: at,
    preview: 'Why does upload.test.ts fail on CI only?',
    turnCount: 4,
    messageCount: 19,
    lastTurn,
    queuedCount: 0,
    branchOf: null,
    unread: false,
    problem: null,
  };
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

const delivered = (uid: string, text: string): TurnEvent => ({
  kind: 'delivered',
  turnUid: 'turn2',
  chunks: [{ messageUid: uid, seq: 1, part: 0, kind: 'text', start: 0, text }],
});

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
  hasEarlier: true,
});

function earlierPage(back: number): readonly Message[] {
  return Array.from({ length: 20 }, (_, index) => {
    const position = index * 2 - 40 * back;
    const turnUid = `lt${position}`;
    return [
      prompt({ uid: `lu${position}`, position, turnUid }, `Earlier question ${position}`),
      answer({ uid: `la${position}`, position: position + 1, turnUid }, ['An earlier answer. '.repeat(20)]),
    ];
  }).flat();
}

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
  'empty-no-model': {
    view: 'chat',
    bootstrap: state(null, {
      model: { chosen: null, problem: null },
      setup: { searching: true, entries },
      recentSessions: recent,
    }),
  },
  'empty-no-model-sent': {
    view: 'chat',
    bootstrap: state(null, {
      model: { chosen: null, problem: null },
      setup: { searching: false, entries },
      newDraft: 'Why is the sky blue?',
    }),
    press: ['Send'],
  },
  'empty-no-folder': {
    view: 'chat',
    bootstrap: state(null, {
      folderName: null,
      model: { chosen: null, problem: 'The model Local/qwen3:8b is not there any more. Choose another one.' },
      setup: { searching: false, entries },
    }),
  },
  'empty-chosen': {
    view: 'chat',
    bootstrap: state(null, { recentSessions: recent }),
    requests: {
      starterPrompts: [
        'Explain what this project does and where to start reading',
        'What do the tests in test/ cover?',
        'Review my uncommitted changes',
      ],
    },
  },
  ...startStates(state, recent),
  complete: { view: 'chat', bootstrap: state(complete), hover: 'Hermes' },
  tools: {
    view: 'chat',
    bootstrap: state(
      shownSession({
        messages: [question, ...reads, ...tools],
        turns: [settledTurn()],
        openTurn: runningTurn('turn2', 'u2'),
        activity: { kind: 'runningTool', callId: 'd3', startedAt: Date.now() / 1000 - 12 },
      }),
    ),
    press: ['Tool: list_directory'],
  },
  streaming: { view: 'chat', bootstrap: state(running), events: [delivered('b9', markdown.slice(0, 640))] },
  loading: { view: 'chat', bootstrap: state({ ...running, activity: { kind: 'loadingModel', elapsedMs: 12_000 } }) },
  retrying: {
    view: 'chat',
    bootstrap: state({
      ...running,
      activity: {
        kind: 'retrying',
        attempt: 2,
        attempts: 4,
        delayMs: 3000,
        failure: { cause: 'overloaded', sentence: 'openrouter.ai is overloaded (529).', technical: '' },
      },
    }),
  },
  queue: {
    view: 'chat',
    bootstrap: state({
      ...running,
      queue: [
        { uid: 'q1', sessionId: session().id, text: 'also update the docs', createdAt: afternoon },
        {
          uid: 'q2',
          sessionId: session().id,
          text: 'and then tell me which other tests use the real clock, with the file and the line of each of them',
          createdAt: afternoon,
        },
      ],
    }),
    events: [delivered('b9', 'I will inject the clock.')],
    type: 'One more thing',
  },
  failed: {
    view: 'chat',
    bootstrap: state(
      shownSession({
        messages: [...complete.messages, secondQuestion],
        turns: [settledTurn(), settledTurn('turn2', 'u2', { outcome: 'failed', stopReason: 'error', failure })],
      }),
    ),
  },
  interrupted: {
    view: 'chat',
    bootstrap: state(
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
      { recentSessions: recent },
    ),
  },
  demo: { view: 'chat', bootstrap: state(complete, { model: { chosen: demo, problem: null }, restricted: true }) },
  picker: { view: 'chat', bootstrap: state(complete), requests: { listModels: choices }, press: ['Model'] },
  context: {
    view: 'chat',
    bootstrap: state(complete),
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
  },
  compress: {
    view: 'chat',
    bootstrap: state(complete),
    requests: { contextUse: { ...wellFilled, tokens: 112_000 }, compressionPreview: { before: 62_000, after: 4100 } },
    press: ['Context 88% full', 'Compress…'],
  },
  compressing: {
    view: 'chat',
    bootstrap: state({
      ...complete,
      activity: { kind: 'compressing', startedAt: afternoon },
      queue: [{ uid: 'q1', sessionId: session().id, text: 'also update the docs', createdAt: afternoon }],
    }),
    requests: { contextUse: { ...wellFilled, tokens: 112_000 } },
  },
  recalling: { view: 'chat', bootstrap: state({ ...running, activity: { kind: 'recalling', startedAt: afternoon } }) },
  moved: {
    view: 'chat',
    bootstrap: state(complete, {
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
    }),
  },
  'store-failed': {
    view: 'chat',
    bootstrap: state(complete, {
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
    }),
  },
  elsewhere: {
    view: 'chat',
    bootstrap: state(complete, {
      store: {
        kind: 'elsewhere',
        sentence: 'Continued in another window. Everything shown is saved.',
        actions: [{ action: 'reclaim', label: 'Continue Here' }],
      },
    }),
  },
  long: { view: 'chat', bootstrap: state(long), earlierPages: [earlierPage(1), earlierPage(2)] },
  branch: { view: 'chat', bootstrap: state(branched, { background }), hover: 'You' },
  'edit-prompt': { view: 'chat', bootstrap: state(branched), press: ['Edit & Resend'] },
  rewind: { view: 'chat', bootstrap: state(branched), press: ['Rewind to Here…'] },
  'resume-list': {
    view: 'chat',
    bootstrap: state({ ...complete, draft: '/resume' }, { recentSessions: recent }),
    press: ['Send'],
  },
  private: { view: 'chat', bootstrap: state(null, { beginning: { private: true }, recentSessions: recent }) },
  ...storeStates(state, (store) => ({
    view: 'chat',
    bootstrap: state(running, { store }),
    events: [delivered('b9', markdown.slice(0, 640))],
  })),
  ...workStates(state),
  ...codeStates(state),
  ...turnStates(state),
  ...approvalStates(state),
  ...endingStates(state),
  ...attachmentStates(state),
  ...composerStates(state),
  ...feedStates(state),
  ...deliveryStates(state),
  ...syncStates(state, complete),
  rtl: { view: 'chat', bootstrap: state(complete), direction: 'rtl' },
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

export type ChatNotification = {
  [Name in keyof ChatNotifications]: { readonly name: Name; readonly payload: ChatNotifications[Name] };
}[keyof ChatNotifications];

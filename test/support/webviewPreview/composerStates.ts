import { answer, modelRow, prompt, runningTurn, session, settledTurn, shownSession } from '../builders/viewMessages';
import { chat, type PreviewState } from './previewState';

/** States of the place where a person writes, for the preview. */
export function composerStates(): Readonly<Record<string, PreviewState>> {
  const messages = [
    prompt({ uid: 'u1', position: 1 }, 'Why does this fail on CI only?'),
    answer({ uid: 'a1', position: 2 }, ['The timer uses the real clock.']),
  ];
  const done = shownSession({ messages, turns: [settledTurn()] });
  const thinks = {
    model: { chosen: modelRow({ efforts: ['default', 'none', 'low', 'medium', 'high'] }), problem: null },
  };
  const high = { sessionId: session().id, effort: 'high' as const };
  const agents = {
    sessionId: session().id,
    chosen: 'planner',
    offered: [
      {
        name: 'planner',
        description: 'Looks through the code and writes a plan, without changing anything.',
        missingTools: ['jira', 'newWorkspace'],
        missingModel: 'Model not available: OpenRouter does not list gpt-5-mini.',
        handoffs: [
          { label: 'Start Implementation', agent: null, prompt: 'Implement the plan.', send: true },
          { label: 'Review the Plan with the Security Reviewer', agent: 'security-reviewer', prompt: '', send: false },
        ],
      },
      {
        name: 'security-reviewer-of-the-platform-team',
        description: 'Reads changes for what an attacker could do with them.',
        missingTools: [],
        missingModel: null,
        handoffs: [],
      },
    ],
  };
  const full = {
    tokens: 116_500,
    counted: true,
    window: 128_000,
    parts: { system: 2000, tools: 9500, memory: 0, messages: 105_000 },
    spending: { session: { usd: 0.42, unpriced: 0 }, today: { usd: 1.8, unpriced: 1 } },
  };
  const busy = shownSession({
    messages: messages.slice(0, 1),
    openTurn: runningTurn(),
    queue: [
      {
        uid: 'q1',
        sessionId: session().id,
        text: 'And then write down in the README what the retry does, with an example of each of the three options and a word on the limits',
        createdAt: 1,
      },
      { uid: 'q2', sessionId: session().id, text: 'Run the tests again', createdAt: 2 },
    ],
  });
  return {
    'composer-idle': chat(done, { requests: { contextUse: { ...full, tokens: 98_000 } } }, thinks),
    'composer-context': chat(done, { requests: { contextUse: full }, press: ['Context 91% full'] }, thinks),
    'composer-busy': chat(busy, { effort: high, requests: { contextUse: full } }, thinks),
    'composer-file': chat(
      done,
      {
        requests: { contextUse: { ...full, tokens: 98_000 } },
        currentFile: { kind: 'file', source: 'file:docs/README.md', label: 'docs/README.md' },
      },
      thinks,
    ),
    'composer-selection': chat(
      {
        ...busy,
        draft: 'And what is this?',
        draftParts: [{ kind: 'mention', source: 'file:src/upload.ts', label: 'src/upload.ts' }],
      },
      {
        effort: high,
        requests: { contextUse: full },
        currentFile: {
          kind: 'selection',
          source: 'selection',
          label: 'src/client/a-file-whose-name-is-longer-than-the-panel-is-wide.test.ts:110-1420',
        },
      },
      thinks,
    ),
    'composer-effort': chat(done, { effort: high, press: ['Effort'] }, thinks),
    'composer-agent': chat(done, { agents, press: ['Custom Agent'] }, thinks),
    'composer-handoffs': chat(done, { agents, requests: { contextUse: { ...full, tokens: 98_000 } } }, thinks),
    'composer-commands': chat(done, { type: '/re' }, thinks),
    'composer-all-commands': chat(done, { type: '/' }, thinks),
    'composer-mode': chat(done, { press: ['Mode'] }, thinks),
    'composer-long': chat(
      {
        ...done,
        draft: Array.from(
          { length: 60 },
          (_, line) => `${line + 1}. a line of a long prompt, of which the first part is out of sight`,
        ).join('\n'),
      },
      {},
      thinks,
    ),
    'composer-draft-rtl': chat({ ...done, draft: 'اشرح لي هذا الملف 👩‍👩‍👧‍👦 من فضلك' }, {}, thinks),
  };
}

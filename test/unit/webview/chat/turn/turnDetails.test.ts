// @vitest-environment happy-dom
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../../../../src/transcript/turn';
import type { Usage } from '../../../../../src/transcript/usage';
import { conversationFrom } from '../../../../../src/webview/chat/state/conversation';
import { textPlace } from '../../../../../src/webview/chat/feed/feedText';
import { promptFoldKey } from '../../../../../src/webview/chat/state/foldState';
import { costText, tokenText, usageLines } from '../../../../../src/webview/turnLabels';
import {
  answer,
  call,
  delivered,
  pendingApproval,
  prompt,
  result,
  runningTurn,
  session,
  settledTurn,
  shownSession,
  waitingTurn,
} from '../../../../support/builders/viewMessages';
import { ChatPage, openChat } from '../chatPage';
import { all, find, names, texts } from '../../elements';

let page: ChatPage;

const question = prompt({ uid: 'u1', position: 1 }, 'Why?');
const said = answer({ uid: 'a1', position: 4 }, ['Because it is.']);
const usage: Usage = {
  inputTokens: 10_000,
  outputTokens: 2300,
  cachedInputTokens: 8000,
  cacheWriteTokens: null,
  reasoningTokens: 300,
  costUsd: 0.0213,
  requests: 3,
};
const used: Turn & { readonly state: 'settled' } = {
  ...settledTurn(),
  usage,
  recalled: [{ provider: 'builtin', label: 'Memory', count: 3 }],
};

async function show(change: Parameters<typeof shownSession>[0]): Promise<void> {
  page = await openChat(shownSession(change));
  await page.settle();
}

describe('the footer of a turn', () => {
  test('shows time, tokens with cached share, cost, model and memory, also after a reload; a press shows the rest', async () => {
    await show({ messages: [question, said], turns: [used] });
    const facts = find('button', '9 s · 12.3K tok (80% cached) · $0.021 · qwen3:8b · Recalled 3 memories');
    const title = facts.title.split('\n').slice(1);
    await page.click(facts);
    const lines = [
      'Local/qwen3:8b',
      'Input: 10,000 tokens',
      'from the cache: 8,000',
      'Output: 2,300 tokens',
      'for reasoning: 300',
      '3 requests',
      'Cost: $0.021',
    ];
    expect([title, texts('.turn-usage li'), facts.getAttribute('aria-expanded')]).toEqual([lines, lines, 'true']);
  });

  test('omits what is not known', async () => {
    const unknown: Usage = {
      inputTokens: null,
      outputTokens: null,
      cachedInputTokens: null,
      cacheWriteTokens: null,
      reasoningTokens: null,
    };
    page = new ChatPage();
    expect([
      tokenText(unknown),
      costText(unknown),
      usageLines(unknown),
      costText({ ...unknown, costUsd: null }),
    ]).toEqual([null, null, [], null]);
    expect([0, 0.00001, 0.4567, 12.345].map((costUsd) => costText({ ...unknown, costUsd }))).toEqual([
      null,
      'less than $0.0001',
      '$0.46',
      '$12.35',
    ]);
  });

  test('hands the focus to the composer when its Retry is pressed: the button disappears with the answer', async () => {
    await show({ messages: [question, said], turns: [used] });
    const retry = find('button', 'Retry');
    retry.focus();
    await page.click(retry);
    await page.answer('retry', { sessionId: session().id, notice: null });
    await page.settle();
    expect(document.activeElement).toBe(page.composer);
  });

  test('copies the answer alone, or the turn as Markdown with its calls', async () => {
    const step = answer({ uid: 'a0', position: 2 }, [
      { kind: 'thinking', text: 'Hm.\n\nSo.' },
      'I look.',
      call('c1', 'read_file', { path: 'a`b.ts' }),
      call('c2', 'search_files', { query: 'x' }),
    ]);
    const results = [
      result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'text', 'done', { lines: 3 }),
      result({ uid: 'r2', position: 3 }, 'c2', 'search_files', 'no', 'failed'),
    ];
    await show({ messages: [question, step, ...results, said], turns: [used] });
    for (const name of ['Copy Answer', 'Copy Turn as Markdown'])
      await page.click(all('button').findLast((button) => button.getAttribute('aria-label') === name) ?? document.body);
    expect(page.sent('copy')).toEqual([
      { text: 'I look.\n\nBecause it is.' },
      {
        text:
          '**You**\n\nWhy?\n\n**Hermes (Local/qwen3:8b)**\n\n> Hm.\n>\n> So.\n\nI look.\n\n- Read `` ' +
          'a`b.ts `` (3 lines)\n- Tried to search for `“x”` (failed)\n\nBecause it is.',
      },
    ]);
  });
});

describe('the end of a turn', () => {
  test('offers to make room when the context is full', async () => {
    await show({
      messages: [question, said],
      turns: [
        settledTurn('turn1', 'u1', {
          outcome: 'failed',
          stopReason: 'error',
          failure: { cause: 'context', sentence: 'This session no longer fits.', technical: 'x' },
        }),
      ],
    });
    const offered = texts('.notice-actions button');
    await page.press('Compress…');
    await page.press('New Session');
    expect([offered, page.sent('compressionPreview'), page.sent('switchSession')]).toEqual([
      ['Compress…', 'New Session', 'Choose Model', 'Retry', 'Show Details'],
      [{ sessionId: session().id }],
      [expect.objectContaining({ target: { reason: 'new_session' } })],
    ]);
  });

  test('is announced once: politely when done, urgently when failed, and never when merely shown again', async () => {
    await show({
      messages: [question, said],
      turns: [
        settledTurn('turn1', 'u1', {
          outcome: 'failed',
          stopReason: 'error',
          failure: { cause: 'network', sentence: 'No connection. Everything shown is saved.', technical: 'x' },
        }),
      ],
    });
    const quiet = names('alert');
    await page.event({
      kind: 'turnOpened',
      turn: runningTurn('turn2', 'u2'),
      userMessage: prompt({ uid: 'u2', position: 5, turnUid: 'turn2' }, 'Again?'),
    });
    const failure = {
      cause: 'network' as const,
      sentence: 'The connection broke. Everything shown is saved.',
      technical: 'reset',
    };
    await page.event({
      kind: 'turnSettled',
      turn: settledTurn('turn2', 'u2', { outcome: 'failed', stopReason: 'error', failure }),
      messages: [],
    });
    const failed = names('alert');
    const calls = answer({ uid: 'a3', position: 7, turnUid: 'turn3' }, [
      'Two words',
      call('c1', 'read_file', { path: 'a' }),
      call('c2', 'read_file', { path: 'b' }),
    ]);
    await page.event({
      kind: 'turnOpened',
      turn: runningTurn('turn3', 'u3'),
      userMessage: prompt({ uid: 'u3', position: 6, turnUid: 'turn3' }, 'Again?'),
    });
    await page.event({ kind: 'turnSettled', turn: settledTurn('turn3', 'u3'), messages: [calls] });
    expect([quiet, failed, names('alert'), names('status').filter((words) => words !== '')]).toEqual([
      [],
      [failure.sentence],
      [],
      ['Hermes finished: 2 tools, 2 words'],
    ]);
  });
});

describe('a long prompt', () => {
  const long = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`).join('\n');

  test('shows its first lines until it is opened; its text stays in the page', async () => {
    await show({ messages: [prompt({ uid: 'u1', position: 1 }, long), said], turns: [settledTurn()] });
    const shown = () => [
      document.querySelector('[data-part=text]')?.textContent === long,
      document.querySelector('.prompt-text')?.classList.contains('folds'),
    ];
    const folded = shown();
    await page.press('Show More');
    expect([folded, shown(), find('button', 'Show Less').getAttribute('aria-expanded')]).toEqual([
      [true, true],
      [true, false],
      'true',
    ]);
  });

  test('is opened for a match in it', async () => {
    const conversation = conversationFrom(shownSession({ messages: [prompt({ uid: 'u1', position: 1 }, long)] }), 0);
    expect(
      textPlace(conversation, {
        messageUid: 'u1',
        turnUid: 'turn1',
        position: 1,
        kind: 'text',
        part: 0,
        callId: null,
        count: 1,
      })?.folds,
    ).toEqual([promptFoldKey('u1')]);
  });
});

describe('a call', () => {
  test('whose result a repair added says so, and one of a cut-off turn says that', async () => {
    const made = (position: number, turnUid: string) => ({
      ...result({ uid: `${turnUid}a/result/c`, position, turnUid }, 'c', 'read_file', '(Interrupted)', 'interrupted'),
    });
    const asks = (position: number, turnUid: string) =>
      answer({ uid: `${turnUid}a`, position, turnUid }, [call('c', 'read_file', { path: '.' })]);
    await show({
      messages: [
        prompt({ uid: 'u1', position: 1 }, 'Why?'),
        asks(2, 'turn1'),
        made(3, 'turn1'),
        prompt({ uid: 'u2', position: 4, turnUid: 'turn2' }, 'And?'),
        asks(5, 'turn2'),
        made(6, 'turn2'),
      ],
      turns: [settledTurn(), settledTurn('turn2', 'u2', { outcome: 'interrupted', stopReason: 'crash' })],
    });
    expect(names('group').filter((name) => name.startsWith('Tool'))).toEqual([
      'Tool: read_file, no result, repaired',
      'Tool: read_file, interrupted',
    ]);
  });

  test('shows the current line of thinking, visually only, until it is opened', async () => {
    await show({ messages: [question], openTurn: runningTurn() });
    await page.event(delivered('turn1', 'a1', 1, 0, 'First line.\nSecond li', { kind: 'thinking' }));
    const now = () => document.querySelector('.thinking-now[aria-hidden=true]')?.textContent;
    const thinking = now();
    await page.press('Thinking…');
    expect([thinking, now()]).toEqual(['Second li', undefined]);
  });
});

describe('a change that needs approval', () => {
  const lines = Array.from({ length: 300 }, (_, index) => `+line ${index + 1}`).join('\n');
  const approval = pendingApproval({
    tool: 'write_file',
    access: { kind: 'edit', paths: [{ path: '/f/a.ts', shown: 'a.ts', isInside: true }] },
    subject: 'a.ts',
    reasons: ['change'],
    rules: [],
    preview: `--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1,300 @@\n${lines}\n`,
  });

  test('shows its first lines, all on request, and opens completely in an editor', async () => {
    await show({
      messages: [question, answer({ uid: 'a1', position: 2 }, [call('c1', 'write_file', { path: 'a.ts' })])],
      openTurn: waitingTurn(),
      approval,
    });
    const count = () => document.querySelectorAll('.approval .diff-added').length;
    const first = count();
    await page.press('Open Diff');
    await page.press('Show All (302 lines)');
    expect([first <= 200, count(), page.sent('openProposal')]).toEqual([true, 300, [{ approvalId: 'ap' }]]);
  });
});

import { expect, it } from 'vitest';
import { shownIn } from '../../../../../src/webview/chat/state/conversationRows';
import { outcomeLabel, type FinishedTurn } from '../../../../../src/webview/turnLabels';
import type { StopReason } from '../../../../../src/transcript/stopReason';

const turn = (stopReason: StopReason): FinishedTurn => ({
  uid: 't',
  sessionId: 's',
  userMessageUid: 'u',
  model: 'm',
  startedAt: 1,
  usage: null,
  supersedes: null,
  state: 'settled',
  outcome: 'interrupted',
  stopReason,
  settledAt: 2,
  failure: null,
});

const text = { kind: 'text', text: 'Three words here' } as const;
const thinking = { kind: 'thinking', text: 'Let me see.' } as const;

it('shows how far an answer came without saying that thinking was nothing', () => {
  const said = (stopReason: StopReason, parts: Parameters<typeof shownIn>[0]) =>
    outcomeLabel(turn(stopReason), shownIn(parts))?.sentence;
  expect([
    said('crash', []),
    said('crash', [thinking]),
    said('crash', [thinking, text]),
    said('user', [thinking]),
    said('user', []),
  ]).toEqual([
    'Interrupted: the extension host stopped before the answer started. Everything shown is saved.',
    'Interrupted: the extension host stopped while the model was thinking. Everything shown is saved.',
    'Interrupted: the extension host stopped after 3 words. Everything shown is saved.',
    'You stopped this answer. Everything shown is saved.',
    'You stopped this before the answer started. Your prompt is saved.',
  ]);
});

it('offers to continue where only thinking was shown', () => {
  expect(outcomeLabel(turn('crash'), shownIn([thinking]))?.actions).toEqual(['continue', 'retry']);
});

it('asks at the spending limit with the amounts, calmly, and offers only to continue', () => {
  const sentence = 'This session has cost $2.03 and reached your limit of $2.00.';
  const stopped = turn('spendingLimit');
  const withAmounts: FinishedTurn = { ...stopped, failure: { cause: 'spendingLimit', sentence, technical: '' } };
  expect(outcomeLabel(withAmounts, shownIn([text]))).toEqual({ tone: 'warning', sentence, actions: ['continue'] });
});

it('does not say that the user closed the window: the editor may have been killed', () => {
  expect(outcomeLabel(turn('windowClosed'), shownIn([text]))?.sentence).toBe(
    'Interrupted: the window closed or VS Code stopped after 3 words. Everything shown is saved.',
  );
});

it('tells calmly of a lost connection after which the answer was continued', () => {
  const sentence = 'The connection was lost while the model was answering, and the model continued.';
  const continued: FinishedTurn = {
    ...turn('stop'),
    outcome: 'complete',
    failure: { cause: 'network', sentence, technical: 'ECONNRESET' },
  };
  expect(outcomeLabel(continued, shownIn([text]))).toEqual({ tone: 'info', sentence, actions: ['showDetails'] });
});

import { describe, expect, test } from 'vitest';
import type { Message } from '../../../../src/transcript/message';
import type { Part } from '../../../../src/transcript/part';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { initialState, reduce, type ChatViewState } from '../../../../src/webview/chat/state/chatState';
import { conversationBlocks } from '../../../../src/webview/chat/state/conversationRows';
import {
  answer,
  delivered,
  prompt,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../support/builders/viewMessages';

const told = (state: ChatViewState, event: TurnEvent): ChatViewState =>
  reduce(
    state,
    { kind: 'notified', notification: { name: 'turnEvent', payload: { sessionId: session().id, event } } },
    0,
  );
const shown = (messages: readonly Message[], state = initialState): ChatViewState =>
  reduce(
    state,
    { kind: 'notified', notification: { name: 'shown', payload: shownSession({ messages, turns: [settledTurn()] }) } },
    0,
  );

/** What is read on the page, from above. */
function page({ conversation }: ChatViewState): readonly string[] {
  if (conversation === null) return [];
  const text = (parts: readonly Part[]): string => parts.map((part) => ('text' in part ? part.text : '')).join('');
  return conversationBlocks(conversation, []).flatMap(({ prompt: asked, rows }) => [
    ...(asked === null ? [] : [`You: ${text(asked.parts)}`]),
    ...rows.flatMap((row) => (row.kind === 'answer' ? [`Hermes: ${text(row.message.parts)}`] : [])),
  ]);
}

describe('a repair of the history while the session is shown', () => {
  const joined = prompt({ uid: 'u1', position: 1 }, 'stale\n\nnow');
  const absorbed = prompt(
    { uid: 'u2', position: 2, turnUid: 'turn2', visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'u1' } },
    'now',
  );
  const said = answer({ uid: 'a2', position: 3, turnUid: 'turn2' }, ['Both.']);

  test('shows a prompt that was joined to an earlier one there, once, and the same after a reload', () => {
    const events: readonly TurnEvent[] = [
      {
        kind: 'turnOpened',
        turn: runningTurn('turn2', 'u2'),
        userMessage: prompt({ uid: 'u2', position: 2, turnUid: 'turn2' }, 'now'),
      },
      { kind: 'messageStored', message: joined },
      { kind: 'messageStored', message: absorbed },
      delivered('turn2', 'a2', 1, 0, 'Both.'),
      { kind: 'turnSettled', turn: settledTurn('turn2', 'u2'), messages: [absorbed, { ...said, lastSeq: 1 }] },
    ];
    const live = events.reduce(told, shown([prompt({ uid: 'u1', position: 1 }, 'stale')]));
    expect([page(live), page(shown([joined, said], live)), page(shown([joined, said]))]).toEqual(
      Array(3).fill(['You: stale\n\nnow', 'Hermes: Both.']),
    );
  });

  test('shows merged answers as one', () => {
    const before = shown([
      prompt({ uid: 'u1', position: 1 }, 'q'),
      answer({ uid: 'a1', position: 2 }, ['One.']),
      answer({ uid: 'a2', position: 3 }, ['Two.']),
    ]);
    const events: readonly TurnEvent[] = [
      { kind: 'messageStored', message: answer({ uid: 'a1', position: 2 }, ['One.\n', 'Two.']) },
      {
        kind: 'messageStored',
        message: answer(
          { uid: 'a2', position: 3, visibility: { kind: 'hidden', reason: 'merged', absorbedInto: 'a1' } },
          ['Two.'],
        ),
      },
    ];
    expect([page(before), page(events.reduce(told, before))]).toEqual([
      ['You: q', 'Hermes: One.', 'Hermes: Two.'],
      ['You: q', 'Hermes: One.\nTwo.'],
    ]);
  });
});

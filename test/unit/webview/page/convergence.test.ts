import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Chunk, Message } from '../../../../src/protocol/transcriptTypes';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { initialState, reduce, type ChatEvent, type ChatViewState } from '../../../../src/webview/chat/state/chatState';
import { messagesInDoubt } from '../../../../src/webview/chat/state/conversation';
import {
  answer,
  call,
  prompt,
  result,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../support/builders/viewMessages';

const sessionId = session().id;

/** A turn as the store has it at the end, and all that is told on the way there. */
interface StoredTurn {
  readonly rows: readonly Message[];
  readonly events: readonly TurnEvent[];
}

function chunked(
  uid: string,
  part: number,
  kind: Chunk['kind'],
  text: string,
  firstSeq: number,
  size: number,
): readonly Chunk[] {
  const starts = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => index * size);
  return starts.map((start, index) => ({
    messageUid: uid,
    seq: firstSeq + index,
    part,
    kind,
    start,
    text: text.slice(start, start + size),
  }));
}

function storedTurn(thinking: string, text: string, size: number): StoredTurn {
  const question = prompt({ uid: 'u1', position: 1 }, 'Why?');
  const thoughts = chunked('a1', 0, 'thinking', thinking, 1, size);
  const words = chunked('a1', 1, 'text', text, thoughts.length + 1, size);
  const looked = answer(
    { uid: 'a1', position: 2 },
    [{ kind: 'thinking', text: thinking }, text, call('c1', 'read_file', { path: 'a.ts' })],
    { lastSeq: thoughts.length + words.length },
  );
  const found = result({ uid: 'r1', position: 3 }, 'c1', 'read_file', 'one line');
  const closing = chunked('a2', 0, 'text', text, 1, size);
  const said = answer({ uid: 'a2', position: 4 }, [text], { lastSeq: closing.length });
  const rows = [question, looked, found, said];
  const deliver = (chunks: readonly Chunk[]): readonly TurnEvent[] =>
    chunks.map((chunk) => ({ kind: 'delivered', turnUid: 'turn1', chunks: [chunk] }));
  const events: readonly TurnEvent[] = [
    { kind: 'turnOpened', turn: runningTurn(), userMessage: question },
    { kind: 'activity', turnUid: 'turn1', activity: { kind: 'requesting', elapsedMs: 0 } },
    ...deliver([...thoughts, ...words]),
    { kind: 'messageStored', message: looked },
    { kind: 'messageStored', message: found },
    ...deliver(closing),
    { kind: 'turnSettled', turn: settledTurn(), messages: rows },
  ];
  return { rows, events };
}

const begun = reduce(initialState, { kind: 'notified', notification: { name: 'shown', payload: shownSession() } }, 0);
const told = (event: TurnEvent): ChatEvent => ({
  kind: 'notified',
  notification: { name: 'turnEvent', payload: { sessionId, event } },
});

/** Applies events, answering every re-read from the stored rows as the host would. */
function play(state: ChatViewState, events: readonly ChatEvent[], rows: readonly Message[]): ChatViewState {
  return events.reduce((before, event) => reread(reduce(before, event, 0), rows), state);
}

function reread(state: ChatViewState, rows: readonly Message[]): ChatViewState {
  const doubtful = state.conversation === null ? [] : messagesInDoubt(state.conversation);
  return doubtful.reduce(
    (before, uid) =>
      reduce(before, { kind: 'messageRead', sessionId, uid, message: rows.find((row) => row.uid === uid) ?? null }, 0),
    state,
  );
}

/** What a person can see of it; when thinking was watched is left out, as it depends on when events came. */
function seen(state: ChatViewState): unknown {
  const { conversation } = state;
  return {
    messages: conversation?.messages.map(({ uid, parts, final, inDoubt, unsaved }) => ({
      uid,
      parts,
      final,
      inDoubt,
      unsaved,
    })),
    turns: [...(conversation?.turns.values() ?? [])],
    activity: conversation?.activity,
  };
}

const turns = fc.record({
  thinking: fc.string({ minLength: 1, maxLength: 30 }),
  text: fc.string({ minLength: 1, maxLength: 60 }),
  size: fc.integer({ min: 1, max: 9 }),
});

describe('the state of the chat view', () => {
  test('ends the same in every order of delivery, with duplicates', () => {
    const schedules = turns.chain(({ thinking, text, size }) => {
      const turn = storedTurn(thinking, text, size);
      const duplicates = fc.subarray([...turn.events]);
      return duplicates
        .chain((again) =>
          fc.shuffledSubarray([...turn.events, ...again], { minLength: turn.events.length + again.length }),
        )
        .map((events) => ({ turn, events }));
    });
    fc.assert(
      fc.property(schedules, ({ turn, events }) => {
        const inOrder = play(begun, turn.events.map(told), turn.rows);
        expect(seen(play(begun, events.map(told), turn.rows))).toEqual(seen(inOrder));
        expect(seen(inOrder)).toMatchObject({
          messages: turn.rows.map(({ uid, parts }) => ({ uid, parts, inDoubt: false, unsaved: false })),
          activity: null,
        });
      }),
      { numRuns: 300 },
    );
  });

  test('ends as stored when messages are lost, once the turn has settled or the view was rendered again', () => {
    const schedules = turns.chain(({ thinking, text, size }) => {
      const turn = storedTurn(thinking, text, size);
      return fc.shuffledSubarray([...turn.events]).map((events) => ({ turn, events }));
    });
    fc.assert(
      fc.property(schedules, ({ turn, events }) => {
        const snapshot: ChatEvent = {
          kind: 'notified',
          notification: { name: 'shown', payload: shownSession({ messages: turn.rows, turns: [settledTurn()] }) },
        };
        const settles = events.some((event) => event.kind === 'turnSettled');
        const end = play(begun, [...events.map(told), ...(settles ? [] : [snapshot])], turn.rows);
        expect(seen(end)).toMatchObject({
          messages: turn.rows.map(({ uid, parts }) => ({ uid, parts, inDoubt: false, unsaved: false })),
          activity: null,
        });
      }),
      { numRuns: 300 },
    );
  });

  test('never takes back text that it has shown, at any step of any delivery', () => {
    const schedules = turns.chain(({ thinking, text, size }) => {
      const turn = storedTurn(thinking, text, size);
      const partial = answer({ uid: 'a2', position: 4 }, [text.slice(0, 1)], {
        state: 'streaming',
        lastSeq: text.length >= 1 && size === 1 ? 1 : 0,
      });
      const late: TurnEvent = { kind: 'messageStored', message: partial };
      return fc.shuffledSubarray([...turn.events, late]).map((events) => ({ turn, events }));
    });
    const shownText = (state: ChatViewState): readonly (readonly [string, string])[] =>
      (state.conversation?.messages ?? []).map(
        (live) => [live.uid, live.parts.map((part) => ('text' in part ? part.text : '')).join('')] as const,
      );
    fc.assert(
      fc.property(schedules, ({ turn, events }) => {
        let state = begun;
        for (const event of events) {
          const before = shownText(state);
          state = play(state, [told(event)], turn.rows);
          const after = new Map(shownText(state));
          for (const [uid, text] of before) expect(after.get(uid)?.startsWith(text)).toBe(true);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('requests the stored message when a chunk is missing, and shows the text once it is there', () => {
    const [first, second, third] = chunked('a1', 0, 'text', 'one two three', 1, 5);
    if (first === undefined || second === undefined || third === undefined) throw new Error('three chunks are needed');
    const gap = [first, third].reduce(
      (state, chunk) => reduce(state, told({ kind: 'delivered', turnUid: 'turn1', chunks: [chunk] }), 0),
      begun,
    );
    const stored = answer({ uid: 'a1', position: 2 }, ['one two th'], { state: 'streaming', lastSeq: 2 });
    const read = reduce(gap, { kind: 'messageRead', sessionId, uid: 'a1', message: stored }, 0);
    expect([seen(gap), seen(read)]).toMatchObject([
      { messages: [{ parts: [{ kind: 'text', text: 'one t' }], inDoubt: true }] },
      { messages: [{ parts: [{ kind: 'text', text: 'one two three' }], inDoubt: false }] },
    ]);
  });

  test('shows unsaved where the disk holds less than was shown', () => {
    const chunks = chunked('a1', 0, 'text', 'all of this', 1, 4);
    const less = answer({ uid: 'a1', position: 2 }, ['all '], { lastSeq: 1 });
    const events = [
      told({ kind: 'delivered', turnUid: 'turn1', chunks }),
      told({ kind: 'turnSettled', turn: settledTurn(), messages: [less] }),
    ];
    expect(seen(play(begun, events, [less]))).toMatchObject({
      messages: [{ parts: [{ kind: 'text', text: 'all of this' }], unsaved: true, inDoubt: false }],
    });
  });

  test('leaves the events of another session alone', () => {
    const [opened] = storedTurn('t', 'a', 1).events;
    if (opened === undefined) throw new Error('a turn has events');
    expect(
      reduce(
        begun,
        { kind: 'notified', notification: { name: 'turnEvent', payload: { sessionId: 'other', event: opened } } },
        0,
      ),
    ).toBe(begun);
  });
});

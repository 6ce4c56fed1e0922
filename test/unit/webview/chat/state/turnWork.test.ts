import { describe, expect, test } from 'vitest';
import type { Approval } from '../../../../../src/transcript/approval';
import type { ChangedFile } from '../../../../../src/transcript/changedFile';
import type { Message } from '../../../../../src/transcript/message';
import type { TurnEvent } from '../../../../../src/transcript/turnEvent';
import type { JsonValue } from '../../../../../src/transcript/json';
import {
  applyTurnEvent,
  conversationFrom,
  decided,
  mayHaveChangedFiles,
  mergeSnapshot,
  withChanges,
  type Conversation,
} from '../../../../../src/webview/chat/state/conversation';
import { answersIn, conversationBlocks } from '../../../../../src/webview/chat/state/conversationRows';
import { doneCount, newestTodos } from '../../../../../src/webview/chat/turn/TodoPanel';
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
} from '../../../../support/builders/viewMessages';

const question = prompt({ uid: 'u1', position: 1 }, 'Fix it.');
const calls = answer({ uid: 'a1', position: 2 }, [
  call('c1', 'run_command', { command: 'npm test' }),
  call('c2', 'fetch_url', { url: 'https://example.com' }),
  call('c3', 'edit_file', { path: 'a.ts' }),
]);
const waiting = waitingTurn();
const approval = pendingApproval(
  {
    tool: 'fetch_url',
    access: { kind: 'fetch', url: 'https://example.com' },
    subject: 'https://example.com',
    reasons: ['network'],
    rules: [],
    preview: null,
  },
  { callId: 'c2' },
);

const runningShown = shownSession({ messages: [question, calls], openTurn: runningTurn() });
const after = (events: readonly TurnEvent[], from: Conversation = conversationFrom(runningShown, 0)): Conversation =>
  events.reduce((conversation, event) => applyTurnEvent(conversation, event, 0), from);
const runs = (callId: string, startedAt = 5): TurnEvent => ({
  kind: 'activity',
  turnUid: 'turn1',
  activity: { kind: 'runningTool', callId, startedAt },
});
const states = (conversation: Conversation): readonly string[] =>
  conversationBlocks(conversation, []).flatMap((block) =>
    block.rows.flatMap((row) =>
      answersIn(row).flatMap((one) => one.calls.map(({ call: { callId }, state }) => `${callId} ${state}`)),
    ),
  );

describe('calls of a running turn', () => {
  test('that run side by side are all shown as running, until the result of each is there', () => {
    const both = after([runs('c1'), runs('c2')]);
    const one = after(
      [{ kind: 'messageStored', message: result({ uid: 'r1', position: 3 }, 'c1', 'run_command', 'ok') }],
      both,
    );
    expect([states(both), states(one)]).toEqual([
      ['c1 running', 'c2 running', 'c3 queued'],
      ['c1 done', 'c2 running', 'c3 queued'],
    ]);
  });

  test('wait for the user one at a time: the others are queued', () => {
    const asked = after([{ kind: 'approvalRequested', turn: waiting, approval }]);
    const settled = after(
      [
        {
          kind: 'approvalDecided',
          turn: runningTurn(),
          approval: {
            ...approval,
            state: { kind: 'decided', decision: { kind: 'allow', scope: 'once' }, decidedAt: 2 },
          },
        },
      ],
      asked,
    );
    expect([states(asked), asked.approval?.id, states(settled), settled.approval]).toEqual([
      ['c1 queued', 'c2 waiting', 'c3 queued'],
      'ap',
      ['c1 queued', 'c2 queued', 'c3 queued'],
      null,
    ]);
  });

  test('show their output, newest first, and none of it is kept when the turn is over', () => {
    const output = (tail: string): TurnEvent => ({
      kind: 'toolProgress',
      turnUid: 'turn1',
      callId: 'c1',
      progress: { kind: 'output', file: '/o.log', bytes: tail.length, tail },
    });
    const running = after([runs('c1'), output('one'), output('one two')]);
    const row = conversationBlocks(running, [])[0]?.rows.flatMap(answersIn)[0]?.calls[0];
    const over = after(
      [{ kind: 'turnSettled', turn: settledTurn(), messages: [question, calls] }, output('late')],
      running,
    );
    expect([row?.progress?.output?.tail, row?.startedAt, over.work.size, states(over)[0]]).toEqual([
      'one two',
      5,
      0,
      'c1 interrupted',
    ]);
  });

  test('refresh their own turn, and no other', () => {
    const earlier = prompt({ uid: 'u0', position: 0, turnUid: 'turn0' }, 'Before');
    const shown = conversationFrom(
      shownSession({
        messages: [earlier, question, calls],
        turns: [settledTurn('turn0', 'u0')],
        openTurn: runningTurn(),
      }),
      0,
    );
    const before = conversationBlocks(shown, []);
    const now = conversationBlocks(after([runs('c1')], shown), before);
    expect(now.map((block, index) => block === before[index])).toEqual([true, false]);
  });
});

describe('a question of a sub-agent', () => {
  const its: Approval = {
    ...approval,
    id: 'sub',
    sessionId: 'child',
    turnUid: 'its-turn',
    messageUid: 'its-row',
    callId: 'its-call',
    subAgent: { title: 'Look', turnUid: 'turn1', callId: 'c1' },
  };
  const asks = (one: Approval | null): TurnEvent => ({ kind: 'subAgentAsks', turnUid: 'turn1', approval: one });

  test('is at the call it works on, while the turn keeps running, until the next one asks or none does', () => {
    const asked = after([runs('c1'), asks(its)]);
    const next = after([asks({ ...its, id: 'next' })], asked);
    const over = after([{ kind: 'turnSettled', turn: settledTurn(), messages: [question, calls] }], asked);
    expect([
      states(asked)[0],
      asked.turns.get('turn1')?.state,
      asked.turns.has('its-turn'),
      next.approval?.id,
      after([asks(null)], next).approval,
      over.approval,
      after([asks(its)], over).approval,
    ]).toEqual(['c1 waiting', 'running', false, 'next', null, null, null]);
  });

  test('is not mistaken for one of the turn itself', () => {
    const own = after([{ kind: 'approvalRequested', turn: waiting, approval }]);
    expect(after([asks(null)], own).approval?.id).toBe('ap');
  });
});

describe('a question to the user', () => {
  test('is there again after the view was rendered again, and gone once decided elsewhere or its turn is over', () => {
    const drawn = conversationFrom(shownSession({ messages: [question, calls], openTurn: waiting, approval }), 0);
    const elsewhere = mergeSnapshot(drawn, shownSession({ messages: [question, calls], openTurn: runningTurn() }), 0);
    const over = after(
      [
        {
          kind: 'turnSettled',
          turn: settledTurn('turn1', 'u1', { outcome: 'interrupted', stopReason: 'user' }),
          messages: [question, calls],
        },
      ],
      drawn,
    );
    const late = after([{ kind: 'approvalRequested', turn: waiting, approval }], over);
    expect([
      drawn.approval?.id,
      elsewhere.approval,
      decided(drawn, 'ap').approval,
      decided(drawn, 'another').approval?.id,
      over.approval,
      late.approval,
    ]).toEqual(['ap', null, null, 'ap', null, null]);
  });
});

describe('the progress of a turn', () => {
  test('is known from its requests, and stays known across what happens in between', () => {
    const at = after([
      {
        kind: 'activity',
        turnUid: 'turn1',
        activity: { kind: 'requesting', elapsedMs: 0, iteration: 52, maxIterations: 90 },
      },
      runs('c1'),
      { kind: 'activity', turnUid: 'turn1', activity: { kind: 'requesting', elapsedMs: 4000 } },
    ]);
    const redrawn = mergeSnapshot(at, { ...runningShown, activity: { kind: 'answering' } }, 0);
    expect([conversationBlocks(at, [])[0]?.steps, redrawn.work.get('turn1')?.steps]).toEqual([
      { at: 52, most: 90 },
      { at: 52, most: 90 },
    ]);
  });
});

describe('files that turns changed', () => {
  const file = (state: ChangedFile['state']): ChangedFile => ({
    path: '/f/a.ts',
    shown: 'a.ts',
    kind: 'edited',
    added: 1,
    removed: 0,
    state,
  });
  const second = prompt({ uid: 'u2', position: 10, turnUid: 'turn2' }, 'And then?');
  const shown = conversationFrom(
    shownSession({
      messages: [question, calls, second],
      turns: [settledTurn(), settledTurn('turn2', 'u2')],
      changes: { turn1: [file('open')] },
    }),
    0,
  );

  test('are those of the snapshot until the host reports newer ones, and survive a snapshot with another page', () => {
    const told = withChanges(shown, 'turn2', [file('kept')]);
    const merged = mergeSnapshot(
      told,
      shownSession({ messages: [second], turns: [settledTurn('turn2', 'u2')], hasEarlier: true }),
      0,
    );
    expect([...merged.changes]).toEqual([
      ['turn1', [file('open')]],
      ['turn2', [file('kept')]],
    ]);
  });

  test('belong to the conversation from a turn on, without reverted ones; changes of other prompt versions are unknown here', () => {
    const told = withChanges(shown, 'turn2', [file('reverted')]);
    const hidden = { ...told, versions: new Map([['turn2', ['turn0', 'turn2']]]) };
    expect([
      mayHaveChangedFiles(told, 'turn1'),
      mayHaveChangedFiles(told, 'turn2'),
      mayHaveChangedFiles(hidden, 'turn2'),
    ]).toEqual([true, false, true]);
  });
});

describe('the todo list', () => {
  const items = (...done: readonly ('pending' | 'active' | 'done')[]) => ({
    kind: 'todos',
    items: done.map((state, index) => ({ text: `step ${index + 1}`, state })),
  });
  const wrote = (uid: string, position: number, details: JsonValue): Message =>
    result({ uid, position }, uid, 'todo_write', 'Noted.', 'done', details);
  const listOf = (rows: readonly Message[], running: boolean | 'next'): unknown => {
    const list = newestTodos(
      conversationFrom(
        shownSession({
          messages: [question, ...rows],
          ...(running === 'next'
            ? { openTurn: runningTurn('turn2', 'u2'), turns: [settledTurn()] }
            : running
              ? { openTurn: runningTurn() }
              : { turns: [settledTurn()] }),
        }),
        0,
      ),
    );
    return list === null ? null : `${list.callId} ${doneCount(list.items)}/${list.items.length}`;
  };

  test('is the last one written, as long as something is left to do or its turn runs', () => {
    const [first, last, finished] = [
      wrote('t1', 3, items('active', 'pending')),
      wrote('t2', 4, items('done', 'active')),
      wrote('t3', 5, items('done', 'done')),
    ];
    expect([
      listOf([], true),
      listOf([first, last], true),
      listOf([first, last], false),
      listOf([first, finished], true),
      listOf([first, finished], false),
      listOf([first, finished], 'next'),
      listOf([first, last], 'next'),
      listOf([first, wrote('t4', 6, items())], true),
    ]).toEqual([null, 't2 1/2', 't2 1/2', 't3 2/2', null, null, 't2 1/2', null]);
  });

  test('of an unknown shape is treated as none', () => {
    expect(listOf([wrote('t1', 3, { kind: 'todos', items: [{ text: 7 }] })], true)).toBeNull();
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ShownSession } from '../../../../src/protocol/chatProtocol';
import type { Approval } from '../../../../src/transcript/approval';
import type { Chunk, Message } from '../../../../src/transcript/message';
import type { Part } from '../../../../src/transcript/part';
import type { ChangedFile } from '../../../../src/transcript/changedFile';
import type { Turn } from '../../../../src/transcript/turn';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { initialState, reduce, type ChatEvent, type ChatViewState } from '../../../../src/webview/chat/state/chatState';
import { messagesInDoubt, prependPage } from '../../../../src/webview/chat/state/conversation';
import {
  answer,
  call,
  pendingApproval,
  prompt,
  result,
  runningTurn,
  session,
  settledTurn,
  shownSession,
} from '../../../support/builders/viewMessages';

/** Runs of each property; more by hand. */
const numRuns = Number(process.env['CONVERGENCE_RUNS'] ?? 200);
const sessionId = session().id;
const file: ChangedFile = { path: '/p/a.ts', shown: 'a.ts', kind: 'edited', added: 1, removed: 0, state: 'open' };

interface Notified {
  readonly rows: readonly Message[];
  readonly turn: Turn;
  /** Everything that is told while the turn runs, in order. */
  readonly events: readonly TurnEvent[];
}

/** A turn in which everything happens that can: recall, thinking, a call that is asked about, one that a sub-agent
 *  works on and asks for, output of a running call, what the person told it meanwhile, a last answer.
 *  `supersedes`: the turn that it asks again. */
function busyTurn(name: string, from: number, text: string, size: number, supersedes: string | null = null): Notified {
  const at = (uid: string, offset: number) => ({ uid: `${name}-${uid}`, position: from + offset, turnUid: name });
  const question = prompt(at('u', 0), `Why? ${text}`);
  const thoughts = chunked(`${name}-a`, 0, 'thinking', text, 1, size);
  const words = chunked(`${name}-a`, 1, 'text', text, thoughts.length + 1, size);
  const calls = [
    call(`${name}-c1`, 'edit_file', { path: 'a.ts' }),
    call(`${name}-c2`, 'delegate_task', { task: 'look' }),
  ];
  const acts = answer(at('a', 1), [{ kind: 'thinking', text }, text, ...calls], {
    lastSeq: thoughts.length + words.length,
  });
  const results = [
    result(at('r1', 2), `${name}-c1`, 'edit_file', 'done'),
    result(at('r2', 3), `${name}-c2`, 'delegate_task', 'nothing'),
  ];
  const steering = prompt(at('s', 4), 'Be quick.');
  const last = chunked(`${name}-b`, 0, 'text', text, 1, size);
  const said = answer(at('b', 5), [text], { lastSeq: last.length });
  const rows = [question, acts, ...results, steering, said];
  const running = { ...runningTurn(name, question.uid), supersedes };
  const own = approval(name, `${name}-c1`);
  const waiting = { ...running, state: 'waiting', approvalId: own.id } as const;
  const others = { ...approval(`${name}-sub`, 'x1'), subAgent: { title: 'look', turnUid: name, callId: `${name}-c2` } };
  const turn = { ...settledTurn(name, question.uid), supersedes };
  const stored = (message: Message): TurnEvent => ({ kind: 'messageStored', message });
  const doing = (activity: Extract<TurnEvent, { readonly kind: 'activity' }>['activity']): TurnEvent => ({
    kind: 'activity',
    turnUid: name,
    activity,
  });
  const deliver = (chunks: readonly Chunk[]): readonly TurnEvent[] =>
    chunks.map((chunk) => ({ kind: 'delivered', turnUid: name, chunks: [chunk] }));
  const [editResult, taskResult] = results;
  const events: readonly TurnEvent[] = [
    { kind: 'turnOpened', turn: running, userMessage: question },
    doing({ kind: 'recalling', startedAt: 1 }),
    { kind: 'recalled', turnUid: name, found: [{ provider: 'builtin', label: 'Memory', count: 2 }] },
    doing({ kind: 'requesting', elapsedMs: 0, iteration: 1, maxIterations: 9 }),
    ...deliver([...thoughts, ...words]),
    stored(acts),
    { kind: 'approvalRequested', turn: waiting, approval: own },
    {
      kind: 'approvalDecided',
      turn: running,
      approval: { ...own, state: { kind: 'decided', decision: { kind: 'allow', scope: 'once' }, decidedAt: 2 } },
    },
    doing({ kind: 'runningTool', callId: `${name}-c1`, startedAt: 2 }),
    {
      kind: 'toolProgress',
      turnUid: name,
      callId: `${name}-c1`,
      progress: { kind: 'output', file: '/out', bytes: 3, tail: 'abc' },
    },
    ...(editResult === undefined ? [] : [stored(editResult)]),
    { kind: 'toolProgress', turnUid: name, callId: `${name}-c2`, progress: { kind: 'session', sessionId: 'sub' } },
    { kind: 'subAgentAsks', turnUid: name, approval: others },
    { kind: 'subAgentAsks', turnUid: name, approval: null },
    ...(taskResult === undefined ? [] : [stored(taskResult)]),
    stored(steering),
    doing({ kind: 'requesting', elapsedMs: 0, iteration: 2, maxIterations: 9 }),
    ...deliver(last),
    { kind: 'turnSettled', turn, messages: rows },
  ];
  return { rows, turn, events };
}

function approval(turnUid: string, callId: string): Approval {
  const request = {
    tool: 'edit_file',
    access: { kind: 'edit', paths: [] },
    subject: 'a.ts',
    reasons: ['change'],
    rules: [],
    preview: null,
  } as const;
  return pendingApproval(request, { id: `${turnUid}-${callId}`, turnUid, messageUid: `${turnUid}-a`, callId });
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

const told = (event: TurnEvent): ChatEvent => ({
  kind: 'notified',
  notification: { name: 'turnEvent', payload: { sessionId, event } },
});
const shows = (payload: ShownSession): ChatEvent => ({ kind: 'notified', notification: { name: 'shown', payload } });

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

/** Everything that a conversation is drawn from. When thinking was watched is left out, as it depends on when it
 *  came. */
function seen({ conversation }: ChatViewState): unknown {
  if (conversation === null) return null;
  const { messages, turns, versions, recalled, work, changes, ...rest } = conversation;
  const byKey = <T>(map: ReadonlyMap<string, T>): unknown =>
    [...map].sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    ...rest,
    messages: messages.map(({ uid, turnUid, role, parts, lastSeq, final, inDoubt, unsaved }) => ({
      uid,
      turnUid,
      role,
      parts,
      lastSeq,
      final,
      inDoubt,
      unsaved,
    })),
    turns: byKey(turns),
    versions: byKey(versions),
    recalled: byKey(recalled),
    work: byKey(work),
    changes: byKey(changes),
  };
}

const begun = reduce(initialState, shows(shownSession()), 0);
const words = fc.record({ text: fc.string({ minLength: 1, maxLength: 40 }), size: fc.integer({ min: 1, max: 9 }) });
const earlier = {
  messages: [
    prompt({ uid: 'e-u', position: 1, turnUid: 'early' }, 'Early?'),
    answer({ uid: 'e-a', position: 2, turnUid: 'early' }, ['Early.']),
  ],
  turns: [settledTurn('early', 'e-u')],
  versions: [],
  changes: { early: [file] },
  hasEarlier: false,
};
const pageLoaded = (state: ChatViewState): ChatViewState =>
  state.conversation === null
    ? state
    : reduce(state, { kind: 'repaged', conversation: prependPage(state.conversation, earlier, 0) }, 0);

describe('the state of the chat view, whatever events arrive', () => {
  test('ends the same in every order, with duplicates, of all events of one turn', () => {
    const schedules = words.chain(({ text, size }) => {
      const turn = busyTurn('t1', 10, text, size);
      return fc
        .subarray([...turn.events])
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
      { numRuns },
    );
  });

  test('ends as stored when events are lost, once the turn has settled', () => {
    const schedules = words.chain(({ text, size }) => {
      const turn = busyTurn('t1', 10, text, size);
      return fc.shuffledSubarray([...turn.events.slice(0, -1)]).map((some) => ({ turn, some }));
    });
    fc.assert(
      fc.property(schedules, ({ turn, some }) => {
        const end = play(begun, [...some, ...turn.events.slice(-1)].map(told), turn.rows);
        expect(transcriptOf(end)).toEqual(transcriptOf(play(begun, turn.events.map(told), turn.rows)));
      }),
      { numRuns },
    );
  });

  test('never takes back text that it has shown, at any step of any delivery', () => {
    const schedules = words.chain(({ text, size }) => {
      const turn = busyTurn('t1', 10, text, size);
      const partial = answer({ uid: 't1-b', position: 15, turnUid: 't1' }, [text.slice(0, 1)], {
        state: 'streaming',
        lastSeq: size === 1 ? 1 : 0,
      });
      return fc
        .shuffledSubarray([...turn.events, { kind: 'messageStored', message: partial } as const])
        .map((events) => ({ turn, events }));
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
      { numRuns },
    );
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
    const [event] = busyTurn('t1', 10, 'a', 1).events;
    if (event === undefined) throw new Error('a turn has events');
    const payload = { sessionId: 'other', event };
    expect(reduce(begun, { kind: 'notified', notification: { name: 'turnEvent', payload } }, 0)).toBe(begun);
  });

  test('ends the same in every order of two turns, of which one may retry the other', () => {
    const schedules = fc
      .record({ said: words, asksAgain: fc.boolean() })
      .chain(({ said: { text, size }, asksAgain }) => {
        const first = busyTurn('t1', 10, text, size);
        const second = busyTurn('t2', 30, text, size, asksAgain ? 't1' : null);
        const all = [...first.events, ...second.events];
        return fc
          .shuffledSubarray(all, { minLength: all.length })
          .map((events) => ({ all, events, rows: [...first.rows, ...second.rows] }));
      });
    fc.assert(
      fc.property(schedules, ({ all, events, rows }) => {
        expect(seen(play(begun, events.map(told), rows))).toEqual(seen(play(begun, all.map(told), rows)));
      }),
      { numRuns },
    );
  });

  test('ends as the host says once it does, whatever was lost, duplicated or reordered before', () => {
    const schedules = fc
      .record({
        said: words,
        asksAgain: fc.boolean(),
        page: fc.boolean(),
        isLate: fc.boolean(),
        other: fc.array(fc.constantFrom('queue', 'files', 'mode', 'compressing', 'rename')),
      })
      .chain((given) => {
        const { text, size } = given.said;
        const first = busyTurn('t1', 10, text, size);
        const second = busyTurn('t2', 30, text, size, given.asksAgain ? 't1' : null);
        const all = [...first.events, ...second.events];
        return fc.shuffledSubarray([...all, ...all]).map((events) => ({ ...given, first, second, events }));
      });
    fc.assert(
      fc.property(schedules, ({ first, second, events, asksAgain, page, isLate, other }) => {
        const rows = [...first.rows, ...second.rows];
        const turns = asksAgain ? [second] : [first, second];
        const snapshot = shownSession({
          messages: turns.flatMap((turn) => turn.rows),
          turns: turns.map((turn) => turn.turn),
          versions: asksAgain ? [{ turnUid: 't2', versions: ['t1', 't2'] }] : [],
          changes: { t2: [file] },
          hasEarlier: true,
          changed: true,
        });
        const before = play(begun, [...events.map(told), ...other.map(fleeting)], rows);
        const after = play(
          play(page ? pageLoaded(before) : before, [shows(snapshot)], rows),
          isLate ? [shows(snapshot)] : [],
          rows,
        );
        expect(drawnNow(after)).toEqual(drawnNow(reduce(initialState, shows(snapshot), 0)));
      }),
      { numRuns },
    );
  });

  test('continues from a snapshot taken midway, whatever part of it arrives again', () => {
    const schedules = words.chain(({ text, size }) => {
      const turn = busyTurn('t1', 10, text, size);
      return fc
        .tuple(fc.nat({ max: turn.events.length - 2 }), fc.nat({ max: 12 }), fc.boolean())
        .map(([at, again, page]) => ({ turn, at, again, page }));
    });
    fc.assert(
      fc.property(schedules, ({ turn, at, again, page }) => {
        const inOrder = play(begun, turn.events.map(told), turn.rows);
        const middle = play(begun, turn.events.slice(0, at + 1).map(told), turn.rows).conversation;
        if (middle === null) throw new Error('a session is shown');
        const stored = middle.messages.flatMap((live) => storedSoFar(live.uid, live.parts, live.lastSeq, turn.rows));
        const open = runningTurn('t1', 't1-u');
        const snapshot = shownSession({ messages: stored, openTurn: open, hasEarlier: page });
        const taken = play(
          begun,
          [shows(snapshot), ...turn.events.slice(Math.max(0, at + 1 - again)).map(told)],
          turn.rows,
        );
        const end = page ? pageLoaded(taken) : taken;
        const expected = page ? pageLoaded(inOrder) : inOrder;
        expect(transcriptOf(end)).toEqual(transcriptOf(expected));
      }),
      { numRuns },
    );
  });
});

/** What is told about the session beside its turns: the last word counts. */
function fleeting(what: 'queue' | 'files' | 'mode' | 'compressing' | 'rename'): ChatEvent {
  switch (what) {
    case 'queue':
      return { kind: 'notified', notification: { name: 'queueChanged', payload: { sessionId, queue: [] } } };
    case 'files':
      return {
        kind: 'notified',
        notification: { name: 'changedFiles', payload: { turnUid: 't2', files: [], sessionId } },
      };
    case 'mode':
      return { kind: 'notified', notification: { name: 'mode', payload: { sessionId, mode: 'plan' } } };
    case 'compressing':
      return {
        kind: 'notified',
        notification: { name: 'compressing', payload: { sessionId, activity: { kind: 'compressing', startedAt: 1 } } },
      };
    case 'rename':
      return { kind: 'notified', notification: { name: 'sessionRenamed', payload: { sessionId, title: 'Another' } } };
  }
}

/** The row as the disk has it while only so much was delivered. */
function storedSoFar(
  uid: string,
  parts: readonly Part[],
  lastSeq: number,
  rows: readonly Message[],
): readonly Message[] {
  const row = rows.find((candidate) => candidate.uid === uid);
  if (row === undefined) return [];
  if (row.role !== 'assistant' || row.lastSeq === lastSeq) return [row];
  const texts = parts.filter((part) => part.kind === 'text' || part.kind === 'thinking');
  return [{ ...row, state: 'streaming', lastSeq, parts: texts }];
}

/** What is drawn of a session that is at rest; what memory found is told by nobody again, so a view that was there
 *  knows more. */
function drawnNow({ conversation }: ChatViewState): unknown {
  if (conversation === null) return null;
  const { session: shown, versions, hasEarlier, queue, activity, approval: asked, mode, work, changes } = conversation;
  return {
    ...Object(transcriptOf({ ...begun, conversation })),
    shown,
    versions,
    hasEarlier,
    queue,
    activity,
    asked,
    mode,
    work,
    changes: changes.get('t2'),
  };
}

function transcriptOf({ conversation }: ChatViewState): unknown {
  const messages =
    conversation?.messages.map(({ uid, parts, lastSeq, final, inDoubt, unsaved }) => ({
      uid,
      parts,
      lastSeq,
      final,
      inDoubt,
      unsaved,
    })) ?? [];
  const shownTurns = new Set(conversation?.messages.map(({ turnUid }) => turnUid));
  return {
    messages,
    turns: [...(conversation?.turns.values() ?? [])]
      .filter(({ uid }) => shownTurns.has(uid))
      .map(({ uid, state }) => ({ uid, state }))
      .sort((left, right) => (left.uid < right.uid ? -1 : 1)),
  };
}

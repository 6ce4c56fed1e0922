import { describe, expect, it } from 'vitest';
import { Emitter } from '../../../../src/base/disposable';
import { RunningCallEvents } from '../../../../src/host/chat/chatSurface';
import type { TurnEvent } from '../../../../src/transcript/turnEvent';
import { applyTurnEvent, conversationFrom } from '../../../../src/webview/chat/state/conversation';
import { answersIn, conversationBlocks } from '../../../../src/webview/chat/state/conversationRows';
import {
  answer,
  call,
  prompt,
  result,
  runningTurn,
  settledTurn,
  shownSession,
} from '../../../support/builders/viewMessages';

const question = prompt({ uid: 'u1', position: 1 }, 'Look into both.');
const asks = answer({ uid: 'a1', position: 2 }, [
  call('c1', 'delegate_task', { title: 'One' }),
  call('c2', 'delegate_task', { title: 'Two' }),
  call('c3', 'run_command', { command: 'npm test' }),
]);
const runs = (callId: string, startedAt: number): TurnEvent => ({
  kind: 'activity',
  turnUid: 'turn1',
  activity: { kind: 'runningTool', callId, startedAt },
});
const works = (callId: string, sessionId: string): TurnEvent => ({
  kind: 'toolProgress',
  turnUid: 'turn1',
  callId,
  progress: { kind: 'session', sessionId },
});
const wrote = (tail: string): TurnEvent => ({
  kind: 'toolProgress',
  turnUid: 'turn1',
  callId: 'c3',
  progress: { kind: 'output', file: '/o.log', bytes: tail.length, tail },
});

function watching() {
  const turnEvents = new Emitter<{ readonly sessionId: string; readonly event: TurnEvent }>();
  const events = new RunningCallEvents({ surfaces: { onDidTurnEvent: turnEvents.event } });
  return {
    events,
    happens: (...happened: readonly TurnEvent[]) =>
      happened.forEach((event) => turnEvents.fire({ sessionId: 's1', event })),
  };
}

describe('a view that is rendered again while calls run', () => {
  it('shows each call as running, with its output and the link to its sub-agent', () => {
    const { events, happens } = watching();
    happens(
      runs('c1', 10),
      works('c1', 'sub1'),
      runs('c2', 11),
      works('c2', 'sub2'),
      runs('c3', 12),
      wrote('one'),
      wrote('two'),
    );
    const activity = { kind: 'runningTool', callId: 'c3', startedAt: 12 } as const;
    const fresh = conversationFrom(shownSession({ messages: [question, asks], openTurn: runningTurn(), activity }), 0);
    const told = events
      .of('turn1', activity)
      .reduce((conversation, event) => applyTurnEvent(conversation, event, 0), fresh);
    const rows = conversationBlocks(told, [])
      .flatMap(({ rows: all }) => all)
      .flatMap(answersIn)
      .flatMap(({ calls }) => calls);
    expect(
      rows.map(({ state, startedAt, progress }) => [state, startedAt, progress?.sessionId ?? progress?.output?.tail]),
    ).toEqual([
      ['running', 10, 'sub1'],
      ['running', 11, 'sub2'],
      ['running', 12, 'two'],
    ]);
  });

  it('gets nothing about calls and turns that ended', () => {
    const { events, happens } = watching();
    happens(runs('c1', 10), works('c1', 'sub1'), runs('c2', 11), {
      kind: 'messageStored',
      message: result({ uid: 'r1', position: 3 }, 'c1', 'delegate_task', 'Done.'),
    });
    const left = events.of('turn1', null);
    happens({ kind: 'turnSettled', turn: settledTurn(), messages: [] });
    expect([left, events.of('turn1', null)]).toEqual([[runs('c2', 11)], []]);
  });
});

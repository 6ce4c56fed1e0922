import { describe, expect, it } from 'vitest';
import { choosable } from '../../../../src/host/sessions/messagePicker';
import { turnsAfter } from '../../../../src/host/sessions/rewindQuestion';
import type { AssistantMessage, Message } from '../../../../src/transcript/message';
import type { Turn } from '../../../../src/transcript/turn';
import { userMessage } from '../scriptedGateway';

const user = (uid: string, turnUid: string): Message => ({ ...userMessage(uid, uid), turnUid });
const answer = (uid: string, turnUid: string, text: string): AssistantMessage => ({
  uid,
  sessionId: 's1',
  turnUid,
  position: 2,
  createdAt: 1,
  visibility: { kind: 'shown' },
  carriedFrom: null,
  role: 'assistant',
  parts: [{ kind: 'text', text }],
  state: 'final',
  lastSeq: 1,
  model: null,
  finishReason: null,
  usage: null,
});
const turn = (uid: string, userMessageUid: string, state: 'settled' | 'running' = 'settled'): Turn => {
  const base = { uid, sessionId: 's1', userMessageUid, model: 'm', startedAt: 1, usage: null, supersedes: null };
  return state === 'running'
    ? { ...base, state }
    : { ...base, state, settledAt: 2, outcome: 'complete', stopReason: 'stop', failure: null };
};

const page = {
  messages: [
    user('u1', 't1'),
    user('steering', 't1'),
    answer('call only', 't1', ''),
    answer('a1', 't1', 'Yes'),
    user('u2', 't2'),
    answer('a2', 't2', 'No'),
    user('u3', 't3'),
    answer('a3', 't3', 'Whi'),
  ],
  turns: [turn('t1', 'u1'), turn('t2', 'u2'), turn('t3', 'u3', 'running')],
};

describe('a message to act on', () => {
  it('for a branch is any prompt or answer of a settled turn, newest first', () => {
    expect(choosable(page, 'branch').map(({ uid }) => uid)).toEqual(['a2', 'u2', 'a1', 'steering', 'u1']);
  });

  it('for a rewind is a prompt that starts a settled turn', () => {
    expect(choosable(page, 'rewind').map(({ uid }) => uid)).toEqual(['u2', 'u1']);
  });

  it('takes the later turns with it when it is taken back', () => {
    expect([turnsAfter(page, 'u2'), turnsAfter(page, 'not on this page')]).toEqual([
      ['t2', 't3'],
      ['t1', 't2', 't3'],
    ]);
  });
});

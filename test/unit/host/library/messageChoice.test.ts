import { describe, expect, it } from 'vitest';
import { choosable } from '../../../../src/host/library/messagePicker';
import { turnsAfter } from '../../../../src/host/library/sessionQuestions';
import type { Message } from '../../../../src/transcript/message';
import { answer, prompt, runningTurn, settledTurn } from '../../../support/builders/viewMessages';

const user = (uid: string, turnUid: string): Message => prompt({ uid, position: 1, turnUid }, uid);
const says = (uid: string, turnUid: string, text: string): Message => answer({ uid, position: 2, turnUid }, [text]);

const page = {
  messages: [
    user('u1', 't1'),
    user('steering', 't1'),
    says('call only', 't1', ''),
    says('a1', 't1', 'Yes'),
    user('u2', 't2'),
    says('a2', 't2', 'No'),
    user('u3', 't3'),
    says('a3', 't3', 'Whi'),
  ],
  turns: [settledTurn('t1', 'u1'), settledTurn('t2', 'u2'), runningTurn('t3', 'u3')],
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

import { describe, expect, it } from 'vitest';
import type { Verification, VerifiedTurn } from '../../../../src/protocol/verifyProtocol';
import { verdictText, verifySentence, verifyTone } from '../../../../src/webview/transcript/state/verifyLabels';

function turn(change: Partial<VerifiedTurn> = {}): VerifiedTurn {
  return {
    turnUid: 't1',
    messageUid: 'u1',
    number: 1,
    at: 0,
    verdict: 'same',
    reported: ['a1'],
    shown: 100,
    onDisk: 100,
    stored: 100,
    missing: [],
    unread: [],
    ...change,
  };
}

function verified(turns: readonly VerifiedTurn[], change: Partial<Verification> = {}): Verification {
  const sum = (of: (each: VerifiedTurn) => number): number => turns.reduce((all, each) => all + of(each), 0);
  return {
    sessionId: 's',
    at: 0,
    turns,
    turnCount: turns.length,
    rows: turns.length,
    shown: sum(({ shown }) => shown),
    onDisk: sum(({ onDisk }) => onDisk),
    findings: [],
    unread: [],
    fileUnchecked: null,
    note: null,
    ...change,
  };
}

const lost = turn({
  verdict: 'missing',
  onDisk: 0,
  missing: [{ messageUid: 'a1', part: 0, kind: 'text', shown: 100, stored: 40 }],
});
const unread = turn({
  verdict: 'unread',
  onDisk: 60,
  unread: [{ messageUid: 'a1', shown: 40, sentence: 'The disk was busy.' }],
});
const said = (verification: Verification): string => verifySentence(verification).replace(/^Verified .*?: /, '');

describe('the result of Verify Session, in words', () => {
  it('passes only rows that were read and match what was shown', () => {
    expect([verifyTone(verified([turn()])), said(verified([turn()]))]).toEqual([
      'pass',
      '1 turn, 100 of 100 characters shown are saved. Storage consistent.',
    ]);
  });

  it('calls unreadable rows neither missing nor fine', () => {
    const result = verified([turn(), unread], { unread: ['The disk was busy.'] });
    expect([verifyTone(result), said(result), verdictText(unread)]).toEqual([
      'warning',
      '2 turns, 160 of 200 characters shown are saved. Some of it couldn’t be read: The disk was busy. The rest is consistent.',
      '40 characters shown couldn’t be read: The disk was busy.',
    ]);
  });

  it('does so too for rows whose shown content no view has kept', () => {
    const result = verified([turn({ verdict: 'unreported', reported: [], shown: 0, onDisk: 0 })], {
      unread: ['The disk was busy.'],
    });
    expect([verifyTone(result), said(result)]).toEqual([
      'warning',
      '1 turn. Some of it couldn’t be read: The disk was busy. The rest is consistent. There is no record of what was shown.',
    ]);
  });

  it('is loud about missing rows, and still names those that could not be read', () => {
    const result = verified([lost, unread], {
      unread: ['The disk was busy.'],
      findings: [{ sentence: 'A row stands in the transcript twice.', messageUid: 'a1' }],
    });
    expect([verifyTone(result), said(result)]).toEqual([
      'error',
      '2 turns, 60 of 200 characters shown are saved. 1 turn doesn’t match what was shown. Storage not consistent: 1 problem found. Some of it couldn’t be read: The disk was busy.',
    ]);
  });
});

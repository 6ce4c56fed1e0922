import { describe, expect, it } from 'vitest';
import type { Verification, VerifiedTurn } from '../../../../../src/transcript/verification';
import {
  verdictText,
  verifySentence,
  verifyTone,
} from '../../../../../src/features/transcript/view/state/verifyLabels';
import { verification, verifiedTurn } from '../../../../support/builders/verification';

const whole = { shown: 100, onDisk: 100, stored: 100 };
const turn = (change: Partial<VerifiedTurn> = {}): VerifiedTurn => verifiedTurn(1, { ...whole, ...change });
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
    expect([verifyTone(verification([turn()])), said(verification([turn()]))]).toEqual([
      'pass',
      '1 turn, 100 of 100 characters shown are saved. Storage consistent.',
    ]);
  });

  it('calls unreadable rows neither missing nor fine', () => {
    const result = verification([turn(), unread], { unread: ['The disk was busy.'] });
    expect([verifyTone(result), said(result), verdictText(unread)]).toEqual([
      'warning',
      '2 turns, 160 of 200 characters shown are saved. Some of it couldn’t be read: The disk was busy. ' +
        'The rest is consistent.',
      '40 characters shown couldn’t be read: The disk was busy.',
    ]);
  });

  it('does so too for rows whose shown content no view has kept', () => {
    const result = verification([turn({ verdict: 'unreported', reported: [], shown: 0, onDisk: 0 })], {
      unread: ['The disk was busy.'],
    });
    expect([verifyTone(result), said(result)]).toEqual([
      'warning',
      '1 turn. Some of it couldn’t be read: The disk was busy. The rest is consistent. There is no ' +
        'record of what was shown.',
    ]);
  });

  it('is loud about missing rows, and still names those that could not be read', () => {
    const result = verification([lost, unread], {
      unread: ['The disk was busy.'],
      findings: [{ sentence: 'Message stored twice', messageUid: 'a1' }],
    });
    expect([verifyTone(result), said(result)]).toEqual([
      'error',
      '2 turns, 60 of 200 characters shown are saved. 1 turn doesn’t match what was shown. Storage not ' +
        'consistent: 1 problem found. Some of it couldn’t be read: The disk was busy.',
    ]);
  });
});

import type { Verification, VerifiedTurn } from '../../../src/transcript/verification';
import { afternoon, session } from './viewMessages';

/** A turn that Verify Session found as it was shown. Number null: a hidden one. */
export function verifiedTurn(number: number | null = 1, change: Partial<VerifiedTurn> = {}): VerifiedTurn {
  const name = `${number ?? 'hidden'}`;
  return {
    turnUid: `turn${name}`,
    messageUid: `u${name}`,
    number,
    at: afternoon + (number ?? 0) * 60,
    verdict: 'same',
    reported: [`a${name}`],
    shown: 2600,
    onDisk: 2600,
    stored: 2600,
    missing: [],
    unread: [],
    ...change,
  };
}

export function verification(turns: readonly VerifiedTurn[], change: Partial<Verification> = {}): Verification {
  const sum = (of: (turn: VerifiedTurn) => number): number => turns.reduce((all, each) => all + of(each), 0);
  return {
    sessionId: session().id,
    at: afternoon,
    turns,
    turnCount: turns.filter(({ number }) => number !== null).length,
    rows: turns.length * 2,
    shown: sum((each) => each.shown),
    onDisk: sum((each) => each.onDisk),
    findings: [],
    unread: [],
    fileUnchecked: null,
    note: null,
    ...change,
  };
}

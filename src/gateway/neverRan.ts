import type { SettleTurn } from '../store/sessionStore';

/** The end of a turn that was opened and never run: its prompt is stored, and can be sent again with Retry. */
export function neverRan(turnUid: string, now: number): SettleTurn {
  const sentence = 'This prompt was saved, but it was not sent because the disk reported a problem. Retry.';
  const failure = { cause: 'unknown' as const, sentence, technical: 'The turn was opened and nobody runs it.' };
  return { turnUid, settledAt: now, settlement: { outcome: 'failed', stopReason: 'storeFailed', failure }, messages: [] };
}

import type { Message, NewMessage } from '../../../../src/transcript/message';
import type { ChunkBatch, OpenTurn, SettleTurn } from '../../../../src/store/requests';

export const openingTurn = (session: string, turn: string, startedAt = 1): OpenTurn => ({
  turnUid: turn,
  sessionId: session,
  model: 'test/model',
  startedAt,
  userMessage: {
    uid: `${turn}-prompt`,
    sessionId: session,
    turnUid: turn,
    createdAt: startedAt,
    visibility: { kind: 'shown' },
    carriedFrom: null,
    role: 'user',
    parts: [{ kind: 'text', text: `Prompt of ${turn}` }],
  },
});

/** One chunk of the answer of a turn; `text` starts at UTF-16 offset `start`. */
export const chunkOf = (session: string, turn: string, seq: number, start: number, text: string): ChunkBatch => ({
  sessionId: session,
  turnUid: turn,
  model: 'test/model',
  createdAt: 1,
  chunks: [{ messageUid: `${turn}-answer`, seq, part: 0, kind: 'text', start, text }],
});

export const settlingTurn = (turn: string, messages: readonly NewMessage[] = []): SettleTurn => ({
  turnUid: turn,
  settledAt: 2,
  settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
  messages,
});

/** Role and text of each message, as a person would read them. */
export function spoken(messages: readonly Message[]): readonly string[] {
  return messages.map(
    (message) =>
      `${message.role}: ${message.parts.map((part) => ('text' in part ? part.text : `[${part.kind}]`)).join('')}`,
  );
}

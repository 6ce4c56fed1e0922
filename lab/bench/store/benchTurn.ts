import type { AssistantPart } from '../../../src/transcript/part';
import { unknownUsage } from '../../../src/transcript/usage';
import type { NewMessage } from '../../../src/transcript/message';
import type { ChunkBatch, OpenTurn, SettleTurn } from '../../../src/store/requests';

export const messagesPerTurn = 7;
export const turnsPerSession = 28;
const toolCalls = 4;
const messageLength = 2000;
const vocabulary = 4000;

/** One agent turn as it is stored: a prompt, an answer with four calls, four results, a last answer; 2 KB of text
 *  each. The same number always gives the same turn. */
export interface BenchTurn {
  readonly sessionId: string;
  readonly opening: OpenTurn;
  readonly settling: SettleTurn;
}

/** The session of a turn where nothing else is said: about 200 messages each. */
export function sessionOf(turn: number): string {
  return `session-${Math.floor(turn / turnsPerSession)}`;
}

export function benchTurn(number: number, sessionId = sessionOf(number)): BenchTurn {
  const turnUid = `turn-${number}`;
  const base = (name: string) =>
    ({
      uid: `${turnUid}-${name}`,
      sessionId,
      turnUid,
      createdAt: 1_700_000_000 + number,
      visibility: { kind: 'shown' },
      carriedFrom: null,
    }) as const;
  const text = (part: number): string => prose(number * messagesPerTurn + part);
  const calls = Array.from({ length: toolCalls }, (_, index) => index);
  const answer = (name: string, parts: readonly AssistantPart[]): NewMessage => ({
    ...base(name),
    role: 'assistant',
    parts,
    state: 'final',
    lastSeq: 0,
    model: 'bench/model',
    finishReason: 'stop',
    usage: unknownUsage,
  });
  const first = answer('first', [
    { kind: 'text', text: text(1) },
    ...calls.map(
      (call) =>
        ({
          kind: 'toolCall',
          callId: `${turnUid}-${call}`,
          name: 'read_file',
          arguments: '{"path":"src/a.ts"}',
        }) as const,
    ),
  ]);
  const results = calls.map((call): NewMessage => ({
    ...base(`result-${call}`),
    role: 'tool',
    parts: [
      { kind: 'toolResult', callId: `${turnUid}-${call}`, name: 'read_file', outcome: 'done', text: text(2 + call) },
    ],
  }));
  return {
    sessionId,
    opening: {
      turnUid,
      sessionId,
      model: 'bench/model',
      startedAt: 1_700_000_000 + number,
      userMessage: { ...base('prompt'), role: 'user', parts: [{ kind: 'text', text: text(0) }] },
    },
    settling: {
      turnUid,
      settledAt: 1_700_000_001 + number,
      settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
      messages: [first, ...results, answer('last', [{ kind: 'text', text: text(6) }])],
    },
  };
}

/** The n-th piece of 120 characters of a streamed answer. */
export function benchChunk(sessionId: string, turnUid: string, seq: number): ChunkBatch {
  const text = prose(seq).slice(0, 120);
  return {
    sessionId,
    turnUid,
    model: 'bench/model',
    createdAt: 1_700_000_000,
    chunks: [{ messageUid: `${turnUid}-streamed`, seq, part: 0, kind: 'text', start: (seq - 1) * 120, text }],
  };
}

/** A word that stands in about one message of two hundred. */
export const rareWord = wordOf(2500);

/** A word of the vocabulary, frequent or rare by its number. */
export function benchWord(number: number): string {
  return wordOf((number * 1217) % vocabulary);
}

/** Text of about 2 KB in which some words are frequent and most are rare, as in any language. */
function prose(seed: number): string {
  let state = (seed * 2654435761 + 12345) >>> 0;
  const words: string[] = [];
  for (let length = 0; length < messageLength;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const uniform = state / 2 ** 32;
    const word = wordOf(Math.floor(vocabulary * uniform * uniform * uniform));
    words.push(word);
    length += word.length + 1;
  }
  return words.join(' ');
}

function wordOf(index: number): string {
  const syllables = ['ka', 'lo', 'mi', 'ne', 'ru', 'so', 'ta', 'vi', 'we', 'zu'];
  return String(index + 1000)
    .split('')
    .map((digit) => syllables[Number(digit)] ?? '')
    .join('');
}

import { describe, expect, it } from 'vitest';
import type { SessionDb } from '../../../../src/store/session/sessionDb';
import type { SpilledRequest, SpilledTurn } from '../../../../src/store/sessionStore';
import { encodeHeader, encodeRequest, isSpillName, readSpill } from '../../../../src/store/spill/spillFormat';
import type { NewMessage } from '../../../../src/transcript/message';
import { sessionId, spillWorld, turnUid, type SpillWorld } from '../../../support/spillWorld';
import { testTime } from '../../../support/testStore';

const usage = {
  inputTokens: 1,
  outputTokens: 2,
  cachedInputTokens: null,
  cacheWriteTokens: null,
  reasoningTokens: null,
};

function chunks(messageUid: string, firstSeq: number, start: number, ...texts: readonly string[]): SpilledRequest {
  let at = start;
  const list = texts.map((text, index) => {
    const chunk = { messageUid, seq: firstSeq + index, part: 0, kind: 'text' as const, start: at, text };
    at += text.length;
    return chunk;
  });
  return { method: 'appendChunks', args: [{ sessionId, turnUid, model: 'm', createdAt: testTime, chunks: list }] };
}

const base = { sessionId, turnUid, createdAt: testTime, visibility: { kind: 'shown' as const }, carriedFrom: null };
const withCall: NewMessage = {
  ...base,
  uid: 'answer-1',
  role: 'assistant',
  state: 'final',
  lastSeq: 2,
  model: 'm',
  finishReason: 'tool_calls',
  usage: null,
  parts: [
    { kind: 'text', text: 'I look.' },
    { kind: 'toolCall', callId: 'c1', name: 'look', arguments: '{}' },
  ],
};
const result: NewMessage = {
  ...base,
  uid: 'result-1',
  role: 'tool',
  parts: [{ kind: 'toolResult', callId: 'c1', name: 'look', outcome: 'done', text: 'found' }],
};
const requests: readonly SpilledRequest[] = [
  chunks('answer-1', 2, 2, 'look.'),
  { method: 'putMessages', args: [[withCall]] },
  { method: 'addUsage', args: [turnUid, usage] },
  { method: 'putMessages', args: [[result]] },
  chunks('answer-2', 1, 0, 'There ', 'it is.'),
  {
    method: 'settleTurn',
    args: [
      {
        turnUid,
        settledAt: testTime,
        settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
        messages: [],
      },
    ],
  },
];
const whole = ['user: Where?', 'assistant: I look.', 'tool: found', 'assistant: There it is.'];

/** A store with a turn of which the first words are stored, and the spill of the rest. */
async function interrupted(): Promise<{
  readonly world: SpillWorld;
  readonly db: SessionDb;
  readonly spill: SpilledTurn;
  readonly lines: () => readonly string[];
}> {
  const world = await spillWorld();
  const { db } = world;
  db.createSession({ id: sessionId, startedAt: testTime, model: 'm' });
  const { turn } = db.openTurn({
    turnUid,
    sessionId,
    model: 'm',
    startedAt: testTime,
    userMessage: prompt('prompt-1', turnUid, 'Where?'),
  });
  const [first] = [chunks('answer-1', 1, 0, 'I ')];
  if (first.method === 'appendChunks') db.appendChunks(first.args[0]);
  const session = db.getSession(sessionId);
  if (turn.state !== 'running' || session === null) throw new Error('no running turn');
  const spill: SpilledTurn = {
    spillUid: 's1',
    storeUid: db.getMeta('store_uid'),
    sessions: [session],
    turn,
    rows: db.activeMessages(sessionId),
    requests,
  };
  const lines = () =>
    db
      .activeMessages(sessionId)
      .map((row) => `${row.role}: ${row.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join('')}`);
  return { world, db, spill, lines };
}

function prompt(uid: string, turn: string, text: string) {
  return { ...base, uid, turnUid: turn, role: 'user' as const, parts: [{ kind: 'text' as const, text }] };
}

describe('folding a spill', () => {
  it('handles every request once, however often it is repeated', async () => {
    const { db, spill, lines } = await interrupted();
    const results = [
      db.foldSpill({ ...spill, requests: requests.slice(0, 3) }),
      db.foldSpill(spill),
      db.foldSpill(spill),
    ];
    expect({ results, lines: lines(), turn: db.getTurn(turnUid), problems: db.verifyIntegrity() }).toMatchObject({
      results: Array(3).fill({ kind: 'folded', refused: [] }),
      lines: whole,
      turn: { state: 'settled', outcome: 'complete', usage },
      problems: [],
    });
  });

  it("restores a turn that another owner treated as crashed, before that owner's next prompt", async () => {
    const { db, spill, lines } = await interrupted();
    db.recoverTurns();
    db.openTurn({
      turnUid: 'turn-2',
      sessionId,
      model: 'm',
      startedAt: testTime,
      userMessage: prompt('prompt-2', 'turn-2', 'Next?'),
    });
    db.settleTurn({
      turnUid: 'turn-2',
      settledAt: testTime,
      settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
      messages: [],
    });
    expect(db.foldSpill(spill)).toEqual({ kind: 'folded', refused: [] });
    expect({ lines: lines(), problems: db.verifyIntegrity(), turn: db.getTurn(turnUid) }).toMatchObject({
      lines: [...whole, 'user: Next?', 'assistant: (No answer was given.)'],
      problems: [],
      turn: { state: 'settled', outcome: 'complete' },
    });
  });

  it('brings along the rows it depends on where the store has lost them', async () => {
    const { spill } = await interrupted();
    const { db } = await spillWorld();
    expect(db.foldSpill({ ...spill, storeUid: null })).toEqual({ kind: 'folded', refused: [] });
    expect({
      rows: db.activeMessages(sessionId).map(({ uid }) => uid),
      problems: db.verifyIntegrity(),
      outcome: db.getTurn(turnUid)?.state,
    }).toEqual({
      rows: ['prompt-1', 'answer-1', 'result-1', 'answer-2'],
      problems: [],
      outcome: 'settled',
    });
  });

  it('leaves the spill of another store alone', async () => {
    const { db, spill, lines } = await interrupted();
    const before = lines();
    expect({ result: db.foldSpill({ ...spill, storeUid: 'another' }), lines: lines() }).toEqual({
      result: { kind: 'otherStore' },
      lines: before,
    });
  });

  it('does what it can when a request is refused, and reports what was not done', async () => {
    const { db, spill, lines } = await interrupted();
    const folded = db.foldSpill({
      ...spill,
      requests: [requests[0]!, chunks('answer-1', 9, 99, 'gap'), ...requests.slice(1)],
    });
    expect({ folded, lines: lines() }).toEqual({
      folded: { kind: 'folded', refused: [expect.stringContaining('chunk 9')] },
      lines: whole,
    });
  });
});

describe('a spill file', () => {
  it('returns exactly what was written to it, a lone surrogate included', async () => {
    const { spill } = await interrupted();
    const put: SpilledRequest = { method: 'putMessages', args: [[{ ...result, uid: 'result-2', behind: 'answer-1' }]] };
    const all = { ...spill, requests: [...requests, chunks('answer-3', 1, 0, '\ud83d', '\ude00'), put] };
    const { requests: written, ...header } = all;
    expect(
      readSpill(encodeHeader(header) + written.map((request, index) => encodeRequest(index + 1, request)).join('')),
    ).toEqual({ spill: all, torn: false });
  });

  it('returns everything before a torn or missing line', async () => {
    const { requests: written, ...header } = (await interrupted()).spill;
    const line = (n: number): string => encodeRequest(n, written[n - 1]!);
    const read = (text: string) => {
      const { spill, torn } = readSpill(text) ?? { spill: null, torn: null };
      return [spill?.requests.length, torn];
    };
    expect([
      read(encodeHeader(header)),
      read(encodeHeader(header) + line(1) + line(2).slice(0, -9)),
      read(encodeHeader(header) + line(1) + line(3)),
      read(`${encodeHeader(header) + line(1)}\0\0\0\n${line(2)}`),
      read(encodeHeader(header).slice(0, -5)),
    ]).toEqual([
      [0, false],
      [1, true],
      [1, true],
      [1, true],
      [undefined, null],
    ]);
  });

  it('is recognized by its name, but not once it is set aside', () => {
    expect(
      ['s.jsonl', 's.2.jsonl', 's.kept.jsonl', 's.kept-2.jsonl', 'state.db', 'state.db.lock'].map(isSpillName),
    ).toEqual([true, true, false, false, false, false]);
  });
});

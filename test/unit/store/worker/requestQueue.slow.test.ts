import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../../../src/store/worker/requestQueue';
import type { StoreRequest } from '../../../../src/store/sessionMethods';
import { unknownUsage } from '../../../../src/transcript/usage';

describe('the order in which the worker runs requests', () => {
  it('lets chunks pass unrelated requests', () => {
    expect(orderOf([search('old words'), draft, listSessions, chunk('turn-1', 1)])).toEqual([
      'chunk turn-1 1',
      'search',
      'setDraft',
      'listSessions',
    ]);
  });

  it('keeps chunks of one turn in their order', () => {
    expect(orderOf([search('x'), chunk('turn-1', 1), chunk('turn-2', 1), chunk('turn-1', 2)])).toEqual([
      'chunk turn-1 1',
      'chunk turn-2 1',
      'chunk turn-1 2',
      'search',
    ]);
  });

  it('never lets a chunk pass the opening of its own turn or the creation of its session', () => {
    expect(orderOf([createSession('turn-1'), openTurn('turn-1'), chunk('turn-1', 1)])).toEqual([
      'createSession',
      'openTurn',
      'chunk turn-1 1',
    ]);
  });

  it('never lets a chunk pass a settlement, usage or message of its own turn, while other turns proceed', () => {
    expect(orderOf([usage('turn-1'), settle('turn-1'), chunk('turn-1', 2), chunk('turn-2', 1)])).toEqual([
      'chunk turn-2 1',
      'addUsage',
      'settleTurn',
      'chunk turn-1 2',
    ]);
  });

  it('applies every chunk that was posted before a settlement first', () => {
    expect(orderOf([search('x'), chunk('turn-1', 1), settle('turn-1')])).toEqual([
      'chunk turn-1 1',
      'search',
      'settleTurn',
    ]);
  });

  it('answers a read of a session before chunks of that session that were posted later', () => {
    expect(orderOf([read('turn-1'), chunk('turn-1', 1), chunk('turn-2', 1)])).toEqual([
      'chunk turn-2 1',
      'activeMessages',
      'chunk turn-1 1',
    ]);
  });

  it('lets nothing pass the recovery of turns', () => {
    expect(orderOf([draft, { method: 'recoverTurns', args: [] }, chunk('turn-1', 1)])).toEqual([
      'setDraft',
      'recoverTurns',
      'chunk turn-1 1',
    ]);
  });

  it('holds back the session of work in progress and what came after that; the rest passes in its order', () => {
    const queue = new RequestQueue<StoreRequest>();
    for (const request of [
      openTurn('turn-1'),
      chunk('turn-1', 1),
      draft,
      openTurn('turn-2'),
      chunk('turn-2', 1),
      repair('turn-1'),
    ])
      queue.push(request);
    const underWay = [{ request: rewind('turn-1'), openTurn: null }];
    const meanwhile: string[] = [];
    for (let next = queue.take(underWay); next !== undefined; next = queue.take(underWay)) meanwhile.push(nameOf(next));
    expect({ meanwhile, after: drain(queue) }).toEqual({
      meanwhile: ['setDraft', 'openTurn', 'chunk turn-2 1'],
      after: ['openTurn', 'chunk turn-1 1', 'repairTranscript'],
    });
  });

  it('lets text into a session whose rows are being read, but not the end of its turn', () => {
    const queue = new RequestQueue<StoreRequest>();
    for (const request of [settle('turn-1'), chunk('turn-1', 2), settle('turn-2')]) queue.push(request);
    const early = new RequestQueue<StoreRequest>();
    early.push(chunk('turn-1', 1));
    const underWay = [{ request: read('turn-1'), openTurn: 'turn-1' }];
    expect([
      early.take(underWay)?.method,
      queue.take(underWay)?.method,
      queue.take(underWay)?.method,
      drain(queue),
    ]).toEqual(['appendChunks', 'settleTurn', undefined, ['settleTurn', 'chunk turn-1 2']]);
  });

  it('lets nothing pass the recovery of turns while work is in progress, and recovers after the work', () => {
    const queue = new RequestQueue<StoreRequest>();
    queue.push({ method: 'recoverTurns', args: [] });
    queue.push(draft);
    expect([queue.take([{ request: rewind('turn-1'), openTurn: null }]), drain(queue)]).toEqual([
      undefined,
      ['recoverTurns', 'setDraft'],
    ]);
  });
});

function orderOf(requests: readonly StoreRequest[]): readonly string[] {
  const queue = new RequestQueue<StoreRequest>();
  for (const request of requests) queue.push(request);
  return drain(queue);
}

function drain(queue: RequestQueue<StoreRequest>): readonly string[] {
  const order: string[] = [];
  for (let next = queue.take(); next !== undefined; next = queue.take()) order.push(nameOf(next));
  return order;
}

function nameOf(request: StoreRequest): string {
  return request.method === 'appendChunks'
    ? `chunk ${request.args[0].turnUid} ${request.args[0].chunks[0]?.seq}`
    : request.method;
}

const listSessions: StoreRequest = { method: 'listSessions', args: [{ limit: 10 }] };
const draft: StoreRequest = { method: 'setDraft', args: ['new', 'words'] };
const search = (text: string): StoreRequest => ({ method: 'search', args: [{ text, limit: 5 }] });
const createSession = (name: string): StoreRequest => ({
  method: 'createSession',
  args: [{ id: `session of ${name}`, startedAt: 1 }],
});
const usage = (turn: string): StoreRequest => ({ method: 'addUsage', args: [turn, unknownUsage] });
const rewind = (turn: string): StoreRequest => ({
  method: 'rewindSession',
  args: [{ sessionId: `session of ${turn}`, to: 'u', now: 1 }],
});
const repair = (turn: string): StoreRequest => ({ method: 'repairTranscript', args: [`session of ${turn}`] });
const read = (turn: string): StoreRequest => ({ method: 'activeMessages', args: [`session of ${turn}`] });
const settle = (turn: string): StoreRequest => ({
  method: 'settleTurn',
  args: [
    {
      turnUid: turn,
      settledAt: 1,
      settlement: { outcome: 'complete', stopReason: 'stop', failure: null },
      messages: [],
    },
  ],
});
const openTurn = (turn: string): StoreRequest => ({
  method: 'openTurn',
  args: [
    {
      turnUid: turn,
      sessionId: `session of ${turn}`,
      model: 'test/model',
      startedAt: 1,
      userMessage: {
        uid: `prompt of ${turn}`,
        sessionId: `session of ${turn}`,
        turnUid: turn,
        createdAt: 1,
        visibility: { kind: 'shown' },
        carriedFrom: null,
        role: 'user',
        parts: [{ kind: 'text', text: 'Hello' }],
      },
    },
  ],
});
const chunk = (turn: string, seq: number): StoreRequest => ({
  method: 'appendChunks',
  args: [
    {
      sessionId: `session of ${turn}`,
      turnUid: turn,
      model: 'test/model',
      createdAt: 1,
      chunks: [{ messageUid: `answer of ${turn}`, seq, part: 0, kind: 'text', start: 0, text: 'x' }],
    },
  ],
});

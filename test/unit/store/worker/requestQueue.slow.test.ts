import { describe, expect, it } from 'vitest';
import { RequestQueue } from '../../../../src/store/worker/requestQueue';
import type { StoreRequest } from '../../../../src/store/session/sessionStore';
import { unknownUsage } from '../../../../src/transcript/usage';
import { chunkOf, openingTurn, settlingTurn } from '../ownership/turnBuilder';

const sessionOf = (turn: string): string => `session of ${turn}`;
const listSessions: StoreRequest = { method: 'listSessions', args: [{ limit: 10 }] };
const draft: StoreRequest = { method: 'setDraft', args: ['new', 'words'] };
const recovery: StoreRequest = { method: 'recoverTurns', args: [] };
const search: StoreRequest = { method: 'search', args: [{ text: 'old words', limit: 5 }] };
const createSession = (turn: string): StoreRequest => ({
  method: 'createSession',
  args: [{ id: sessionOf(turn), startedAt: 1 }],
});
const usage = (turn: string): StoreRequest => ({ method: 'addUsage', args: [turn, unknownUsage] });
const rewind = (turn: string): StoreRequest => ({
  method: 'rewindSession',
  args: [{ sessionId: sessionOf(turn), to: 'u', now: 1 }],
});
const repair = (turn: string): StoreRequest => ({ method: 'repairTranscript', args: [sessionOf(turn)] });
const read = (turn: string): StoreRequest => ({ method: 'activeMessages', args: [sessionOf(turn)] });
const context = (turn: string): StoreRequest => ({ method: 'promptContext', args: [sessionOf(turn), 'u1'] });
const settle = (turn: string): StoreRequest => ({ method: 'settleTurn', args: [settlingTurn(turn)] });
const openTurn = (turn: string): StoreRequest => ({ method: 'openTurn', args: [openingTurn(sessionOf(turn), turn)] });
const chunk = (turn: string, seq: number): StoreRequest => ({
  method: 'appendChunks',
  args: [chunkOf(sessionOf(turn), turn, seq, 0, 'x')],
});

function queued(...requests: readonly StoreRequest[]): RequestQueue<StoreRequest> {
  const queue = new RequestQueue<StoreRequest>();
  for (const request of requests) queue.push(request);
  return queue;
}

function drain(
  queue: RequestQueue<StoreRequest>,
  underWay: Parameters<RequestQueue<StoreRequest>['take']>[0] = [],
): readonly string[] {
  const order: string[] = [];
  for (let next = queue.take(underWay); next !== undefined; next = queue.take(underWay)) order.push(nameOf(next));
  return order;
}

function nameOf(request: StoreRequest): string {
  return request.method === 'appendChunks'
    ? `chunk ${request.args[0].turnUid} ${request.args[0].chunks[0]?.seq}`
    : request.method;
}

describe('the order in which the worker runs requests', () => {
  it.each<[string, StoreRequest[], string[]]>([
    [
      'lets chunks pass unrelated requests',
      [search, draft, listSessions, chunk('a', 1)],
      ['chunk a 1', 'search', 'setDraft', 'listSessions'],
    ],
    [
      'keeps chunks of one turn in their order',
      [search, chunk('a', 1), chunk('b', 1), chunk('a', 2)],
      ['chunk a 1', 'chunk b 1', 'chunk a 2', 'search'],
    ],
    [
      'never lets a chunk pass the opening of its own turn or the creation of its session',
      [createSession('a'), openTurn('a'), chunk('a', 1)],
      ['createSession', 'openTurn', 'chunk a 1'],
    ],
    [
      'never lets a chunk pass a settlement, usage or message of its own turn, while other turns proceed',
      [usage('a'), settle('a'), chunk('a', 2), chunk('b', 1)],
      ['chunk b 1', 'addUsage', 'settleTurn', 'chunk a 2'],
    ],
    [
      'applies every chunk that was posted before a settlement first',
      [search, chunk('a', 1), settle('a')],
      ['chunk a 1', 'search', 'settleTurn'],
    ],
    [
      'answers a read of a session before chunks of that session that were posted later',
      [read('a'), context('a'), chunk('a', 1), chunk('b', 1)],
      ['chunk b 1', 'activeMessages', 'promptContext', 'chunk a 1'],
    ],
    [
      'lets nothing pass the recovery of turns',
      [draft, recovery, chunk('a', 1)],
      ['setDraft', 'recoverTurns', 'chunk a 1'],
    ],
  ])('%s', (_name, requests, order) => {
    expect(drain(queued(...requests))).toEqual(order);
  });

  it('holds back the session of work in progress and what came after that; the rest passes in its order', () => {
    const queue = queued(openTurn('a'), chunk('a', 1), draft, openTurn('b'), chunk('b', 1), repair('a'));
    const meanwhile = drain(queue, [{ request: rewind('a'), openTurn: null }]);
    expect({ meanwhile, after: drain(queue) }).toEqual({
      meanwhile: ['setDraft', 'openTurn', 'chunk b 1'],
      after: ['openTurn', 'chunk a 1', 'repairTranscript'],
    });
  });

  it('lets text into a session whose rows are being read, but not the end of its turn', () => {
    const underWay = [{ request: read('a'), openTurn: 'a' }];
    const queue = queued(settle('a'), chunk('a', 2), settle('b'));
    expect([drain(queued(chunk('a', 1)), underWay), drain(queue, underWay), drain(queue)]).toEqual([
      ['chunk a 1'],
      ['settleTurn'],
      ['settleTurn', 'chunk a 2'],
    ]);
  });

  it('lets nothing pass the recovery of turns while work is in progress, and recovers after the work', () => {
    const queue = queued(recovery, draft);
    expect([drain(queue, [{ request: rewind('a'), openTurn: null }]), drain(queue)]).toEqual([
      [],
      ['recoverTurns', 'setDraft'],
    ]);
  });
});

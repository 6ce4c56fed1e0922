import { beforeEach, describe, expect, it } from 'vitest';
import type { SqlRow } from '../../../src/store/engine/sqlDatabase';
import {
  answer,
  call,
  complete,
  lines,
  openTurn,
  refusal,
  result,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

let world: SessionDbWorld;
beforeEach(async () => {
  world = await sessionDbWorld();
});

const queued = (uid: string, behind?: readonly string[]): readonly string[] =>
  world.db
    .enqueue({
      uid,
      sessionId: 's1',
      text: `text of ${uid}`,
      createdAt: 5,
      ...(behind === undefined ? {} : { after: behind }),
    })
    .map((prompt) => prompt.uid);
const steer = (queuedUid: string, turnUid = 't1', sessionId = 's1') =>
  world.db.steerTurn({ turnUid, sessionId, queuedUid, createdAt: 9 });
const queue = (): readonly string[] => world.db.queue('s1').map(({ uid }) => uid);

describe('a prompt queued to the front', () => {
  it('goes after the prompts it names, as far as they are still queued, and before the rest', () => {
    runningTurn(world.db);
    queued('a');
    queued('b');
    queued('first', []);
    queued('second', ['first']);
    world.db.removeQueued('first');
    expect([queued('third', ['first', 'second']), queued('a', []), queued('last')]).toEqual([
      ['second', 'third', 'a', 'b'],
      ['second', 'third', 'a', 'b'],
      ['second', 'third', 'a', 'b', 'last'],
    ]);
  });
});

describe('steering', () => {
  const callingTurn = (): void => {
    runningTurn(world.db);
    world.db.putMessages([answer('m1', [call('c1')], 't1'), result('r1', 'c1', 'content', 't1')]);
  };

  it('moves a prompt from the queue into the running turn, once, however often it is requested', () => {
    callingTurn();
    queued('q1');
    queued('q2');
    const given = steer('q1');
    const again = steer('q1');
    const late = queued('q1', []);
    world.db.putMessages([answer('m2', 'Seen.', 't1')]);
    settle(world.db, 't1', complete);
    expect({
      given: [given?.uid, given?.turnUid, given?.createdAt],
      same: again?.uid === given?.uid,
      late,
      queue: queue(),
      last: lines(world.db).slice(-2),
      sound: world.db.verifyIntegrity(),
    }).toEqual({
      given: ['q1', 't1', 9],
      same: true,
      late: ['q2'],
      queue: ['q2'],
      last: ['user: text of q1', 'assistant: Seen.'],
      sound: [],
    });
  });

  it('does nothing for a prompt that is no longer queued, or that another turn was opened with', () => {
    callingTurn();
    queued('q1');
    world.db.removeQueued('q1');
    const rows = lines(world.db);
    expect([steer('q1'), steer(world.db.openTurnOf('s1')?.userMessageUid ?? '', 'other'), lines(world.db)]).toEqual([
      null,
      null,
      rows,
    ]);
  });

  it('is refused by a turn that is over and by another conversation, and the prompt stays queued', () => {
    callingTurn();
    settle(world.db, 't1', complete);
    queued('q1');
    const over = refusal(() => steer('q1'));
    world.db.createSession({ id: 'other', startedAt: 3 });
    openTurn(world.db, { sessionId: 'other', turnUid: 't2', userUid: 'u2' });
    expect([over, refusal(() => steer('q1', 't2', 's1')), steer('q1', 't2', 'other'), queue()]).toEqual([
      'invalid',
      'invalid',
      null,
      ['q1'],
    ]);
  });

  it('leaves the prompt in the queue or in the turn, never in both or neither, when the power fails', async () => {
    callingTurn();
    queued('q1');
    steer('q1');
    const found = await world.reopened();
    const inTurn: readonly SqlRow[] = found.database.all("SELECT uid FROM messages WHERE uid = 'q1'");
    expect([inTurn.length, found.db.queue('s1').length]).toEqual([1, 0]);
  });
});

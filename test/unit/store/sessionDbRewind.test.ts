import { describe, expect, it } from 'vitest';
import {
  activeUids,
  afterEveryFailure,
  answer,
  complete,
  lines,
  openTurn,
  prompt,
  refusal,
  sentence,
  settle,
  threeTurns as three,
  visibilityOf,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

const rewind = ({ db }: SessionDbWorld, to: string, sessionId = 's1') => db.rewindSession({ sessionId, to, now: 70 });

describe('a rewind', () => {
  it('hides a prompt and everything after it, and returns the prompt', async () => {
    const world = await three();
    const { hidden, draft } = rewind(world, 'u-t2');
    expect({
      touched: hidden.map((uid) => [uid, visibilityOf(world, uid)]),
      draft,
      active: activeUids(world.db),
      all: lines(world.db),
      list: world.db
        .listSessions({ limit: 1 })
        .map(({ turnCount, messageCount, lastActiveAt }) => [turnCount, messageCount, lastActiveAt]),
      found: world.db.search({ text: 'two', limit: 5 }),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      touched: [
        ['u-t2', 'rewound'],
        ['a-t2', 'rewound'],
        ['u-t3', 'rewound'],
        ['a-t3', 'rewound'],
      ],
      draft: 'two?',
      active: ['u-t1', 'a-t1'],
      all: [
        'user: one?',
        'assistant: one',
        'user (rewound): two?',
        'assistant (rewound): two',
        'user (rewound): three?',
        'assistant (rewound): three',
      ],
      list: [[1, 2, 70]],
      found: [],
      problems: [],
    });
  });

  it('of a turn whose row was lost is no damage', async () => {
    const world = await three();
    // It may be on its way.
    world.db.synced.begin();
    world.database.run("DELETE FROM turns WHERE uid = 't3'");
    expect(rewind(world, 'u-t3').hidden).toEqual(['u-t3', 'a-t3']);
    expect([activeUids(world.db), world.db.verifyIntegrity()]).toEqual([['u-t1', 'a-t1', 'u-t2', 'a-t2'], []]);
  });

  it('is refused, with a sentence, while a turn is open and for anything but a prompt that is shown', async () => {
    const world = await three();
    rewind(world, 'u-t3');
    const gone = 'This message is no longer in the open session. Nothing was changed.';
    const refusals = ['a-t1', 'u-t3', 'none'].map((uid) => sentence(() => rewind(world, uid)));
    openTurn(world.db, { turnUid: 't5', text: 'five?' });
    world.db.enqueue({ uid: 'steer', sessionId: 's1', text: 'hurry', createdAt: 3 });
    world.db.putMessages([answer('a5', 'fi', 't5')]);
    world.db.steerTurn({ turnUid: 't5', sessionId: 's1', queuedUid: 'steer', createdAt: 4 });
    const busy = sentence(() => rewind(world, 'u-t1'));
    settle(world.db, 't5', complete, [answer('b5', 've', 't5')]);
    expect({
      refusals,
      busy,
      steered: sentence(() => rewind(world, 'steer')),
      unknown: refusal(() => rewind(world, 'u-t1', 'none')),
      active: activeUids(world.db),
    }).toEqual({
      refusals: [gone, gone, gone],
      busy: 'Hermes is answering in this session. Stop it first.',
      steered: 'This was sent while Hermes was answering. Rewind to the prompt of that answer.',
      unknown: 'not-found',
      active: ['u-t1', 'a-t1', 'u-t2', 'a-t2', 'u-t5', 'a5', 'steer', 'b5'],
    });
  });

  it('after a compression hides the carried-over row together with the one it repeats', async () => {
    const world = await three();
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'One.', summarisedUpTo: 'a-t1', now: 50 });
    const summarised = refusal(() => rewind(world, 'u-t1'));
    const { hidden } = rewind(world, 'u-t3');
    expect({
      summarised,
      touched: hidden,
      active: activeUids(world.db, 's2'),
      shown: world.db.readTranscript({ sessionId: 's2', limit: 20 }).messages.map(({ uid }) => uid),
      counts: world.db.listSessions({ limit: 1 }).map(({ turnCount, messageCount }) => [turnCount, messageCount]),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      summarised: 'invalid',
      touched: ['u-t3', 'a-t3', 's2/u-t3', 's2/a-t3'],
      active: ['s2/handoff', 's2/u-t2', 's2/a-t2'],
      shown: ['u-t1', 'a-t1', 'u-t2', 'a-t2', 's2/handoff'],
      counts: [[2, 4]],
      problems: [],
    });
  });

  it('B100, B102 is durable, and the hidden rows stay in the file', async () => {
    const world = await three();
    rewind(world, 'u-t3');
    const found = await world.reopened();
    expect([activeUids(found.db), found.db.repairTranscript('s1').messages, lines(found.db).length]).toEqual([
      ['u-t1', 'a-t1', 'u-t2', 'a-t2'],
      [],
      6,
    ]);
  });

  it('B101 after a turn without an answer hides the whole joined prompt', async () => {
    const world = await three();
    world.db.putMessages([prompt('u-x', 'and?', 't3'), answer('a-x', 'more', 't3')]);
    world.database.run("UPDATE messages SET active = 0 WHERE uid = 'a-t2'");
    world.db.repairTranscript('s1');
    const joined = activeUids(world.db);
    const { draft } = rewind(world, 'u-t2');
    expect({ joined, draft, active: activeUids(world.db) }).toEqual({
      joined: ['u-t1', 'a-t1', 'u-t2', 'a-t3', 'u-x', 'a-x'],
      draft: 'two?\n\nthree?',
      active: ['u-t1', 'a-t1'],
    });
  });

  it('happens completely or not at all when the power fails, at every write of it', async () => {
    const outcomes = await afterEveryFailure(
      three,
      (world) => rewind(world, 'u-t2'),
      ({ db }) => `${activeUids(db).join(' ')} ${db.listSessions({ limit: 1 })[0]?.turnCount}`,
    );
    expect(outcomes).toEqual(['u-t1 a-t1 1', 'u-t1 a-t1 u-t2 a-t2 u-t3 a-t3 3']);
  });
});

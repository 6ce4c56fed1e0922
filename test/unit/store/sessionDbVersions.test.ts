import { describe, expect, it } from 'vitest';
import type { SimulatedDisk } from '../../support/simulatedDisk';
import {
  activeUids,
  afterEveryFailure,
  answered,
  lines,
  openTurn,
  refusal,
  sentence,
  settle,
  threeTurns as three,
  stopped,
  visibilityOf,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

const edited = (turnUid: string) => ({ replaces: { turnUid, reason: 'edited' as const } });
const retried = (turnUid: string) => ({ replaces: { turnUid, reason: 'retried' as const } });
const show = ({ db }: SessionDbWorld, turnUid: string, sessionId = 's1') =>
  db.showVersion({ sessionId, turnUid, now: 80 });
const prompts = ({ db }: SessionDbWorld, sessionId = 's1') =>
  activeUids(db, sessionId)
    .filter((uid) => uid.includes('u-'))
    .map((uid) => uid.replace(/.*u-/, ''));

describe('versions of a prompt', () => {
  it('B103, B192 an edit of the first prompt keeps everything after it, to be shown again', async () => {
    const world = await three();
    answered(world.db, 't4', 'ONE', edited('t1'));
    const withEdit = {
      active: activeUids(world.db),
      versions: world.db.promptVersions('s1'),
      lines: lines(world.db),
      turns: world.db.listSessions({ limit: 1 })[0]?.turnCount,
    };
    const touched = show(world, 't1').map((uid) => `${uid} ${visibilityOf(world, uid)}`);
    expect({
      withEdit,
      touched,
      active: activeUids(world.db),
      versions: world.db.promptVersions('s1'),
      turns: world.db.listSessions({ limit: 1 })[0]?.turnCount,
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      withEdit: {
        active: ['u-t4', 'a-t4'],
        versions: [{ turnUid: 't4', versions: ['t1', 't4'] }],
        turns: 1,
        lines: [
          'user (edited): one?',
          'assistant (edited): one',
          'user (edited): two?',
          'assistant (edited): two',
          'user (edited): three?',
          'assistant (edited): three',
          'user: ONE?',
          'assistant: ONE',
        ],
      },
      touched: [
        'u-t4 edited',
        'a-t4 edited',
        'u-t1 shown',
        'a-t1 shown',
        'u-t2 shown',
        'a-t2 shown',
        'u-t3 shown',
        'a-t3 shown',
      ],
      active: ['u-t1', 'a-t1', 'u-t2', 'a-t2', 'u-t3', 'a-t3'],
      versions: [{ turnUid: 't1', versions: ['t1', 't4'] }],
      turns: 3,
      problems: [],
    });
  });

  it('are listed oldest first, whichever one they were made from', async () => {
    const world = await three();
    answered(world.db, 't4', 'three, again', retried('t3'));
    answered(world.db, 't5', 'three, once more', retried('t4'));
    show(world, 't3');
    answered(world.db, 't6', 'THREE', edited('t3'));
    expect([
      world.db.promptVersions('s1'),
      world.db.readTranscript({ sessionId: 's1', limit: 2 }).versions,
      world.db.readTranscript({ sessionId: 's1', limit: 2, before: 1 }).versions,
    ]).toEqual([
      [{ turnUid: 't6', versions: ['t3', 't4', 't5', 't6'] }],
      [{ turnUid: 't6', versions: ['t3', 't4', 't5', 't6'] }],
      [],
    ]);
  });

  it('are none for a retried try without one word, unless later turns or other words are kept with it', async () => {
    const world = await three();
    const failed = (turnUid: string, replaced: string, reason: 'retried' | 'edited', asked = 'three?'): void => {
      openTurn(world.db, {
        turnUid,
        sessionId: 's1',
        text: asked,
        startedAt: 2,
        replaces: { turnUid: replaced, reason },
      });
      settle(world.db, turnUid, { outcome: 'failed', stopReason: 'error', failure: null });
    };
    failed('t4', 't3', 'retried');
    answered(world.db, 't5', 'three, again', retried('t4'));
    const afterRetry = world.db.promptVersions('s1');
    failed('t6', 't5', 'edited', 'THREE?');
    answered(world.db, 't7', 'Three', edited('t6'));
    expect([afterRetry, world.db.promptVersions('s1')]).toEqual([
      [{ turnUid: 't5', versions: ['t3', 't5'] }],
      [{ turnUid: 't7', versions: ['t3', 't5', 't6', 't7'] }],
    ]);
  });

  it('inside a version keep their choice while another one is shown', async () => {
    const world = await three();
    answered(world.db, 't4', 'three, again', retried('t3'));
    show(world, 't3');
    answered(world.db, 't5', 'TWO', edited('t2'));
    answered(world.db, 't6', 'aside');
    const outside = { prompts: prompts(world), versions: world.db.promptVersions('s1') };
    show(world, 't2');
    const back = { prompts: prompts(world), versions: world.db.promptVersions('s1') };
    show(world, 't4');
    show(world, 't5');
    expect({ outside, back, there: prompts(world), problems: world.db.verifyIntegrity() }).toEqual({
      outside: { prompts: ['t1', 't5', 't6'], versions: [{ turnUid: 't5', versions: ['t2', 't5'] }] },
      back: {
        prompts: ['t1', 't2', 't3'],
        versions: [
          { turnUid: 't2', versions: ['t2', 't5'] },
          { turnUid: 't3', versions: ['t3', 't4'] },
        ],
      },
      there: ['t1', 't5', 't6'],
      problems: [],
    });
    show(world, 't2');
    expect(prompts(world)).toEqual(['t1', 't2', 't4']);
  });

  it('do not restore what was rewound', async () => {
    const world = await three();
    world.db.rewindSession({ sessionId: 's1', to: 'u-t3', now: 70 });
    answered(world.db, 't4', 'TWO', edited('t2'));
    show(world, 't2');
    expect(prompts(world)).toEqual(['t1', 't2']);
  });

  it('of a prompt whose words were changed where it was joined are refused, and nothing changes', async () => {
    const world = await three();
    world.database.run("UPDATE messages SET active = 0, hidden_reason = 'dropped' WHERE uid = 'a-t2'");
    world.db.repairTranscript('s1');
    world.database.run(`UPDATE messages SET parts = '[{"kind":"text","text":"two? and three?"}]' WHERE uid = 'u-t2'`);
    const before = lines(world.db);
    expect([sentence(() => openTurn(world.db, { turnUid: 't8', ...retried('t3') })), lines(world.db)]).toEqual([
      'This prompt was merged with the one before it, so it can’t be edited separately. Nothing was changed.',
      before,
    ]);
  });

  it('after a compression include carried-over rows, on both sides of the boundary', async () => {
    const world = await three();
    world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'One.', summarisedUpTo: 'a-t1', now: 50 });
    const summarised = refusal(() => openTurn(world.db, { sessionId: 's2', turnUid: 't8', ...edited('t1') }));
    answered(world.db, 't4', 'TWO', { sessionId: 's2', ...edited('t2') });
    const shown = () => world.db.readTranscript({ sessionId: 's1', limit: 20 }).messages.map(({ uid }) => uid);
    const replaced = { shown: shown(), active: activeUids(world.db, 's2') };
    show(world, 't2');
    expect({
      summarised,
      replaced,
      shown: shown(),
      active: activeUids(world.db, 's2'),
      versions: world.db.promptVersions('s2'),
      problems: world.db.verifyIntegrity(),
    }).toEqual({
      summarised: 'invalid',
      replaced: { shown: ['u-t1', 'a-t1', 's2/handoff', 'u-t4', 'a-t4'], active: ['s2/handoff', 'u-t4', 'a-t4'] },
      shown: ['u-t1', 'a-t1', 'u-t2', 'a-t2', 'u-t3', 'a-t3', 's2/handoff'],
      active: ['s2/handoff', 's2/u-t2', 's2/a-t2', 's2/u-t3', 's2/a-t3'],
      versions: [{ turnUid: 't2', versions: ['t2', 't4'] }],
      problems: [],
    });
  });

  it('are refused, with a sentence, while a turn is open, and when they do not exist', async () => {
    const world = await three();
    answered(world.db, 't4', 'three, again', retried('t3'));
    const notShown = sentence(() => openTurn(world.db, { turnUid: 't8', ...retried('t3') }));
    const none = sentence(() => show(world, 't1'));
    const same = show(world, 't4');
    openTurn(world.db, { turnUid: 't5', text: 'four?' });
    const busy = sentence(() => show(world, 't3'));
    const running = refusal(() => openTurn(world.db, { turnUid: 't8', ...retried('t5') }));
    settle(world.db, 't5', stopped);
    expect({ notShown, none, same, busy, running, prompts: prompts(world) }).toEqual({
      notShown: 'This message is no longer in the open session. Nothing was changed.',
      none: 'This message is no longer in the open session. Nothing was changed.',
      same: [],
      busy: 'This session is still answering. Stop it before you show another version.',
      running: 'conversation-busy',
      prompts: ['t1', 't2', 't4', 't5'],
    });
  });

  it('change completely or not at all when the power fails, at every write of it', async () => {
    const begin = async (disk: SimulatedDisk): Promise<SessionDbWorld> => {
      const world = await three(disk);
      answered(world.db, 't4', 'TWO', edited('t2'));
      return world;
    };
    const outcomes = await afterEveryFailure(
      begin,
      (world) => show(world, 't2'),
      (found) => `${prompts(found).join(' ')} of ${found.db.promptVersions('s1')[0]?.turnUid}`,
    );
    expect(outcomes).toEqual(['t1 t2 t3 of t2', 't1 t4 of t4']);
  });

  it('are opened completely or not at all when the power fails, at every write of it', async () => {
    const outcomes = await afterEveryFailure(
      three,
      (world) => openTurn(world.db, { turnUid: 't4', text: 'TWO?', ...edited('t2') }),
      ({ db }) => {
        db.recoverTurns();
        return activeUids(db).join(' ');
      },
    );
    expect(outcomes).toEqual(['u-t1 a-t1 u-t2 a-t2 u-t3 a-t3', 'u-t1 a-t1 u-t4 t4/closing']);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import {
  answer,
  complete,
  prompt,
  runningTurn,
  settle,
  sessionDbWorld,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

const wire = 'What is here?\n\n<memory-context>\nsecretword\n</memory-context>';
let world: SessionDbWorld;

beforeEach(async () => {
  world = await sessionDbWorld();
  runningTurn(world.db);
  world.db.setApiContent('u-t1', wire);
});

const answered = (): void => {
  settle(world.db, 't1', complete, [answer('a1', 'Files.', 't1')]);
};

describe('the exact text a prompt was sent with', () => {
  it('is kept for the next request, even with half a surrogate pair that cannot be stored', () => {
    expect(world.db.apiContents('s1')).toEqual([{ messageUid: 'u-t1', text: wire }]);
    world.db.setApiContent('u-t1', 'cut \ud83c');
    expect(world.db.apiContents('s1')).toEqual([{ messageUid: 'u-t1', text: 'cut \ufffd' }]);
  });

  it('is in no message, page, search or revision', () => {
    answered();
    world.db.indexBatch(100);
    const shown = [
      world.db.activeMessages('s1'),
      world.db.getMessage('u-t1'),
      world.db.readTranscript({ sessionId: 's1', limit: 10, includeHidden: true }),
      world.db.listSessions({ limit: 5 }),
    ];
    expect([
      JSON.stringify(shown).includes('secretword'),
      world.db.search({ text: 'secretword', limit: 5 }),
      world.db.search({ text: 'cretwo', limit: 5 }),
    ]).toEqual([false, [], []]);
  });

  it('is deleted when its prompt changes or is no longer sent', () => {
    world.db.putMessages([prompt('u-t1', 'What else?', 't1')]);
    expect(world.db.apiContents('s1')).toEqual([]);
    world.db.setApiContent('u-t1', wire);
    answered();
    world.db.rewindSession({ sessionId: 's1', to: 'u-t1', now: 60 });
    expect(world.db.apiContents('s1')).toEqual([]);
  });

  it('is carried along when its prompt is carried over a compression or copied into a branch', () => {
    answered();
    runningTurn(world.db, { turnUid: 't2', text: 'And there?' });
    world.db.setApiContent('u-t2', 'And there? (recalled)');
    settle(world.db, 't2', complete, [answer('a2', 'More files.', 't2')]);
    world.db.branchSession({ sessionId: 's1', upTo: 'a1', childId: 'b1', now: 60 });
    world.db.compressSession({
      parentId: 's1',
      childId: 's2',
      handoff: 'Files were listed.',
      summarisedUpTo: 'a1',
      now: 70,
    });
    expect([world.db.apiContents('b1').map(({ text }) => text), world.db.apiContents('s2')]).toEqual([
      [wire],
      [{ messageUid: 's2/u-t2', text: 'And there? (recalled)' }],
    ]);
  });
});

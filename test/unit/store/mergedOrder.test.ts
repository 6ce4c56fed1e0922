import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { mergedOrder } from '../../../src/store/session/import/mergedOrder';
import { rowsOf } from '../../../src/store/session/import/storeImport';
import { answered, lines, openTurn, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

let here: SessionDbWorld;
let other: SessionDbWorld;
beforeEach(async () => {
  here = await sessionDbWorld();
  other = await sessionDbWorld();
  for (const { db } of [here, other]) {
    db.createSession({ id: 's1', startedAt: 1 });
    answered(db, 't1', 'one');
  }
});

describe('one order for rows of two stores', () => {
  it("is the other store's order; a row that only this store has follows the same row as before", () => {
    const uids = fc.uniqueArray(fc.constantFrom(...'abcdefghij'), { maxLength: 10 });
    fc.assert(
      fc.property(uids, uids, (ours, theirs) => {
        const merged = mergedOrder(ours, theirs);
        expect([...merged].sort()).toEqual([...new Set([...ours, ...theirs])].sort());
        expect(merged.filter((uid) => theirs.includes(uid))).toEqual(theirs);
        for (const [index, uid] of ours.entries()) {
          if (!theirs.includes(uid)) expect(merged[merged.indexOf(uid) - 1]).toBe(ours[index - 1]);
        }
      }),
    );
  });
});

describe('merging a newer copy of the same store into an older one', () => {
  it('puts missing turns before the one that was asked since', () => {
    answered(other.db, 't2', 'two');
    answered(other.db, 't3', 'three');
    // The turn that ran while the files changed: it is in both.
    openTurn(other.db, { turnUid: 't4', text: 'four' });
    answered(here.db, 't4', 'four');
    answered(here.db, 't5', 'five');
    const report = here.db.mergeFrom(rowsOf(other.database));
    const turns = (uids: readonly string[]) =>
      here.db
        .readTranscript({ sessionId: 's1', limit: 99 })
        .turns.map(({ uid }) => uid)
        .filter((uid) => uids.includes(uid));
    const prompts = lines(here.db).filter((line) => line.startsWith('user: '));
    const before = lines(here.db);
    here.db.mergeFrom(rowsOf(other.database));
    expect({
      report,
      prompts,
      turns: turns(['t1', 't2', 't3', 't4', 't5']),
      again: lines(here.db),
      sound: here.db.verifyIntegrity(),
      state: here.db.getTurn('t4'),
    }).toMatchObject({
      report: { sessions: 0, turns: 2 },
      prompts: ['user: one?', 'user: two?', 'user: three?', 'user: four?', 'user: five?'],
      turns: ['t1', 't2', 't3', 't4', 't5'],
      again: before,
      sound: [],
      state: { outcome: 'complete' },
    });
  });

  it('hides the wording of a prompt that was edited since', () => {
    answered(other.db, 't2', 'ONE', { replaces: { turnUid: 't1', reason: 'edited' } });
    here.db.mergeFrom(rowsOf(other.database));
    expect({ lines: lines(here.db), versions: here.db.promptVersions('s1'), sound: here.db.verifyIntegrity() }).toEqual(
      { lines: lines(other.db), versions: other.db.promptVersions('s1'), sound: [] },
    );
  });

  it('drops a queued prompt that was answered in the other store', () => {
    here.db.enqueue({ uid: 'u-t2', sessionId: 's1', text: 'two', createdAt: 3 });
    answered(other.db, 't2', 'two');
    here.db.mergeFrom(rowsOf(other.database));
    expect({ queue: here.db.queue('s1'), lines: lines(here.db) }).toEqual({ queue: [], lines: lines(other.db) });
  });
});

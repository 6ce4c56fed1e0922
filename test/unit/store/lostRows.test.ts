import { describe, expect, it } from 'vitest';
import type { SqlRow } from '../../../src/store/engine/sqlDatabase';
import { answered, lines, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

/** A conversation of two segments, with a prompt that was asked twice. */
async function whole(): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  world.db.createSession({ id: 's1', startedAt: 1, title: 'The parser' });
  answered(world.db, 't1', 'one');
  answered(world.db, 't2', 'two');
  world.db.compressSession({ parentId: 's1', childId: 's2', handoff: 'A summary', summarisedUpTo: 'a-t1', now: 9 });
  answered(world.db, 't3', 'three', { sessionId: 's2' });
  answered(world.db, 't4', 'four', { sessionId: 's2', replaces: { turnUid: 't3', reason: 'retried' } });
  return world;
}

/** The store that is made of what is left without some rows. */
async function salvaged(isLost: (table: string, row: SqlRow) => boolean): Promise<SessionDbWorld> {
  const [{ database }, found] = [await whole(), await sessionDbWorld()];
  found.db.mergeFrom({
    rows: (table) => database.all(`SELECT * FROM ${table}`).filter((row) => !isLost(table, row)),
  });
  return found;
}

describe('a store of which single rows are lost', () => {
  it('keeps a conversation together whose first segment is lost', async () => {
    const { db } = await salvaged((table, { id }) => table === 'sessions' && id === 's1');
    expect([db.getSession('s2')?.conversationId, db.conversationTip('s1'), db.getSession('s1')?.title]).toEqual([
      's1',
      's2',
      'The parser',
    ]);
    expect([lines(db, 's1'), db.verifyIntegrity()]).toEqual([lines((await whole()).db, 's1'), []]);
  });

  it('shows the copy of a message that is lost', async () => {
    const { db } = await salvaged((table, { uid }) => table === 'messages' && uid === 'a-t2');
    const carried = db.activeMessages('s2').filter(({ carriedFrom }) => carriedFrom !== null);
    expect(carried.map(({ uid }) => uid)).toEqual(['s2/u-t2']);
    expect(db.verifyIntegrity()).toEqual([]);
  });

  it('shows what is hidden with a turn that is lost', async () => {
    const { db } = await salvaged((table, { uid }) => table === 'turns' && uid === 't3');
    expect(lines(db, 's2').slice(-4)).toEqual(['user: three?', 'assistant: three', 'user: four?', 'assistant: four']);
    expect(db.verifyIntegrity().map(({ id }) => id)).toEqual(['brokenLink', 'brokenLink']);
  });

  it('changes nothing of one that is whole', async () => {
    const [{ db: before }, { db }] = [await whole(), await salvaged(() => false)];
    expect([lines(db, 's1'), lines(db, 's2'), db.verifyIntegrity()]).toEqual([
      lines(before, 's1'),
      lines(before, 's2'),
      [],
    ]);
  });
});

import { readWhole } from '../../../src/store/engine/fileSystem';
import type { SimulatedDisk } from '../../support/simulatedDisk';
import {
  answer,
  answered,
  append,
  chunk,
  outboxEntry,
  runningTurn,
  sessionDbWorld,
  settle,
  type SessionDbWorld,
} from '../../support/sessionDbWorld';

export const secret = 'xylophonic';

/** One session that says the secret in every place a session can, and one that does not. */
export async function secretive(disk?: SimulatedDisk, turns = 2): Promise<SessionDbWorld> {
  const world = await sessionDbWorld(disk);
  const { db } = world;
  db.createSession({ id: 'other', startedAt: 1 });
  answered(db, 'to', 'harmless words', { sessionId: 'other' });
  runningTurn(db, { text: `What is ${secret}?` });
  for (let seq = 1; seq <= turns + 2; seq++)
    append(db, 't1', chunk('a1', seq, (seq - 1) * 30, `${secret} ${'and so on, and on'.padEnd(19)}`));
  settle(db, 't1');
  db.putMessages([answer('b1', `draft of ${secret}`, 't1')]);
  db.putMessages([answer('b1', `draft of ${secret}, said ${'at length '.repeat(70 * turns)}`, 't1')]);
  for (let turn = 2; turn <= turns; turn++) answered(db, `t${turn}`, `${secret} number ${turn}`);
  while (db.indexBatch(50) > 0);
  answered(db, 'te', `TWO ${secret}`, { replaces: { turnUid: 't2', reason: 'edited' } });
  db.compressSession({
    parentId: 's1',
    childId: 's2',
    handoff: `All about ${secret}.`,
    summarisedUpTo: 'u-t1',
    now: 50,
  });
  db.setTitle('s2', `On ${secret}`, 'person');
  db.enqueue({ uid: 'q', sessionId: 's2', text: `and ${secret}?`, createdAt: 5 });
  db.setDraft('s2', `still ${secret}`);
  db.setDraft('edit/t3/s1', `rather ${secret}`);
  db.outboxAdd({ ...outboxEntry('o1', 's1'), payload: `"${secret}"` });
  db.setMeta('p/cursor/s2', secret);
  db.setMeta('p/cursor/other', 'kept');
  db.createSession({ id: 'helper', startedAt: 6, parentSessionId: 's2', parentKind: 'delegate' });
  answered(db, 'th', `${secret} by a helper`, { sessionId: 'helper' });
  return world;
}

/** Files of the store's folder that hold the secret, in any case. */
export function leaks({ disk }: SessionDbWorld): readonly string[] {
  return disk.list('/store').filter((name) =>
    Buffer.from(readWhole(disk, `/store/${name}`))
      .toString('latin1')
      .toLowerCase()
      .includes(secret),
  );
}

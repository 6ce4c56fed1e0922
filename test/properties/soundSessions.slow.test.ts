import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkOwn } from '../../src/history/check/stores/ownCheck';
import {
  answer,
  answered,
  call,
  chunk,
  openTurn,
  result,
  sessionDbWorld,
  settle,
  stopped,
  type SessionDbWorld,
} from '../support/sessionDbWorld';

const text = fc.constantFrom('ok', 'Yes.', '', 'A longer answer with words.', '(empty)', '🙂 é');
const step = fc.record({
  kind: fc.constantFrom('turn', 'tools', 'stream', 'retry', 'rewind', 'compress', 'branch', 'index'),
  text,
  isStopped: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One session in the hands of the product's own operations. */
class SoundSession {
  private tip = 's1';
  private last: string | null = null;
  private count = 0;

  constructor(private readonly world: SessionDbWorld) {
    world.db.createSession({ id: this.tip, startedAt: 1 });
  }

  run({ kind, text: words, isStopped }: Step): void {
    const { db } = this.world;
    const turnUid = `t${++this.count}`;
    const sessionId = this.tip;
    const ended = isStopped ? stopped : undefined;
    switch (kind) {
      case 'turn':
        openTurn(db, { sessionId, turnUid, text: words || 'Go on' });
        settle(db, turnUid, ended, words === '' ? [] : [answer(`a-${turnUid}`, words, turnUid, sessionId)]);
        return void (this.last = turnUid);
      case 'tools': {
        openTurn(db, { sessionId, turnUid });
        const ids = [`${turnUid}x`, `${turnUid}y`];
        db.putMessages([
          {
            ...answer(
              `a-${turnUid}`,
              ids.map((id) => call(id)),
              turnUid,
            ),
            sessionId,
          },
        ]);
        if (!isStopped) db.putMessages(ids.map((id) => ({ ...result(`r-${id}`, id, words, turnUid), sessionId })));
        settle(db, turnUid, ended);
        return void (this.last = turnUid);
      }
      case 'stream':
        openTurn(db, { sessionId, turnUid });
        if (words !== '')
          db.appendChunks({
            sessionId,
            turnUid,
            model: 'm',
            createdAt: 2,
            chunks: [chunk(`a-${turnUid}`, 1, 0, words)],
          });
        if (isStopped) db.recoverTurns();
        else settle(db, turnUid);
        return void (this.last = turnUid);
      case 'retry':
        if (this.last === null) return;
        answered(db, turnUid, words || 'Again', { sessionId, replaces: { turnUid: this.last, reason: 'retried' } });
        return void (this.last = turnUid);
      case 'rewind':
        if (this.last === null) return;
        db.rewindSession({ sessionId, to: `u-${this.last}`, now: 5 });
        return void (this.last = null);
      case 'compress': {
        const rows = db.activeMessages(sessionId);
        const border = rows.findLast(({ role }, index) => role === 'assistant' && rows[index + 1]?.role !== 'tool');
        if (border === undefined) return;
        this.tip = `${sessionId}+`;
        db.compressSession({
          parentId: sessionId,
          childId: this.tip,
          handoff: 'Until here.',
          summarisedUpTo: border.uid,
          now: 3,
        });
        return void (this.last = null);
      }
      case 'branch': {
        const [first] = db
          .activeMessages(sessionId)
          .filter(({ role, visibility }) => role === 'user' && visibility.kind === 'shown');
        if (first === undefined) return;
        db.branchSession({ sessionId, childId: `b${this.count}`, upTo: first.uid, now: 4 });
        return;
      }
      case 'index':
        return void db.indexBatch(5);
    }
  }
}

test('a check finds nothing in sessions that the store wrote itself', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const world = await sessionDbWorld();
      const session = new SoundSession(world);
      for (const one of steps) session.run(one);
      const { findings } = await checkOwn(world.database, '/store');
      world.database.close();
      expect(findings).toEqual([]);
    }),
    { numRuns: 500 },
  );
}, 120_000);

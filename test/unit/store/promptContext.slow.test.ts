import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Summarizer } from '../../../src/agent/compression/summarizer';
import { silentLog } from '../../../src/base/log';
import { contextUse } from '../../../src/transcript/contextUse';
import { ManualClock } from '../../support/manualClock';
import { answered, openTurn, sessionDbWorld, type SessionDbWorld } from '../../support/sessionDbWorld';

const usages = [
  null,
  null,
  '{"inputTokens":3000,"outputTokens":900}',
  '{"inputTokens":1000,"outputTokens":null}',
  '{"inputTokens":0,"outputTokens":7}',
  '{"inputTokens":null,"outputTokens":50}',
  'no JSON',
];

/** A session of so many turns whose answers are counted, hidden and carried at random. */
async function history(turns: number, random: readonly number[]): Promise<SessionDbWorld> {
  const world = await sessionDbWorld();
  world.db.createSession({ id: 's1', startedAt: 1 });
  for (let turn = 0; turn < turns; turn++) answered(world.db, `t${turn}`, `Answer ${turn}. `.repeat((turn % 7) * 40));
  const uids = world.db.activeMessages('s1').map(({ uid }) => uid);
  for (const [index, uid] of uids.entries()) {
    const dice = random[index % random.length] ?? 0;
    world.database.run('UPDATE messages SET usage = ?, carried_from = ?, active = ? WHERE uid = ?', [
      usages[dice % usages.length] ?? null,
      dice % 5 === 0 ? `earlier-${index}` : null,
      dice % 11 === 0 ? 0 : 1,
      uid,
    ]);
  }
  return world;
}

describe('what a prompt depends on', () => {
  it('has the tokens that the active rows have, and so the decision to compress is the same, whatever the history', async () => {
    const summarizer = new Summarizer({ clock: new ManualClock(), log: silentLog });
    let due = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.nat(5000), { minLength: 1, maxLength: 40 }),
        fc.constantFrom(null, 1000, 4000, 100_000),
        async (turns, random, window) => {
          const { db } = await history(turns, random);
          const rows = db.activeMessages('s1');
          const use = contextUse(rows);
          const { historyTokens } = db.promptContext('s1', null);
          expect(historyTokens).toBe(use.tokens);
          const isDue = summarizer.isDue({ conversationId: 's1', rows, memo: null }, window);
          if (isDue) due++;
          expect(isDue && !(historyTokens !== null && summarizer.mayBeDue(historyTokens, window))).toBe(false);
        },
      ),
      {
        numRuns: 60,
        // Of these it is due, whatever the others are.
        examples: [20, 30, 40, 50].map((turns): [number, number[], 1000] => [turns, [2], 1000]),
      },
    );
    expect(due).toBeGreaterThan(3);
  });

  it('is of the newest segment, from whichever the session is named', async () => {
    const { db } = await sessionDbWorld();
    db.createSession({ id: 's1', startedAt: 1 });
    for (const turn of ['t1', 't2', 't3']) answered(db, turn, 'It is here.');
    db.compressSession({ parentId: 's1', childId: 's2', handoff: 'Summary.', summarisedUpTo: 'a-t2', now: 9 });
    openTurn(db, { sessionId: 's2', turnUid: 't4' });
    const expected = { session: db.getSession('s2'), openTurn: db.getTurn('t4'), isSubAgent: false };
    expect([db.promptContext('s1', null), db.promptContext('s2', null)]).toMatchObject([expected, expected]);
  });
});

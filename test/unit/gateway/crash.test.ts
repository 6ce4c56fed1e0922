import { expect, test } from 'vitest';
import { runHostTrials } from '../../crash/hostTrials';

test('a process that is killed in the middle of its turns has lost nothing of what it showed, and the next turn is accepted', async () => {
  const { shownChars, requests, killedInTurn, killedWhileOpening, ...found } = await runHostTrials(10, 31);
  expect(found).toEqual({ trials: 10, lostChars: 0, duplicatedChars: 0, corrupt: 0, lostPrompts: 0, lostRows: 0, invalidHistories: 0, refusedRequests: 0 });
  expect({ shown: shownChars > 0, asked: requests > 0, inTurn: killedInTurn > 0, notOnlyEarly: killedWhileOpening < 10 }).toEqual({ shown: true, asked: true, inTurn: true, notOnlyEarly: true });
}, 120_000);

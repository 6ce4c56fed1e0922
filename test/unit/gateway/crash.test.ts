import { expect, test } from 'vitest';
import { runHostTrials } from '../../crash/hostTrials';

test('a process that is killed in the middle of its turns and compressions has lost nothing of what it showed, and the next turn is accepted', async () => {
  const {
    shownChars,
    requests,
    killedInTurn,
    killedWhileOpening,
    summaries,
    compressions,
    turnsAcrossSegments,
    ...found
  } = await runHostTrials(30, 31);
  expect(found).toEqual({
    trials: 30,
    lostChars: 0,
    duplicatedChars: 0,
    corrupt: 0,
    lostPrompts: 0,
    lostRows: 0,
    invalidHistories: 0,
    refusedRequests: 0,
    brokenChains: 0,
  });
  const happened = {
    shown: shownChars > 0,
    asked: requests > 0,
    inTurn: killedInTurn > 0,
    notOnlyEarly: killedWhileOpening < 30,
    compressed: compressions > 0,
    inATurn: turnsAcrossSegments > 0,
    summarised: summaries > 0,
  };
  expect(happened).toEqual({
    shown: true,
    asked: true,
    inTurn: true,
    notOnlyEarly: true,
    compressed: true,
    inATurn: true,
    summarised: true,
  });
}, 600_000);

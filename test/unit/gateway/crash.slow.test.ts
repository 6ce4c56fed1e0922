import { expect, test } from 'vitest';
import { runEnterTrials } from '../../crash/enterTrials';
import { runHostTrials } from '../../crash/hostTrials';

test('a process that is killed during turns and compressions loses nothing it showed, and the next turn is accepted', async () => {
  const {
    shownChars,
    requests,
    killedInTurn,
    killedWhileOpening,
    summaries,
    compressionScheduler,
    turnsAcrossSegments,
    ...found
  } = await runHostTrials(20, 31);
  expect(found).toEqual({
    trials: 20,
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
    notOnlyEarly: killedWhileOpening < 20,
    compressed: compressionScheduler > 0,
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

test('typed text is found once, as a prompt, in the queue or in the composer, if the host is killed or the page reloads around Enter', async () => {
  const { texts, stored, queued, inComposer, lost, doubled, otherDrafts, found, ...happened } = await runEnterTrials(
    10,
    3,
  );
  expect({ lost, doubled, otherDrafts, found, places: stored + queued + inComposer }).toEqual({
    lost: 0,
    doubled: 0,
    otherDrafts: 0,
    found: [],
    places: texts,
  });
  expect([happened.trials, happened.kills > 0, happened.reloads > 0]).toEqual([10, true, true]);
}, 600_000);

import { expect, test } from 'vitest';
import { runEnterTrials } from '../../crash/enterTrials';
import { runHostTrials } from '../../crash/hostTrials';

test('a process that is killed during turns and compressions loses nothing it showed, and the next turn is accepted', async () => {
  const { shownChars, requests, killedInTurn, compressionScheduler, ...found } = await runHostTrials(10, 31);
  expect(found).toMatchObject({
    trials: 10,
    lostChars: 0,
    duplicatedChars: 0,
    corrupt: 0,
    lostPrompts: 0,
    lostRows: 0,
    invalidHistories: 0,
    refusedRequests: 0,
    brokenChains: 0,
  });
  // Where kills fell depends on the machine: rarer places are asked for where a thousand of them run.
  expect([shownChars, requests, killedInTurn, compressionScheduler].map((count) => count > 0)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test('typed text is found once, as a prompt, in the queue or in the composer, if the host is killed or the page reloads around Enter', async () => {
  const { texts, stored, queued, inComposer, lost, doubled, otherDrafts, found, ...happened } = await runEnterTrials(
    5,
    3,
  );
  expect({ lost, doubled, otherDrafts, found, places: stored + queued + inComposer }).toEqual({
    lost: 0,
    doubled: 0,
    otherDrafts: 0,
    found: [],
    places: texts,
  });
  expect([happened.trials, happened.kills > 0, happened.reloads > 0]).toEqual([5, true, true]);
});

import { describe, expect, test } from 'vitest';
import {
  afterContent,
  afterScroll,
  followFromStart,
  stopFollowing,
  toBottom,
  wantsEarlier,
  type ScrollMetrics,
} from '../../../../../src/webview/chat/feed/scrollFollow';

const at = (top: number, content = 1000): ScrollMetrics => ({ top, viewport: 400, content });
const followedTo = (...places: readonly ScrollMetrics[]) => places.reduce(afterScroll, followFromStart);

describe('following the text', () => {
  test('stops when the user moves up, and continues at the end', () => {
    const steps = [followedTo(at(600)), followedTo(at(600), at(500)), followedTo(at(600), at(500), at(595))];
    expect(steps.map((step) => step.following)).toEqual([true, false, true]);
  });

  test('does not stop when the text grew before our own scrolling was reported', () => {
    expect(followedTo(at(600), at(600, 1400)).following).toBe(true);
  });

  test('does not stop when content above was removed and the position shrank with it', () => {
    expect(followedTo(at(600), at(300, 800)).following).toBe(true);
  });

  test('does not restart at the first pixels of a move up', () => {
    const turnedAway = stopFollowing(followedTo(at(600)));
    expect([
      afterScroll(turnedAway, at(597)).following,
      afterScroll(afterScroll(turnedAway, at(597)), at(600)).following,
    ]).toEqual([false, true]);
  });

  test('counts what arrived since the user moved away, and forgets it at the end', () => {
    const away = followedTo(at(600), at(100));
    const counted = afterContent(afterContent(away, 1), 2);
    expect([counted.newCount, afterContent(followFromStart, 3).newCount, toBottom(counted)]).toMatchObject([
      3,
      0,
      { following: true, newCount: 0 },
    ]);
  });

  test('fetches the page before only near the start and where there is one', () => {
    expect([wantsEarlier(at(100), true), wantsEarlier(at(100), false), wantsEarlier(at(500), true)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

import { describe, expect, test } from 'vitest';
import type { FoundInSession, FoundText } from '../../../../../src/protocol/feedProtocol';
import { ConversationFind, type FindQuery } from '../../../../../src/webview/chat/feed/conversationFind';
import { ManualClock } from '../../../../support/manualClock';

const found = (messageUid: string, position: number, count: number): FoundText => ({
  messageUid,
  turnUid: null,
  position,
  kind: 'text',
  part: 0,
  callId: null,
  count,
});
const answer = (...texts: readonly FoundText[]): FoundInSession => ({ found: texts, more: false, superseded: false });

/** A search whose host is played by the test. */
function searching(position = 0) {
  const asked: {
    readonly query: FindQuery;
    readonly answer: (result: FoundInSession) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  const shown: string[] = [];
  const stops: string[] = [];
  const clock = new ManualClock(0);
  const find = new ConversationFind({
    timers: { nowMs: () => clock.now() * 1000, after: (delayMs, callback) => clock.after(delayMs, callback) },
    find: (query) => new Promise((resolve, reject) => asked.push({ query, answer: resolve, fail: reject })),
    stop: () => void stops.push('stop'),
    position: () => position,
    show: ({ found: { messageUid }, nth }) => shown.push(`${messageUid}:${nth}`),
    sentenceOf: (error) => (error instanceof Error ? error.message : ''),
  });
  const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));
  const pause = async (): Promise<void> => {
    await clock.advance(200);
    await settle();
  };
  return { find, asked, shown, stops, pause, settle };
}

describe('finding words', () => {
  test('asks once typing pauses, and shows the first match at or after the reading position', async () => {
    const { find, asked, shown, pause, settle } = searching(5);
    find.search({ text: 'a' });
    find.search({ text: 'ab' });
    await pause();
    asked[0]?.answer(answer(found('m1', 1, 2), found('m2', 6, 1), found('m3', 9, 1)));
    await settle();
    find.step(1);
    find.step(1);
    find.step(-1);
    expect([asked.map(({ query }) => query.text), shown, find.state.value.current]).toEqual([
      ['ab'],
      ['m2:0', 'm3:0', 'm1:0', 'm3:0'],
      3,
    ]);
  });

  test('ignores the answer to an earlier question', async () => {
    const { find, asked, shown, pause, settle } = searching();
    find.search({ text: 'a' });
    await pause();
    find.search({ matchCase: true });
    await pause();
    asked[1]?.answer(answer(found('m2', 2, 1)));
    asked[0]?.answer(answer(found('m1', 1, 1)));
    await settle();
    expect([shown, find.state.value.occurrences?.length]).toEqual([['m2:0'], 1]);
  });

  test.each(['while typing pauses', 'while the host searches'])(
    'shows the first match also when the conversation continues %s',
    async (when) => {
      const { find, asked, shown, pause, settle } = searching();
      find.search({ text: 'a' });
      if (when === 'while the host searches') await pause();
      find.refresh();
      await pause();
      asked.at(-1)?.answer(answer(found('m1', 1, 1)));
      await settle();
      expect([shown, find.state.value.current]).toEqual([['m1:0'], 0]);
    },
  );

  test('stays in place when the conversation continues', async () => {
    const { find, asked, shown, pause, settle } = searching();
    find.search({ text: 'a' });
    await pause();
    asked[0]?.answer(answer(found('m1', 1, 1), found('m2', 2, 1)));
    await settle();
    find.step(1);
    find.refresh();
    await pause();
    asked[1]?.answer(answer(found('m1', 1, 3), found('m2', 2, 1), found('m3', 3, 1)));
    await settle();
    expect([shown, find.state.value.current, find.state.value.occurrences?.length]).toEqual([['m1:0', 'm2:0'], 3, 5]);
  });

  test('shows the progress of a long search and its matches when stopped; closing ends it', async () => {
    const { find, asked, stops, pause, settle } = searching();
    find.progressed({ done: 1, total: 2 });
    find.search({ text: 'a' });
    await pause();
    const before = find.state.value.progress;
    find.progressed({ done: 400, total: 1000 });
    const during = find.state.value.progress;
    find.stop();
    asked[0]?.answer({ ...answer(found('m1', 1, 2)), more: true });
    await settle();
    const { progress, searching: isSearching, occurrences, more } = find.state.value;
    find.stop();
    find.end();
    const once = stops.length;
    find.search({ text: 'ab' });
    await pause();
    find.end();
    expect([before, during, progress, isSearching, occurrences?.length, more, once, stops.length]).toEqual([
      null,
      { done: 400, total: 1000 },
      null,
      false,
      2,
      true,
      1,
      2,
    ]);
  });

  test('shows an error, and nothing once the search is empty', async () => {
    const { find, asked, pause, settle } = searching();
    find.search({ text: 'a' });
    await pause();
    asked[0]?.fail(new Error('The store is gone.'));
    await settle();
    const failed = find.state.value;
    find.search({ text: ' ' });
    expect([failed.problem, failed.searching, find.state.value.problem, find.state.value.occurrences]).toEqual([
      'The store is gone.',
      false,
      null,
      null,
    ]);
  });
});

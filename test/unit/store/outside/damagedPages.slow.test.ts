import { describe, expect, it } from 'vitest';
import { chunkOf, openingTurn, settlingTurn, spoken } from '../ownership/turnBuilder';
import {
  answersIn,
  type OutsideWindow,
  outsideWorld,
  pageWith,
  said,
  session,
  spoilPage,
  tell,
  tellTurn,
  whenOpen,
} from './outsideWorld';

const world = outsideWorld();

/** A store of three sessions with five answers each, closed in order. */
async function storedSessions(): Promise<void> {
  const window = await world.openWindow();
  for (const name of [1, 2, 3]) await tell(window, name, 5);
  await window.store.close();
}

/** What a check finds, but for messages that go on in the damaged page: those are kept as they were found, and named. */
async function otherProblems({ store }: OutsideWindow): Promise<readonly string[]> {
  return (await store.verifyIntegrity()).filter((line) => !line.startsWith('a message cannot be read: '));
}

describe('a damaged page of the rows', () => {
  it('while the file is closed: the next window repairs it on first contact, without a question, and notifies the user', async () => {
    await storedSessions();
    spoilPage(world.main, pageWith(world.main, 'Answer of 2.2'));
    const window = await world.openWindow();
    await window.store.readTranscript({ sessionId: session(2), limit: 100 }).catch(() => undefined);
    await whenOpen(window);
    await tellTurn(window.store, 3, '3.new');
    const kept = await Promise.all([1, 2, 3].map((name) => answersIn(window, name)));
    expect({
      kept: kept.map(({ whole }) => whole),
      said: said(window),
      files: world.files(),
      problems: await otherProblems(window),
    }).toEqual({
      kept: [5, 4, 6],
      said: [
        expect.stringMatching(
          /^The session file was damaged\. Most of it was recovered \(3 sessions, \d+ messages\); some rows couldn’t be read\. The damaged file is kept at <path>\.$/,
        ),
      ],
      files: ['state.corrupt-<time>.db', 'state.db'],
      problems: [],
    });
  });

  it('while the file is closed, in the pages that opening reads: that opening repairs it', async () => {
    const first = await world.openWindow();
    await tell(first, 1, 5);
    await first.store.openTurn(openingTurn(session(1), 'running'));
    await first.store.checkpoint();
    world.killedNow('left');
    spoilPage(world.at('left', 'state.db'), pageWith(world.at('left', 'state.db'), 'Prompt of running'));
    const window = await world.openWindow('left');
    expect({
      said: said(window).map((text) => text.slice(0, 29)),
      whole: (await answersIn(window, 1)).whole >= 4,
      problems: await otherProblems(window),
    }).toEqual({
      said: ['The session file was damaged.'],
      whole: true,
      problems: [],
    });
  });

  it('while it is open, under a running turn: the turn continues, is complete afterwards, and the file is repaired', async () => {
    await storedSessions();
    const window = await world.openWindow();
    const { store } = window;
    await store.openTurn(openingTurn(session(1), 'now'));
    await store.activeMessages(session(1));
    await store.appendChunks(chunkOf(session(1), 'now', 1, 0, 'one '));
    spoilPage(world.main, pageWith(world.main, 'Answer of 2.2'));
    await store.readTranscript({ sessionId: session(2), limit: 100 }).catch(() => undefined);
    await store.appendChunks(chunkOf(session(1), 'now', 2, 4, 'two '));
    await whenOpen(window);
    await store.appendChunks(chunkOf(session(1), 'now', 3, 8, 'three'));
    const { turn } = await store.settleTurn(settlingTurn('now'));
    expect({
      outcome: turn.outcome,
      answer: spoken((await store.readTranscript({ sessionId: session(1), limit: 100 })).messages).at(-1),
      kept: await Promise.all([1, 2, 3].map(async (name) => (await answersIn(window, name)).whole)),
      said: said(window).map((text) => text.slice(0, 54)),
      problems: await otherProblems(window),
    }).toEqual({
      outcome: 'complete',
      answer: 'assistant: one two three',
      kept: [5, 4, 5],
      said: ['The session file was damaged. Most of it was recovered'],
      problems: [],
    });
  });
});

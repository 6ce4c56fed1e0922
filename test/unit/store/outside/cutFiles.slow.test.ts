import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { otherSqlite } from '../../../support/otherSqlite';
import { chunkOf, openingTurn, settlingTurn } from '../ownership/turnBuilder';
import { answersIn, outsideWorld, said, session, tell, tellTurn, whenOpen } from './outsideWorld';

const world = outsideWorld();
const halve = (file: string): void => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096);
const empty = (file: string): void => truncateSync(file, 0);
const overwrite = (file: string): void => writeFileSync(file, 'this is not a database '.repeat(100));

describe('a file that is truncated', () => {
  it.each([
    ['the file by half', () => halve(world.main), 'The session file had been cut off.'],
    ['the file to nothing', () => empty(world.main), 'The session file had been emptied.'],
    ['the log by half', () => halve(world.log), 'The session file was damaged.'],
    ['the log to nothing', () => empty(world.log), 'The session file was damaged.'],
    ['the file to another content', () => overwrite(world.main), 'The session file was damaged.'],
  ])(
    'while it is open, under a running turn: the turn is complete afterwards, and so is everything shown before, and the next window says nothing: %s',
    async (_name, cut, sentence) => {
      const window = await world.openWindow();
      const { store } = window;
      await tell(window, 1, 4);
      await store.openTurn(openingTurn(session(1), 'now'));
      await store.activeMessages(session(1));
      await store.appendChunks(chunkOf(session(1), 'now', 1, 0, 'one '));
      cut();
      await store.appendChunks(chunkOf(session(1), 'now', 2, 4, 'two '));
      await whenOpen(window);
      await store.appendChunks(chunkOf(session(1), 'now', 3, 8, 'three'));
      await store.settleTurn(settlingTurn('now'));
      await tellTurn(store, 1, 'next');
      const now = {
        answers: await answersIn(window, 1),
        said: said(window).map((text) => text.slice(0, sentence.length)),
        problems: await store.verifyIntegrity(),
      };
      await store.close();
      const later = await world.openWindow();
      expect({ now, later: { answers: await answersIn(later, 1), said: said(later) } }).toEqual({
        now: { answers: { whole: 5, others: ['one two three'] }, said: [sentence], problems: [] },
        later: { answers: { whole: 5, others: ['one two three'] }, said: [] },
      });
    },
  );

  it('by VACUUM of another program, while it is open: everything is recovered', async () => {
    const window = await world.openWindow();
    await tell(window, 1, 5);
    await window.store.checkpoint();
    await tell(window, 2, 5);
    await window.store.forgetSession(session(1));
    await tell(window, 3, 5);
    otherSqlite(world.main, 'VACUUM');
    await tellTurn(window.store, 2, '2.9');
    expect({
      answers: await Promise.all([2, 3].map((name) => answersIn(window, name))),
      said: said(window).map((text) => text.slice(0, 73)),
    }).toEqual({
      answers: [
        { whole: 6, others: [] },
        { whole: 5, others: [] },
      ],
      said: ['The session file had been cut off. All of its contents were recovered (2 '],
    });
  });

  it('while open, by a process killed before it notices: everything that the log holds is restored', async () => {
    const window = await world.openWindow();
    await window.store.checkpoint();
    await tell(window, 1, 2);
    world.killedNow('left');
    halve(world.at('left', 'state.db'));
    const next = await world.openWindow('left');
    expect(await answersIn(next, 1)).toEqual({ whole: 2, others: [] });
  });

  it('by half while it is closed: what remains is shown, and the file is kept', async () => {
    const window = await world.openWindow();
    await tell(window, 1, 40);
    await window.store.close();
    halve(world.main);
    const left = readFileSync(world.main);
    const next = await world.openWindow();
    const { whole } = await answersIn(next, 1);
    const kept = readdirSync(world.at('store')).find((name) => /^state\.corrupt-.*\.db$/.test(name)) ?? '';
    expect({
      said: said(next).map((text) => text.slice(0, 34)),
      some: whole > 0,
      kept: readFileSync(world.at('store', kept)).equals(left),
    }).toEqual({ said: ['The session file had been cut off.'], some: true, kept: true });
  });

  it('to nothing while it is closed: a new history begins, and the user is notified', async () => {
    const window = await world.openWindow();
    await tell(window, 1, 2);
    await window.store.close();
    empty(world.main);
    const next = await world.openWindow();
    await tell(next, 2, 1);
    expect({ said: said(next), answers: await answersIn(next, 2), files: world.files() }).toEqual({
      said: [
        expect.stringMatching(
          /^The session file was emptied or replaced by another program, so Hermes started a new history\. To restore your sessions, close this window and put a copy of the file at .*state\.db\./,
        ),
      ],
      answers: { whole: 1, others: [] },
      files: ['state.corrupt-<time>.db', 'state.db'],
    });
  });
});

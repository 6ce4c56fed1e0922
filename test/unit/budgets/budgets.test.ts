import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import budgets from './budgets.json';
import { CountedTurns, secondsOf, shownBytes } from './writtenBytes';

const long = { words: 2550, everyMs: 10 };
const short = { words: 222, everyMs: 2 };

/** Throws with the name of the budget and the figure. */
function keeps(name: keyof typeof budgets, value: number): void {
  const rounded = Math.round(value * 10) / 10;
  if (process.env['HERMES_BUDGETS'] === 'show') console.log(`${name}: ${rounded}, allowed ${budgets[name].most}`);
  if (!(value <= budgets[name].most)) throw new Error(`budget “${name}”: ${rounded}, allowed ${budgets[name].most}`);
}

let turns: CountedTurns;
beforeEach(async () => {
  turns = await CountedTurns.begin();
});
afterEach(() => turns.dispose());

describe('what a turn writes', () => {
  it('stays in its budgets while a long answer comes', async () => {
    await turns.turn(short);
    const { syncs, bytes } = await turns.turn(long);
    expect(syncs).toBeGreaterThan(secondsOf(long));
    keeps('syncs a second of a streamed answer', syncs / secondsOf(long));
    keeps('bytes written for a byte shown', bytes / shownBytes(long));
  });

  it('stays in its budgets for a short turn, also behind two hundred others', async () => {
    const written = [];
    for (let turn = 0; turn < 220; turn++) written.push(await turns.turn(short));
    const average = (of: readonly { readonly bytes: number }[]): number =>
      of.reduce((sum, { bytes }) => sum + bytes, 0) / of.length;
    keeps('syncs of a turn of 2 KB', Math.max(...written.slice(1, 21).map(({ syncs }) => syncs)));
    keeps('bytes of a turn of 2 KB', average(written.slice(1, 21)));
    keeps("growth of a turn's bytes", average(written.slice(200)) / average(written.slice(1, 21)));
  });
});

it('a figure above its budget is named', () => {
  expect(() => keeps('syncs of a turn of 2 KB', 11)).toThrow('budget “syncs of a turn of 2 KB”: 11, allowed 10');
});

import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, statfsSync, unlinkSync, writeFileSync, appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { chunkOf, openingTurn } from '../ownership/turnBuilder';
import { answersIn, outsideWorld, said, session, tell, tellTurn, whenOpen } from './outsideWorld';

const world = outsideWorld();
const mounted: string[] = [];
afterEach(() => {
  for (const folder of mounted.splice(0)) execFileSync('umount', ['-l', folder]);
});
/** File systems of a test's own need rights that not every machine gives. */
const mayMount = process.getuid?.() === 0 && process.platform === 'linux';

/** The store as a killed process leaves it, on a disk without a byte left. */
function onFullDisk(folder: string): string {
  const place = world.at(folder);
  mkdirSync(place);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', place]);
  mounted.push(place);
  for (const name of readdirSync(world.at('store')))
    if (!name.endsWith('.lock')) copyFileSync(world.at('store', name), join(place, name));
  const ballast = join(place, 'ballast');
  writeFileSync(ballast, '');
  for (const bytes of [65_536, 4096]) {
    try {
      for (;;) appendFileSync(ballast, new Uint8Array(bytes));
    } catch {
      // Full.
    }
  }
  expect(statfsSync(place).bavail).toBe(0);
  return ballast;
}

describe.runIf(mayMount)('a disk that is full when a store is opened after a crash', () => {
  it('shows everything saved, explains why nothing can be added, and continues unprompted once there is room', async () => {
    const first = await world.openWindow();
    await tell(first, 1, 2);
    await first.store.openTurn(openingTurn(session(1), 'running'));
    await first.store.appendChunks(chunkOf(session(1), 'running', 1, 0, 'shown before the crash'));
    const ballast = onFullDisk('full');
    const window = await world.openWindow('full');
    const before = {
      said: said(window),
      answers: await answersIn(window, 1),
      refused: await tellTurn(window.store, 1, 'new').then(
        () => '',
        (error: Error) => error.message.slice(0, 17),
      ),
    };
    unlinkSync(ballast);
    await whenOpen(window);
    await tellTurn(window.store, 1, 'new');
    expect({
      before,
      after: said(window),
      answers: await answersIn(window, 1),
      problems: await window.store.verifyIntegrity(),
    }).toEqual({
      before: {
        said: [
          'read-only: The disk is full, so nothing can be saved now. Everything saved before is safe. Free some space, and Hermes saves again.',
        ],
        answers: { whole: 2, others: ['shown before the crash'] },
        refused: 'The disk is full,',
      },
      after: [],
      answers: { whole: 3, others: ['shown before the crash'] },
      problems: [],
    });
  });
});

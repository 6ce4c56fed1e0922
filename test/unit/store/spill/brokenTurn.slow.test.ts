import { describe, expect, it } from 'vitest';
import { FileSystemError } from '../../../../src/store/engine/fileSystem';
import { SimulatedDisk } from '../../../support/simulatedDisk';
import { type Fate, spillWorld, type SpillWorld } from '../../../support/spillWorld';

async function unbroken(): Promise<{ readonly account: ReturnType<SpillWorld['account']>; readonly calls: number }> {
  const world = await spillWorld();
  await world.runTurn();
  const done = { account: world.account(), calls: world.calls };
  world.close();
  return done;
}

/** Breaks the store from its call number `from` on, for `length` calls. The turn is opened before anything may break: a prompt that could not
 *  be stored stays in the composer. */
function breakAt(world: SpillWorld, from: number, length: number, fate: Fate): void {
  let call = 0;
  world.fate = (method) =>
    !['createSession', 'openTurn', 'getMeta', 'getSession'].includes(method) && ++call > from && call <= from + length
      ? fate
      : 'works';
}

describe('a turn whose store fails at a call', () => {
  it.each(['failsBefore', 'failsAfter'] as const)(
    '%s: everything shown is stored after folding, once, in order, wherever the failure begins and ends',
    async (fate) => {
      const expected = await unbroken();
      const wrong: unknown[] = [];
      let spilled = 0;
      // From the first write on: a turn that cannot read its history has shown nothing.
      for (let from = 1; from < expected.calls; from++) {
        for (const length of [1, 2, 5, Infinity]) {
          const world = await spillWorld();
          breakAt(world, from, length, fate);
          await world.runTurn();
          if (world.spillFiles().length > 0) spilled++;
          world.fate = () => 'works';
          await world.spilling.tryAgain();
          const seen = {
            account: world.account(),
            missing: world.missing(),
            files: world.spillFiles(),
            stopped: world.stopped,
          };
          // A usage that was added although the disk said otherwise cannot be told from one that was not.
          const usage = fate === 'failsAfter' ? expected.account.usage : seen.account.usage;
          const same = JSON.stringify({ ...seen.account, usage }) === JSON.stringify(expected.account);
          if (!same || seen.missing.length > 0 || seen.files.length > 0 || seen.stopped)
            wrong.push({ from, length, ...seen });
          world.close();
        }
      }
      expect({ wrong: wrong.slice(0, 2), spilled: spilled > 20 }).toEqual({ wrong: [], spilled: true });
    },
  );

  it('shows nothing more, and loses nothing, where no spill file can be written either', async () => {
    const { calls } = await unbroken();
    const seen = new Set<string>();
    for (let from = 1; from < calls - 1; from++) {
      const disk = new SimulatedDisk();
      const open = disk.open.bind(disk);
      disk.open = (path, mode) => {
        if (path.endsWith('.jsonl')) throw new FileSystemError('EROFS', 'open', path);
        return open(path, mode);
      };
      const world = await spillWorld(disk);
      breakAt(world, from, Infinity, 'failsBefore');
      await world.runTurn();
      seen.add(JSON.stringify({ missing: world.missing(), told: world.spilling.statuses }));
      world.close();
    }
    expect([...seen]).toEqual([JSON.stringify({ missing: [], told: [] })]);
  });
});

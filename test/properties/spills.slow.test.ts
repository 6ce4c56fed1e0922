import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DiskOperation, SimulatedDisk } from '../support/simulatedDisk';
import { seededRandom } from '../crash/powerCuts';
import { type Fate, spillWorld, type SpillWorld } from '../support/spillWorld';

interface Schedule {
  /** What becomes of the store's calls, one after the other; behind the last one it works. */
  readonly fates: readonly { readonly fate: Fate; readonly calls: number }[];
  /** Writes to spill files that fail, by number. */
  readonly failingWrites: readonly number[];
  /** The power fails at this operation of the disk, counted from the first write or from the first one to a spill file, and again at this
   *  one of the next opening. */
  readonly cutAt: number;
  readonly counts: 'fromStart' | 'fromSpill';
  readonly cutAgainAt: number;
  readonly seed: number;
}

const cut: fc.Arbitrary<Pick<Schedule, 'cutAt' | 'counts'>> = fc.oneof(
  fc.record({ counts: fc.constant('fromStart' as const), cutAt: fc.integer({ min: 60, max: 400 }) }),
  fc.record({ counts: fc.constant('fromSpill' as const), cutAt: fc.integer({ min: 1, max: 60 }) }),
);

const schedule: fc.Arbitrary<Schedule> = fc
  .tuple(
    cut,
    fc.record({
      fates: fc.array(
        fc.record({
          fate: fc.constantFrom<Fate>('works', 'failsBefore', 'failsAfter'),
          calls: fc.integer({ min: 1, max: 8 }),
        }),
        { maxLength: 6 },
      ),
      failingWrites: fc.array(fc.integer({ min: 0, max: 25 }), { maxLength: 3 }),
      cutAgainAt: fc.integer({ min: 1, max: 120 }),
      seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
    }),
  )
  .map(([time, plan]) => ({ ...plan, ...time }));

/** The disk as it was left by a power cut at an operation, with what had been shown by then. */
interface Cut {
  readonly disk: SimulatedDisk;
  readonly shown: ReadonlyMap<string, string>;
}

class Trial {
  private operations = 0;
  private spillWrites = 0;
  private cutNow: (() => void) | null = null;
  cut: Cut | null = null;

  constructor(private readonly plan: Schedule) {}

  async run(): Promise<SpillWorld> {
    const random = seededRandom(this.plan.seed);
    const system = this.plan.seed % 2 === 0 ? 'ntfs' : 'posix';
    const disk = new SimulatedDisk({ system, intervene: (operation) => this.intervene(operation) });
    const world = await spillWorld(disk);
    this.cutNow = () => (this.cut = { disk: disk.powerCut(random), shown: new Map(world.shown) });
    const fates = this.plan.fates.flatMap(({ fate, calls }) => Array<Fate>(calls).fill(fate));
    let call = 0;
    world.fate = (method) =>
      ['createSession', 'openTurn', 'getMeta', 'getSession'].includes(method) ? 'works' : (fates[call++] ?? 'works');
    await world.runTurn();
    return world;
  }

  private intervene({ kind, path }: DiskOperation) {
    if (this.operations > 0 || this.plan.counts === 'fromStart' || path.endsWith('.jsonl')) this.operations++;
    if (this.operations === this.plan.cutAt && this.cut === null) this.cutNow?.();
    const fails = kind === 'write' && path.endsWith('.jsonl') && this.plan.failingWrites.includes(this.spillWrites++);
    return fails ? { errno: 'ENOSPC', written: 5 } : undefined;
  }
}

/** What the next start makes of a disk; `shown` is what had been shown before. */
async function nextStart(disk: SimulatedDisk, shown: ReadonlyMap<string, string>) {
  const world = await spillWorld(disk);
  for (const [key, text] of shown) world.shown.set(key, text);
  // A session that was never durable has shown nothing.
  const isThere = world.db.getTurn('turn-1') !== null;
  const state = isThere
    ? {
        missing: world.missing(),
        account: world.account(),
        open: world.spillFiles().filter((file) => !file.includes('.kept')),
      }
    : { missing: [...shown.values()], account: null, open: [] };
  world.close();
  return state;
}

describe('a turn whose store fails and heals at random', () => {
  it('has everything shown stored once the store works again, and no row twice', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (plan) => {
        const world = await new Trial(plan).run();
        world.fate = () => 'works';
        await world.spilling.tryAgain();
        const { rows, problems, states, turn } = world.account();
        expect({
          missing: world.missing(),
          twice: rows.length - new Set(rows.map(({ uid }) => uid)).size,
          problems,
          states,
          isSettled: world.stopped || turn === 'complete stop' || turn === 'running',
        }).toEqual({
          missing: [],
          twice: 0,
          problems: [],
          states: turn === 'running' ? states : ['final'],
          isSettled: true,
        });
        world.close();
      }),
      { numRuns: 150 },
    );
  }, 300_000);

  it('has it after a power cut at any moment, and after another in the middle of folding, with the same result', async () => {
    let withSpill = 0;
    await fc.assert(
      fc.asyncProperty(schedule, async (plan) => {
        const trial = new Trial(plan);
        const world = await trial.run();
        world.close();
        if (trial.cut === null) return;
        const { disk, shown } = trial.cut;
        const random = seededRandom(plan.seed + 1);
        const whole = await nextStart(
          disk.powerCut(() => 1),
          shown,
        );
        expect({ missing: whole.missing, problems: whole.account?.problems ?? [], open: whole.open }).toEqual({
          missing: [],
          problems: [],
          open: [],
        });
        let operations = 0;
        let again: SimulatedDisk | null = null;
        const interrupted: SimulatedDisk = disk.powerCut(() => 1, {
          intervene: () => void (++operations === plan.cutAgainAt && (again = interrupted.powerCut(random))),
        });
        await nextStart(interrupted, shown);
        if (disk.list('/store').some((name) => name.endsWith('.jsonl'))) withSpill++;
        if (again !== null) expect(await nextStart(again, shown)).toEqual(whole);
      }),
      { numRuns: 150 },
    );
    expect(withSpill).toBeGreaterThan(0);
  }, 300_000);
});

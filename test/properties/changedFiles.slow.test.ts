import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangedFilesWorld } from '../support/review/changedFilesWorld';

type Step =
  | {
      readonly kind: 'agent' | 'person' | 'crash';
      readonly at: number;
      readonly remove: number;
      readonly add: number;
      readonly turn: number;
    }
  | { readonly kind: 'remove' | 'create'; readonly turn: number }
  | { readonly kind: 'turn' | 'file' | 'from' | 'undone'; readonly turn: number }
  | { readonly kind: 'hunk'; readonly turn: number; readonly index: number };

const turn = fc.integer({ min: 1, max: 3 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom('agent', 'person', 'crash'),
      at: fc.nat(12),
      remove: fc.nat(2),
      add: fc.nat(2),
      turn,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'create'), turn }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('turn', 'file', 'from', 'undone'), turn }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('hunk'), turn, index: fc.nat(3) }) },
);
const runs = Number(process.env['PROPERTY_RUNS'] ?? 60);
const name = 'a.ts';

/** Lines say whose they are, and no two are alike. */
class Play {
  private count = 0;
  /** What the person took out: nobody may bring it back. */
  readonly removed = new Set<string>();
  readonly written: string[] = [];

  constructor(private readonly world: ChangedFilesWorld) {}

  async take(step: Step): Promise<void> {
    const { world } = this;
    const turnUid = `t${step.turn}`;
    switch (step.kind) {
      case 'person':
        return world.person(name, this.edited(step, 'person'));
      case 'agent':
      case 'crash':
        return world.agent(name, this.edited(step, 'agent'), { turnUid, crash: step.kind === 'crash' });
      case 'remove':
        return world.agent(name, null, { turnUid });
      case 'create':
        return world.bytes(name) === null ? world.agent(name, this.lines('agent', 3), { turnUid }) : undefined;
      default:
        return this.revert(step, turnUid);
    }
  }

  private async revert(
    step: Extract<Step, { readonly kind: 'turn' | 'file' | 'from' | 'undone' | 'hunk' }>,
    turnUid: string,
  ): Promise<void> {
    const { world } = this;
    const before = this.personsLines();
    let shown: readonly string[] = [];
    if (step.kind === 'hunk') shown = await this.revertHunk(step.index, turnUid);
    else if (step.kind === 'undone') await this.revertAndUndo(turnUid);
    else if (step.kind === 'turn') await world.files.reviewFiles(turnUid, null, 'revert', false);
    else if (step.kind === 'file') await world.files.reviewFiles(turnUid, [world.path(name)], 'revert', false);
    else await world.files.revertFrom(turnUid);
    const after = this.personsLines();
    const lost = before.filter((line) => !after.includes(line) && !shown.includes(line));
    expect({ lost, doubled: after.length - new Set(after).size }).toEqual({ lost: [], doubled: 0 });
  }

  /** An undone revert leaves every byte as it was. */
  private async revertAndUndo(turnUid: string): Promise<void> {
    const { world } = this;
    const before = world.bytes(name);
    const [earlier] = await world.files.newestRevert(['s1']);
    await world.files.reviewFiles(turnUid, null, 'revert', false);
    const newest = await world.files.newestRevert(['s1']);
    if (newest[0]?.revert === earlier?.revert) return;
    const { sentence } = await world.files.undoRevert(newest);
    expect({ sentence, bytes: world.bytes(name) }).toEqual({ sentence: null, bytes: before });
  }

  /** Returns the lines that the mark showed as added. What the user wrote within a change, or after a call that was cut
   *  off, is part of it. */
  private async revertHunk(index: number, turnUid: string): Promise<readonly string[]> {
    const path = this.world.path(name);
    const hunks = await this.world.files.hunks(turnUid, path);
    const hunk = hunks[index % Math.max(1, hunks.length)];
    if (hunk === undefined) return [];
    await this.world.files.reviewHunk(turnUid, path, hunk.id, 'revert');
    return hunk.added;
  }

  private personsLines(): readonly string[] {
    return (this.world.text(name) ?? '').split('\n').filter((line) => line.startsWith('person'));
  }

  private edited({ at, remove, add }: Extract<Step, { readonly at: number }>, whose: string): string {
    const lines = (this.world.text(name) ?? '').split(/(?<=\n)/).filter((line) => line !== '');
    const added = this.lines(whose, add)
      .split(/(?<=\n)/)
      .filter((line) => line !== '');
    const gone = lines.splice(at % (lines.length + 1), remove, ...added);
    if (whose === 'person') gone.forEach((line) => this.removed.add(line));
    if (whose === 'person') this.written.push(...added);
    return lines.join('');
  }

  private lines(whose: string, count: number): string {
    return Array.from({ length: count }, () => `${whose} ${++this.count}\n`).join('');
  }
}

const start = Array.from({ length: 8 }, (_, index) => `base ${index}\n`).join('');

describe('reverting agent changes', () => {
  it('never removes a line the user wrote, whatever was changed, cut off and reverted before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const world = await ChangedFilesWorld.open();
        try {
          world.person(name, start);
          const play = new Play(world);
          for (const each of steps) await play.take(each);
          expect(world.db.verifyIntegrity()).toEqual([]);
        } finally {
          world.dispose();
        }
      }),
      { numRuns: runs },
    );
  });

  const edit = fc.record({
    kind: fc.constantFrom<('agent' | 'person')[]>('agent', 'person'),
    at: fc.nat(12),
    remove: fc.nat(2),
    add: fc.nat(2),
    turn,
  });

  it('leaves exactly what the user made of the file, or leaves the file unchanged and says so', async () => {
    let clean = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 2, maxLength: 8 }), async (steps) => {
        const world = await ChangedFilesWorld.open();
        try {
          world.person(name, start);
          const play = new Play(world);
          for (const each of steps.toSorted((one, other) => one.turn - other.turn)) await play.take(each);
          const before = world.text(name);
          const { conflicts } = await world.files.revertFrom('t1');
          const lines = (world.text(name) ?? '')
            .split(/(?<=\n)/)
            .filter((line) => line !== '')
            .sort();
          const wanted = [...start.split(/(?<=\n)/).filter((line) => line !== ''), ...play.written]
            .filter((line) => !play.removed.has(line))
            .sort();
          if (conflicts.length > 0) expect(world.text(name)).toBe(before);
          else expect(lines).toEqual(wanted);
          if (conflicts.length === 0) clean++;
        } finally {
          world.dispose();
        }
      }),
      { numRuns: runs },
    );
    expect(clean).toBeGreaterThan(runs / 4);
  });
});

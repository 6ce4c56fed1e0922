import { expect, test } from 'vitest';
import { runSoak } from '../../soak/soak';
import { growthIn, type SoakSample } from '../../soak/soakRecord';

const flat = (turns: number): SoakSample => ({
  turns,
  heap: 8_000_000,
  rss: 180_000_000,
  external: 2_000_000,
  handles: 29,
  threads: 12,
  resources: 4,
  files: turns * 5000,
});
const growing = (samples: readonly SoakSample[]): readonly string[] =>
  growthIn(samples).flatMap(({ figure, grows }) => (grows ? [figure] : []));

test('a soak names each figure that grows', () => {
  const samples = Array.from({ length: 40 }, (_, index) => flat((index + 1) * 250));
  const worse = samples.map((sample, index) => ({
    ...sample,
    heap: sample.heap + index * 100_000,
    handles: sample.handles + Math.floor(index / 4),
    files: sample.files * (1 + index / 40),
  }));
  expect([growing(samples), growing(worse)]).toEqual([[], ['heap', 'handles', 'filesPerTurn']]);
});

test('many turns with faults, switches and branches keep what they showed, and a leak among them is noticed', async () => {
  const { samples, different, unsound, switches, branches, faults } = await runSoak({
    turns: 160,
    seed: 3,
    leaks: true,
  });
  expect({ different, unsound, happened: [switches > 20, branches > 1, faults > 0] }).toEqual({
    different: 0,
    unsound: [],
    happened: [true, true, true],
  });
  expect(growing(samples)).toContain('heap');
});

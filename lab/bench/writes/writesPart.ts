import { grouped, mean, rounded } from '../figures';
import type { Part } from '../part';
import { canTrace } from './diskTrace';
import { tracedTurns, type TracedTurn, type TurnName } from './tracedTurns';

const labels = {
  first: 'turn of 2 KB in 2.4 s, the second to the fifth',
  short: 'the same, all but the first, with what empties the log',
  fast: 'turn of 2 KB in 0.4 s',
  long: 'answer of 23 KB in 27 s',
} as const;

/** What turns write to the disk. `size`: turns of 2 KB. */
export const writesPart: Part = async ({ quick, size }) => {
  if (!canTrace()) {
    console.log('  not measured: needs strace (apt install strace)');
    return null;
  }
  const short = Array.from({ length: size ?? (quick ? 10 : 60) }, (): TurnName => 'short');
  const turns = await tracedTurns([...short, 'fast', 'fast', 'fast', 'long']);
  const named = (name: TurnName): readonly TracedTurn[] => turns.filter((turn) => turn.name === name);
  const figures = {
    first: average(named('short').slice(1, 5)),
    short: average(named('short').slice(1)),
    fast: average(named('fast')),
    long: average(named('long')),
  };
  for (const name of Object.keys(labels) as (keyof typeof labels)[]) {
    const { syncs, syncsPerSecond, bytes, bytesPerShown } = figures[name];
    console.log(
      `  ${labels[name]}: ${syncs} syncs (${syncsPerSecond} a second while text came), ` +
        `${grouped(bytes)} bytes (${bytesPerShown} for each shown)`,
    );
  }
  const { fast, long } = figures;
  return {
    figures,
    aims: [
      { aim: 'syncs a second of a streamed answer', value: long.syncsPerSecond, most: 15 },
      { aim: 'bytes written for each byte shown of an answer of 23 KB', value: long.bytesPerShown, most: 60 },
      { aim: 'bytes of a turn of 2 KB, average of a session', value: figures.short.bytes, most: 200_000 },
      { aim: 'syncs of a turn of 2 KB in 0.4 s', value: fast.syncs, most: 10 },
    ],
  };
};

/** Averages of whole turns, with what the store wrote in the idle moments after them. */
function average(turns: readonly TracedTurn[]) {
  const of = (value: (turn: TracedTurn) => number): number => mean(turns.map(value));
  const bytes = of(({ running, resting }) => running.bytes + resting.bytes);
  return {
    syncs: Math.round(of(({ running, resting }) => running.syncs + resting.syncs)),
    syncsPerSecond: rounded(of(({ running }) => running.syncs) / of(({ seconds }) => seconds)),
    bytes: Math.round(bytes),
    bytesPerShown: rounded(bytes / of(({ shown }) => shown)),
  };
}

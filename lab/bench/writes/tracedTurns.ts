import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { reply, startModelServer } from '../../../test/support/modelServer';
import { buildStoreWorker } from '../../../test/support/storeWorker';
import { inTemporaryFolder, productFolders } from '../../support/temporaryFolder';
import { readRanges, tracing, type Written } from './diskTrace';
import type { TimedTurn, WritesOrder } from './writesHost';

/** Characters of a word, which is a delta. */
const wordLength = 9;

export type TurnName = 'short' | 'fast' | 'long';

/** Words of an answer, and milliseconds between two: 2 KB and 23 KB at 100 deltas a second, and 2 KB at 1,000. */
const answers: Readonly<Record<TurnName, { readonly words: number; readonly everyMs: number }>> = {
  short: { words: 222, everyMs: 10 },
  fast: { words: 222, everyMs: 1 },
  long: { words: 2550, everyMs: 10 },
};

export interface TracedTurn {
  readonly name: TurnName;
  readonly shown: number;
  readonly seconds: number;
  /** From the prompt to the settled turn. */
  readonly running: Written;
  /** From the settled turn to the next prompt. */
  readonly resting: Written;
}

/** Traces the product's process through these turns. Needs `strace`. */
export function tracedTurns(names: readonly TurnName[]): Promise<readonly TracedTurn[]> {
  return inTemporaryFolder('writes', async (root) => {
    const built = await buildStoreWorker({ writesHost: 'lab/bench/writes/writesHost.ts' });
    const server = await startModelServer();
    let asked = 0;
    let words = 0;
    server.otherwise(() => {
      const { words: count, everyMs } = answers[names[asked++] ?? 'short'];
      const text = Array.from({ length: count }, () => `w${String(++words).padStart(wordLength - 2, '0')} `).join('');
      return reply().says(text, { every: everyMs });
    });
    const folders = productFolders(root);
    const order: WritesOrder = { ...folders, workerEntry: built.entry, url: server.url, turns: names.length };
    const trace = join(root, 'trace');
    try {
      const [strace = '', ...options] = tracing(trace);
      const program = [process.execPath, join(built.folder, 'writesHost.js'), JSON.stringify(order)];
      const { stdout } = await promisify(execFile)(strace, [...options, ...program]);
      const { turns, endedAt } = JSON.parse(stdout) as {
        readonly turns: readonly TimedTurn[];
        readonly endedAt: number;
      };
      const starts = [...turns.flatMap(({ begunAt, settledAt }) => [begunAt, settledAt]), endedAt];
      const none: Written = { syncs: 0, bytes: 0 };
      const stretches = readRanges(readFileSync(trace, 'utf8'), folders.storage, starts);
      return turns.map(({ begunAt, settledAt, shown }, index) => ({
        name: names[index] ?? 'short',
        shown,
        seconds: settledAt - begunAt,
        running: stretches[index * 2] ?? none,
        resting: stretches[index * 2 + 1] ?? none,
      }));
    } finally {
      await server.close();
      built.remove();
    }
  });
}

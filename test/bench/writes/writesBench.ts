import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reply, startModelServer } from '../../support/modelServer';
import { buildStoreWorker } from '../../support/storeWorker';
import { readTrace, tracing, type TracedTurn, type WritesOrder } from './writesTrace';

/** Characters of a word, which is a delta. */
const wordLength = 9;
const pauseMs = 1500;

export interface WrittenTurn extends TracedTurn {
  readonly name: TurnName;
}

type TurnName = 'short' | 'fast' | 'long';

/** Words of an answer, and milliseconds between two: 2 KB and 23 KB at 100 deltas a second, and 2 KB at 1,000. */
const answers: Readonly<Record<TurnName, { readonly words: number; readonly everyMs: number }>> = {
  short: { words: 222, everyMs: 10 },
  fast: { words: 222, everyMs: 1 },
  long: { words: 2550, everyMs: 10 },
};

/** Traces the product's process through these turns. Needs `strace`. */
export async function benchWrites(turns: readonly TurnName[]): Promise<readonly WrittenTurn[]> {
  const built = await buildStoreWorker({ writesHost: 'test/bench/writes/writesHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-writes-'));
  const [storage, project, trace] = [join(home, 'storage'), join(home, 'project'), join(home, 'trace')];
  for (const folder of [storage, project]) mkdirSync(folder);
  const server = await startModelServer();
  let asked = 0;
  let words = 0;
  server.otherwise(() => {
    const { words: count, everyMs } = answers[turns[asked++] ?? 'short'];
    const text = Array.from({ length: count }, () => `w${String(++words).padStart(wordLength - 2, '0')} `).join('');
    return reply().says(text, { every: everyMs });
  });
  const order: WritesOrder = {
    storage,
    project,
    workerEntry: built.entry,
    url: server.url,
    pausesMs: turns.map(() => pauseMs),
  };
  try {
    await traced(trace, [process.execPath, join(built.folder, 'writesHost.js'), JSON.stringify(order)]);
    return readTrace(readFileSync(trace, 'utf8'), storage).map((turn, index) => ({
      name: turns[index] ?? 'short',
      ...turn,
    }));
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
    built.remove();
  }
}

/** True when this machine can trace system calls. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

async function traced(trace: string, command: readonly string[]): Promise<void> {
  const [strace = '', ...options] = tracing(trace);
  const child = spawn(strace, [...options, ...command], { stdio: 'inherit' });
  const status = await new Promise((resolve) => child.on('exit', resolve));
  if (status !== 0) throw new Error(`strace ended with ${String(status)}`);
}

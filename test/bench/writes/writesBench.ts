import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { reply, startModelServer } from '../../support/modelServer';
import { buildStoreWorker } from '../../support/storeWorker';
import { readTrace, type TracedTurn, type WritesOrder } from './writesTrace';

/** Characters of a delta; 100 of them come in a second. */
const word = 9;
const everyMs = 10;
/** Words of a turn of 2 KB, and of an answer of 23 KB. */
const shortWords = 222;
const longWords = 2550;
/** Milliseconds between two turns. */
const pauseMs = 1500;

/** Traces the product's process through turns of 2 KB and one answer of 23 KB. Needs `strace`. */
export async function benchWrites(shortTurns: number): Promise<readonly TracedTurn[]> {
  const built = await buildStoreWorker({ writesHost: 'test/bench/writes/writesHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-writes-'));
  const [storage, project, trace] = [join(home, 'storage'), join(home, 'project'), join(home, 'trace')];
  for (const folder of [storage, project]) mkdirSync(folder);
  const server = await startModelServer();
  let asked = 0;
  let words = 0;
  server.otherwise(() => {
    const count = asked++ < shortTurns ? shortWords : longWords;
    const text = Array.from({ length: count }, () => `w${String(++words).padStart(word - 2, '0')} `).join('');
    return reply().says(text, { every: everyMs });
  });
  const order: WritesOrder = {
    storage,
    project,
    workerEntry: built.entry,
    url: server.url,
    pausesMs: Array.from({ length: shortTurns + 1 }, () => pauseMs),
  };
  try {
    await traced(trace, [process.execPath, join(built.folder, 'writesHost.js'), JSON.stringify(order)]);
    return readTrace(readFileSync(trace, 'utf8'), storage);
  } finally {
    await server.close();
    rmSync(home, { recursive: true, force: true });
    rmSync(built.folder, { recursive: true, force: true });
  }
}

/** True when this machine can trace system calls. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;
}

async function traced(trace: string, command: readonly string[]): Promise<void> {
  const calls = 'write,pwrite64,writev,pwritev,fsync,fdatasync,stat,newfstatat,statx,access,faccessat';
  const child = spawn(
    'strace',
    ['-f', '-y', '-ttt', '--seccomp-bpf', '-e', `trace=${calls}`, '-o', trace, ...command],
    {
      stdio: 'inherit',
    },
  );
  const status = await new Promise((resolve) => child.on('exit', resolve));
  if (status !== 0) throw new Error(`strace ended with ${String(status)}`);
}

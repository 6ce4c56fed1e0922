import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { benchWrites } from '../bench/writes/writesBench';
import type { CrashHostOrder } from '../crash/crashRecord';
import { memoryOf } from '../support/processTree';
import { NodeProgram } from '../support/nodeProgram';
import { buildStoreWorker } from '../support/storeWorker';
import { costsAt } from './peerCost';
import { costTurns, type PeerCost, type PeerStart } from './trialResult';

/** The same for Hermes without an editor. It is ready when its store is open and a panel is attached. */
export async function ourStart(): Promise<PeerStart> {
  const built = await buildStoreWorker({ startHost: 'test/peers/startHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-peer-ours-'));
  const order: Pick<CrashHostOrder, 'storage' | 'project' | 'workerEntry' | 'url' | 'protocol' | 'contextWindow'> = {
    storage: join(home, 'storage'),
    project: join(home, 'project'),
    workerEntry: built.entry,
    url: 'http://127.0.0.1:9/v1',
    protocol: 'openai',
    contextWindow: 100_000,
  };
  for (const folder of [order.storage, order.project]) mkdirSync(folder);
  const begin = performance.now();
  const host = new NodeProgram(join(built.folder, 'startHost.js'), [JSON.stringify(order)]);
  try {
    await host.line('ready');
    const startMs = performance.now() - begin;
    await sleep(4000);
    return { startMs, memory: memoryOf(host.pid) };
  } finally {
    await host.kill();
    rmSync(home, { recursive: true, force: true });
    built.remove();
  }
}

/** What turns of Hermes wrote, also in the time until the next one. */
export async function ourCost(): Promise<PeerCost> {
  const turns = await benchWrites(Array.from({ length: costTurns }, () => 'short' as const));
  return costsAt(
    turns.map(({ running, resting }) => ({
      bytes: running.bytes + resting.bytes,
      syncs: running.syncs + resting.syncs,
    })),
  );
}

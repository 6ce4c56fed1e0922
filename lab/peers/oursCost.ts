import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { NodeProgram } from '../../test/support/nodeProgram';
import { memoryOf } from '../../test/support/processTree';
import { buildStoreWorker } from '../../test/support/storeWorker';
import { tracedTurns } from '../bench/writes/tracedTurns';
import { inTemporaryFolder, productFolders } from '../support/temporaryFolder';
import { costsAt } from './peerCost';
import { costTurns, type PeerCost, type PeerStart } from './trialResult';

/** The same for Hermes without an editor. It is ready when its store is open and a panel is attached. */
export function ourStart(): Promise<PeerStart> {
  return inTemporaryFolder('peer-ours', async (root) => {
    const built = await buildStoreWorker({ startHost: 'lab/peers/startHost.ts' });
    const order = { ...productFolders(root), workerEntry: built.entry };
    const begin = performance.now();
    const host = new NodeProgram(join(built.folder, 'startHost.js'), [JSON.stringify(order)]);
    try {
      await host.line('ready');
      const startMs = performance.now() - begin;
      await sleep(4000);
      return { startMs, memory: memoryOf(host.pid) };
    } finally {
      await host.kill();
      built.remove();
    }
  });
}

/** What turns of Hermes wrote, also in the time until the next one. */
export async function ourCost(): Promise<PeerCost> {
  const turns = await tracedTurns(Array.from({ length: costTurns }, () => 'short' as const));
  return costsAt(
    turns.map(({ running, resting }) => ({
      bytes: running.bytes + resting.bytes,
      syncs: running.syncs + resting.syncs,
    })),
  );
}

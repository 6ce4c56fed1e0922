import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildStoreWorker } from '../../test/support/storeWorker';
import { inTemporaryFolder, productFolders } from '../support/temporaryFolder';
import type { SoakOrder, SoakResult } from './soakRecord';

/** Runs a soak in a process of its own. Rejects with what it complained about when it failed. Linux only. */
export function runSoak(options: Pick<SoakOrder, 'turns' | 'seed' | 'leaks'>): Promise<SoakResult> {
  return inTemporaryFolder('soak', async (root) => {
    const built = await buildStoreWorker({ soakHost: 'lab/soak/soakHost.ts' });
    const order: SoakOrder = {
      ...options,
      ...productFolders(root),
      record: join(root, 'shown.jsonl'),
      workerEntry: built.entry,
    };
    try {
      const program = ['--expose-gc', join(built.folder, 'soakHost.js'), JSON.stringify(order)];
      const { stdout } = await promisify(execFile)(process.execPath, program, { maxBuffer: 1 << 26 });
      return JSON.parse(stdout) as SoakResult;
    } finally {
      built.remove();
    }
  });
}

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildStoreWorker } from '../support/storeWorker';
import type { SoakOrder, SoakResult } from './soakRecord';

export { growthIn } from './soakRecord';

/** Runs a soak in a process of its own. Rejects with what it complained about when it failed. Linux only. */
export async function runSoak(options: Pick<SoakOrder, 'turns' | 'seed' | 'leaks'>): Promise<SoakResult> {
  const built = await buildStoreWorker({ soakHost: 'test/soak/soakHost.ts' });
  const home = mkdtempSync(join(tmpdir(), 'hermes-soak-'));
  const order: SoakOrder = {
    ...options,
    storage: join(home, 'storage'),
    project: join(home, 'project'),
    record: join(home, 'shown.jsonl'),
    workerEntry: built.entry,
  };
  for (const folder of [order.storage, order.project]) mkdirSync(folder);
  writeFileSync(join(order.project, 'notes.md'), 'Notes.\n');
  try {
    return JSON.parse(await printed(join(built.folder, 'soakHost.js'), JSON.stringify(order))) as SoakResult;
  } finally {
    built.remove();
    rmSync(home, { recursive: true, force: true });
  }
}

function printed(program: string, argument: string): Promise<string> {
  const child = spawn(process.execPath, ['--expose-gc', program, argument], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = { out: '', wrong: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.wrong += text));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(said.out) : reject(new Error(`the soak ended with ${String(code)}: ${said.wrong}`)),
    );
  });
}

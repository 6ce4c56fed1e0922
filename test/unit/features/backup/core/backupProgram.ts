import { join } from 'node:path';
import { defaultBackups } from '../../../../../src/features/backup/core/folder';
import { Backups } from '../../../../../src/features/backup/core/backups';
import { nodeReadingDeps } from '../../../../../src/store/library/nodeReading';

/** Makes, forgets or restores until it is killed, and prints each step when it is done. Arguments: sql-wasm.wasm, folder of the store,
 *  `make`, `forget` or `restore`, and the ids of sessions or backups. */
async function main(): Promise<void> {
  const [wasm = '', store = '', action = '', ...ids] = process.argv.slice(2);
  const deps = await nodeReadingDeps(wasm, join(store, '..', 'copies'));
  const backups = new Backups(deps, { store, backups: defaultBackups(store) });
  process.stdout.write('ready\n');
  if (action === 'make') process.stdout.write(`${backups.make({ reason: 'request', limitBytes: 1e9 }).backup.id}\n`);
  else if (action === 'forget') backups.forget(ids);
  else for (let n = 0; ; n++) process.stdout.write(`${backups.restore(ids[n % ids.length] ?? '', 1e9).before}\n`);
  process.stdout.write('done\n');
}

void main();

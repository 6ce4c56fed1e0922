import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../../base/translate';
import { storeErrorData } from '../../store/storeError';
import type { BackupAnswer, BackupArguments, BackupMethod, BackupResults, BackupThread } from './backupMessages';
import { Backups } from './backups';
import { nodeBackupDeps } from './nodeBackups';

/** Entry of `dist/backupWorker.js`: makes one call of `Backups` and ends, which gives back the memory that SQLite took.
 *  `sql-wasm.wasm` is beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The backup worker must be started as a worker thread.');

const { place, copies, call, translations } = workerData as BackupThread & { readonly translations: Translations };
setTranslations(translations);

function perform<M extends BackupMethod>(backups: Backups, method: M, args: BackupArguments[M]): BackupResults[M] {
  const table: { readonly [K in BackupMethod]: (...given: BackupArguments[K]) => BackupResults[K] } = {
    make: (...given) => backups.make(...given),
    makeBeforeMigration: (...given) => backups.makeBeforeMigration(...given),
    list: () => backups.list(),
    contents: (...given) => backups.contents(...given),
    verify: (...given) => backups.verify(...given),
    restore: (...given) => backups.restore(...given),
    takeCopy: (...given) => backups.takeCopy(...given),
    forget: (...given) => backups.forget(...given),
    continueForgetting: () => backups.continueForgetting(),
  };
  return table[method](...args);
}

async function answer(): Promise<BackupAnswer> {
  try {
    const deps = await nodeBackupDeps(join(__dirname, 'sql-wasm.wasm'), copies);
    return { value: perform(new Backups(deps, place), call.method, call.args) };
  } catch (error) {
    return { error: storeErrorData(error) };
  }
}

void answer().then((message) => port.postMessage(message));

import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../../../base/translate';
import { storeErrorData } from '../../../store/storeError';
import type { BackupAnswer, BackupArguments, BackupMethod, BackupResults, BackupThread } from './backupMessages';
import { Backups } from './backups';
import { nodeReadingDeps } from '../../../store/library/nodeReading';

/** Entry of `dist/backupWorker.js`: makes one call of `Backups` and ends, which gives back the memory that SQLite took.
 *  `sql-wasm.wasm` is beside the bundle. */
const port = parentPort;
if (!port) throw new Error('The backup worker must be started as a worker thread.');

const { place, copies, stop, call, translations } = workerData as BackupThread & {
  readonly translations: Translations;
};
setTranslations(translations);

function perform<M extends BackupMethod>(backups: Backups, method: M, args: BackupArguments[M]): BackupResults[M] {
  const table: { readonly [K in BackupMethod]: (...given: BackupArguments[K]) => BackupResults[K] } = {
    make: (...given) => backups.make(...given),
    makeBeforeMigration: (...given) => backups.makeBeforeMigration(...given),
    list: () => backups.list(),
    others: (...given) => backups.others(...given),
    contents: (...given) => backups.contents(...given),
    verify: (...given) => backups.verify(...given),
    restore: (...given) => backups.restore(...given),
    takeCopy: (...given) => backups.takeCopy(...given),
    forget: (...given) => backups.forget(...given),
    continueForgetting: () => backups.continueForgetting(),
  };
  return table[method](...args);
}

/** Methods that may end at any chunk and leave nothing half-made. */
const stoppableMethods: readonly BackupMethod[] = ['make', 'verify', 'takeCopy'];

function throwIfStopped(): void {
  if (Atomics.load(stop, 0) !== 0) throw new Error('The work was stopped.');
}

async function answer(): Promise<BackupAnswer> {
  try {
    const deps = await nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), copies);
    const isStoppable = stoppableMethods.includes(call.method);
    const backups = new Backups(isStoppable ? { ...deps, throwIfStopped } : deps, place);
    return { value: perform(backups, call.method, call.args) };
  } catch (error) {
    return { error: storeErrorData(error) };
  }
}

void answer().then((message) => port.postMessage(message));

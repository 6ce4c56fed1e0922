import { rmSync } from 'node:fs';
import type { BackupPlace } from '../../../../../src/features/backup/core/folder';
import type {
  BackupArguments,
  BackupMethod,
  BackupResults,
} from '../../../../../src/features/backup/core/backupWorker';
import { Backups } from '../../../../../src/features/backup/core/backups';
import type { BackupSettings } from '../../../../../src/features/backup/host/storeBackups';
import { type BackupThreads, StoreBackups } from '../../../../../src/features/backup/host/storeBackups';
import type { BackupWorld } from '../core/backupWorld';
import { RecordingLog } from '../../../host/recordingLog';
import { bringBack } from '../../../../../src/store/library/bringBack';

/** `BackupClient` without a thread: the same calls on the same disk. */
function threadsOf({ deps }: BackupWorld, place: BackupPlace): BackupThreads {
  const backups = new Backups(deps, place);
  const perform = <M extends BackupMethod>(method: M, args: BackupArguments[M]): BackupResults[M] => {
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
  };
  return {
    call: async (method, ...args) => perform(method, args),
    stoppable: async (signal, method, ...args) => (signal?.throwIfAborted(), perform(method, args)),
    bringBack: async (store, { id, folder, conversationsOf }, signal, onProgress) => {
      const copy = backups.takeCopy(id, conversationsOf, folder);
      try {
        return await bringBack(store, copy, signal, onProgress);
      } finally {
        rmSync(copy.folder, { recursive: true, force: true });
      }
    },
  };
}

/** The window's backups of a store of the test. */
export function backupsOf(world: BackupWorld, change: Partial<BackupSettings> = {}) {
  const settings = { backupsEnabled: true, backupsFolder: null, ...change };
  const log = new RecordingLog();
  const context = { globalStorageUri: { fsPath: world.root } };
  const window = { context, distFolder: world.root, settings: { current: settings }, log };
  const backups = new StoreBackups(window, (place) => threadsOf(world, place));
  return { backups, settings, log };
}

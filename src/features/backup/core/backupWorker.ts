import { join } from 'node:path';
import { serveCalls, threadStart, type CallContext } from '../../../base/threads/served';
import { storeErrors } from '../../../store/storeError';
import type { BackupPlace } from './folder';
import { Backups } from './backups';
import { nodeReadingDeps } from '../../../store/library/nodeReading';

/** Methods of `Backups`, by name. */
export type BackupMethod = keyof Backups;
export type BackupArguments = { readonly [M in BackupMethod]: Parameters<Backups[M]> };
export type BackupResults = { readonly [M in BackupMethod]: ReturnType<Backups[M]> };

/** Methods that may end at any chunk and leave nothing half-made. */
const stoppableMethods: readonly BackupMethod[] = ['make', 'verify', 'takeCopy'];

const { channel, data } = threadStart<{ readonly place: BackupPlace; readonly copies: string }>();

/** Entry of `dist/backupWorker.js`: makes a call of `Backups`. `sql-wasm.wasm` is beside the bundle. */
const methods = {
  backups: async <M extends BackupMethod>(
    { throwIfAborted }: CallContext,
    method: M,
    args: BackupArguments[M],
  ): Promise<BackupResults[M]> => {
    const deps = await nodeReadingDeps(join(__dirname, 'sql-wasm.wasm'), data.copies);
    const isStoppable = stoppableMethods.includes(method);
    const backups = new Backups(isStoppable ? { ...deps, throwIfStopped: throwIfAborted } : deps, data.place);
    const call = backups[method].bind(backups) as (...given: BackupArguments[M]) => BackupResults[M];
    return call(...args);
  },
};
export type BackupThread = typeof methods;

serveCalls(channel, storeErrors, methods);

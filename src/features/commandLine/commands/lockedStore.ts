import { join } from 'node:path';
import type { Clock } from '../../../base/clock';
import { NodeFileSystem } from '../../../store/engine/nodeFileSystem';
import { acquireLock } from '../../../store/lock/acquireLock';
import { SystemProcessTable } from '../../../store/lock/processLookup';
import { storeFolderOf } from '../../../store/ownership/storeFolder';
import { promisedOperations, type SessionStore } from '../../../store/session/sessionStore';
import type { StorePort } from '../../../store/worker/storePort';
import type { OpenReport } from '../../../store/worker/openedStore';
import { startStoreWorker, StoreClient } from '../../../store/worker/storeClient';

const heartbeatMs = 15_000;

export interface LockedStore {
  readonly store: SessionStore;
  /** Gives another thread access to the store. */
  openPort(): StorePort;
  readonly report: OpenReport;
  /** Closes the store and releases its lock. */
  close(): Promise<void>;
}

/** Opens the store in a folder for writing. Never takes it away from a window: throws while another process has it.
 *  `salvages`: true to move what can be read of the damaged file into a new one. Otherwise a damaged file is not
 *  changed, and the opening throws `corrupt`. */
export async function openLockedStore(
  folder: string,
  { clock, programFolder }: { readonly clock: Clock; readonly programFolder: string },
  salvages = false,
): Promise<LockedStore> {
  const home = storeFolderOf(folder);
  const disk = { fileSystem: new NodeFileSystem(), processes: new SystemProcessTable() };
  const attempt = acquireLock({ ...disk, folder: home, now: clock.now });
  if (attempt.kind === 'heldBy')
    throw new Error(
      `These sessions are open in ${attempt.owner.description}. Close that window, or use the command in its ` +
        'palette. Nothing was changed.',
    );
  const { lock } = attempt;
  const client = new StoreClient(startStoreWorker(join(programFolder, 'storeWorker.js')));
  try {
    const report = await client.open({
      folder: home,
      fence: lock.fence,
      salvage: salvages,
      keepsDamaged: !salvages,
      bringsBack: false,
    });
    const beat = setInterval(() => lock.heartbeat(), heartbeatMs);
    const close = async (): Promise<void> => {
      clearInterval(beat);
      try {
        await client.store.close();
      } finally {
        lock.release();
      }
    };
    const openPort = (): StorePort => ({ port: client.store.openPort(), readOnly: null });
    return { store: { ...promisedOperations(client.store.call), close }, openPort, report, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

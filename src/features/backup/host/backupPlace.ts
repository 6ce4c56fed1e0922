import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { defaultBackups, type BackupPlace } from '../core/backupDeps';

/** Folder for the backups of a store. `folder`: the one from the settings, shared by all stores; null: beside the
 *  store. The name in a shared folder follows from the store's path alone, so a new store at the same path, after the
 *  loss of the disk, finds the backups of the former one. */
export function backupPlaceOf(store: string, folder: string | null): BackupPlace {
  const name = createHash('sha256').update(store).digest('hex').slice(0, 16);
  return { store, backups: folder === null ? defaultBackups(store) : join(folder, name) };
}

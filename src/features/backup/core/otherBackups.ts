import { join } from 'node:path';
import { decodeLabel, folderLabelKey, type FolderLabel } from '../../../store/library/folderLabel';
import { readOnly } from '../../../store/library/foreignStore';
import { readText } from '../../../store/session/tables/columns';
import { StoreError } from '../../../store/storeError';
import { BackupFolder, isDiskError, type BackupDeps, type BackupPlace } from './backupFolder';
import { BackupFileSystem, backupFolder } from './backupFileSystem';
import { summaryOf, type Backup, type BackupSummary } from './manifest';

/** Backups of another store in a folder that several stores share. */
export interface OtherBackups {
  /** Folder that holds them. */
  readonly folder: string;
  /** Folder that the store belongs to; null when it is not known. */
  readonly label: FolderLabel | null;
  /** Newest first. */
  readonly backups: readonly BackupSummary[];
}

/** Backups of stores at other paths in `shared`, those with the newest backup first. A store that was moved, or whose
 *  path changed for another reason, is such another store. Only reads. */
export function otherBackups(deps: BackupDeps, own: BackupPlace, shared: string): readonly OtherBackups[] {
  const { fileSystem } = deps;
  if (fileSystem.stat(shared)?.kind !== 'folder') return [];
  return fileSystem
    .list(shared)
    .map((name) => join(shared, name))
    .filter((folder) => folder !== own.backups && fileSystem.stat(folder)?.kind === 'folder')
    .flatMap((folder) => backupsIn(new BackupFolder(deps, { store: own.store, backups: folder })))
    .sort((one, other) => (other.backups[0]?.madeAt ?? 0) - (one.backups[0]?.madeAt ?? 0));
}

/** None for a folder that cannot be read: it does not hide the others. */
function backupsIn(folder: BackupFolder): readonly OtherBackups[] {
  try {
    const backups = folder.list().backups.toReversed();
    const [newest] = backups;
    if (newest === undefined) return [];
    return [{ folder: folder.place.backups, label: labelIn(folder, newest), backups: backups.map(summaryOf) }];
  } catch (error) {
    if (isDiskError(error)) return [];
    throw error;
  }
}

/** Reads the label out of the backup's database, which holds it as the store does. */
function labelIn({ deps, pool }: BackupFolder, { manifest }: Backup): FolderLabel | null {
  const fileSystem = new BackupFileSystem(pool, manifest.main);
  try {
    return readOnly({ ...deps, fileSystem }, backupFolder, (database) => {
      const row = database.get('SELECT value FROM state_meta WHERE key = ?', [folderLabelKey]);
      return decodeLabel(row === undefined ? null : readText(row, 'value', null));
    });
  } catch (error) {
    // A damaged backup is listed, without its name: an older one may be sound.
    if (error instanceof StoreError) return null;
    throw error;
  }
}

import { join } from 'node:path';
import * as v from 'valibot';
import { StoreError } from '../../../store/storeError';
import { BackupFolder, defaultBackups, wouldMigrate, type BackupDeps, type BackupPlace, isDiskError } from './folder';
import { chunksOf, summaryOf, type BackupSummary, type SessionEntry, type Backup } from './manifest';
import { forgetInBackups, type ForgottenInBackups } from './forgettingBackups';
import { makeBackup, type MadeBackup, type MakeBackup } from './makeBackup';
import { verifyBackup } from './openedBackup';
import { readRegister, writeRegister } from '../../../store/engine/fileSystem';
import { copyBackup, restoreStore, type RestoredStore } from './restoring';
import { decodeLabel, folderLabelKey, type FolderLabel } from '../../../store/library/folderLabel';
import { readOnly } from '../../../store/library/foreignStore';
import { readText } from '../../../store/session/tables/columns';
import { BackupFileSystem, backupFolder } from './backupFileSystem';

const places = v.object({
  version: v.literal(1),
  /** Folders that have held backups of this store. */
  folders: v.array(v.string()),
  /** Sessions that still have to be erased from the backups of a folder. */
  due: v.array(v.object({ folder: v.string(), sessionIds: v.array(v.string()) })),
});

type Places = v.InferOutput<typeof places>;

export interface BackupList {
  /** Newest first. */
  readonly backups: readonly BackupSummary[];
  /** Bytes on disk of all of them together. */
  readonly bytes: number;
  /** File names of manifests that cannot be read. */
  readonly damaged: readonly string[];
}

export interface ForgottenPlaces extends ForgottenInBackups {
  /** Folders with backups that are not reachable now. The sessions are erased there when they are again. */
  readonly unreachable: readonly string[];
}

/** Operations on the backups of one store, in the calling thread. Each call blocks; in a window the
 *  calls run in a thread of their own (`BackupClient`). Every method throws a `StoreError`. */
export class Backups {
  constructor(
    private readonly deps: BackupDeps,
    private readonly place: BackupPlace,
  ) {}

  make(input: MakeBackup): MadeBackup {
    this.noteFolder();
    return makeBackup(this.folder(), input);
  }

  /** Makes a backup if opening the store would migrate it; null otherwise. Call it before the store is opened. */
  makeBeforeMigration(limitBytes: number): MadeBackup | null {
    const isOlder = wouldMigrate(this.deps.fileSystem, this.place.store);
    return isOlder ? this.make({ reason: 'migration', limitBytes }) : null;
  }

  list(): BackupList {
    const folder = this.folder();
    const { backups, damaged } = folder.list();
    return {
      damaged,
      bytes: folder.storedBytes(chunksOf(backups)),
      backups: backups.map(summaryOf).reverse(),
    };
  }

  /** See `otherBackups`. */
  others(shared: string): readonly OtherBackups[] {
    return otherBackups(this.deps, this.place, shared);
  }

  /** Every session in the backup, also segments and sub-agents' sessions. `folder`: the one that holds the backup;
   *  default: that of this store. */
  contents(id: string, folder?: string): readonly SessionEntry[] {
    const holder = this.folder(folder);
    return holder.sessionsIn(holder.find(id));
  }

  /** Checks one backup, or all: every chunk, and the database by opening it. Returns problems by name. */
  verify(id: string | null): readonly string[] {
    const folder = this.folder();
    const { backups, damaged } = folder.list();
    const chosen = id === null ? backups : [folder.find(id)];
    return [
      ...(id === null ? damaged.map((name) => `${name} cannot be read`) : []),
      ...chosen.flatMap((backup) => verifyBackup(folder, backup)),
    ];
  }

  /** See `restoreStore`. */
  restore(id: string, limitBytes: number): RestoredStore {
    return restoreStore(this.folder(), id, limitBytes);
  }

  /** Writes the backup to a private copy, for `bringBack`. Remove its folder afterwards. `from`: folder that holds it,
   *  as in `contents`. */
  takeCopy(
    id: string,
    conversationsOf: readonly string[] | null,
    from?: string,
  ): { readonly folder: string; readonly sessionIds: readonly string[] } {
    const { folder, sessionIds } = copyBackup(this.folder(from), id, conversationsOf);
    return { folder, sessionIds };
  }

  /** Erases sessions from every backup of this store, in each folder that ever held some. Until a folder is done, it is
   *  noted as due, so a crash or an unreachable folder only delays it. */
  forget(sessionIds: readonly string[]): ForgottenPlaces {
    const known = this.noted();
    const { backups } = this.place;
    // A chosen folder that was never used and is not there has no backups.
    const folders = [...new Set([...(this.isReachable(backups) ? [backups] : []), ...known.folders])];
    this.write({
      ...known,
      due: [...known.due, ...folders.map((folder) => ({ folder, sessionIds: [...sessionIds] }))],
    });
    return this.continueForgetting();
  }

  /** Erases what is due. Call it when the store was opened. */
  continueForgetting(): ForgottenPlaces {
    const rewritten: string[] = [];
    const removed: string[] = [];
    const incomplete: string[] = [];
    const unreadable: string[] = [];
    const unreachable: string[] = [];
    for (const folder of new Set(this.noted().due.map((due) => due.folder))) {
      if (!this.isReachable(folder)) {
        // The default folder is beside the store: without it, there are no backups.
        if (folder === defaultBackups(this.place.store)) this.done(folder);
        else unreachable.push(folder);
        continue;
      }
      try {
        const ids = this.noted().due.flatMap((due) => (due.folder === folder ? due.sessionIds : []));
        const result = forgetInBackups(this.folder(folder), ids);
        rewritten.push(...result.rewritten);
        removed.push(...result.removed);
        incomplete.push(...result.incomplete);
        unreadable.push(...result.unreadable);
        if (result.unreadable.length === 0) this.done(folder);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        unreachable.push(folder);
      }
    }
    return { rewritten, removed, incomplete, unreadable, unreachable };
  }

  private folder(backups = this.place.backups): BackupFolder {
    return new BackupFolder(this.deps, { ...this.place, backups });
  }

  private isReachable(folder: string): boolean {
    return this.deps.fileSystem.stat(folder)?.kind === 'folder';
  }

  private noteFolder(): void {
    const known = this.noted();
    if (!known.folders.includes(this.place.backups))
      this.write({ ...known, folders: [...known.folders, this.place.backups] });
  }

  private done(folder: string): void {
    const known = this.noted();
    this.write({ ...known, due: known.due.filter((due) => due.folder !== folder) });
  }

  private noted(): Places {
    return readRegister(this.deps.fileSystem, this.path, places) ?? { version: 1, folders: [], due: [] };
  }

  private write(content: Places): void {
    writeRegister(this.deps.fileSystem, this.path, content);
  }

  private get path(): string {
    return join(this.place.store, 'backups.json');
  }
}

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
function otherBackups(deps: BackupDeps, own: BackupPlace, shared: string): readonly OtherBackups[] {
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

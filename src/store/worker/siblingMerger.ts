import { randomUUID } from 'node:crypto';
import { acquireLock } from '../lock/acquireLock';
import { SystemProcessTable } from '../lock/processLookup';
import { openDatabase } from '../open/openDatabase';
import { stampOf, storeFiles } from '../open/storeFiles';
import { migrate, schemaVersion } from '../schema/migrations';
import type { SessionDb } from '../session/sessionDb';
import { rowsOf } from '../session/import/storeImport';
import { StoreError } from '../storeError';
import { keepCopy } from './keepCopy';
import type { StoreEngine } from './storeEngine';

export interface SiblingMerge {
  readonly folder: string;
  readonly sessions: number;
  readonly messages: number;
}

export interface SiblingProblem {
  readonly folder: string;
  readonly technical: string;
}

/** Merges the stores that further hosts of the same workspace left in suffixed folders into the one history. A
 *  sibling in use stays as it is. A merged one is renamed, never deleted. After a crash between merge and rename,
 *  the merge, which goes by identity, is simply repeated. */
export class SiblingMerger {
  constructor(
    private readonly engine: StoreEngine,
    private readonly sessions: SessionDb,
  ) {}

  /** A sibling that cannot be read is reported and left as it is; it never prevents the opening of the store itself. */
  mergeAll(folders: readonly string[]): {
    readonly merged: readonly SiblingMerge[];
    readonly mergeProblems: readonly SiblingProblem[];
  } {
    const merged: SiblingMerge[] = [];
    const mergeProblems: SiblingProblem[] = [];
    for (const folder of folders) {
      try {
        const merge = this.merge(folder);
        if (merge) merged.push(merge);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        mergeProblems.push({ folder, technical: error.technical });
      }
    }
    return { merged, mergeProblems };
  }

  private merge(folder: string): SiblingMerge | null {
    const { fileSystem, now } = this.engine;
    const files = storeFiles(folder);
    if (fileSystem.stat(files.main) === undefined) return null;
    const attempt = acquireLock({
      fileSystem,
      folder,
      path: files.lock,
      processes: new SystemProcessTable(),
      endpoint: null,
      now,
      uniqueName: randomUUID,
    });
    if (attempt.kind === 'heldBy') return null;
    try {
      const { sessions, messages, extended } = this.readIn(folder, () => attempt.lock.assertHeld());
      fileSystem.rename(files.main, `${folder}/state.merged-${stampOf(now())}.db`);
      fileSystem.syncFolder(folder);
      return { folder, sessions, messages: messages + extended };
    } finally {
      attempt.lock.release();
    }
  }

  private readIn(folder: string, assertOwned: () => void) {
    const { database, report } = openDatabase({ ...this.engine, folder, schemaVersion, assertOwned });
    try {
      if (report.readOnly) throw report.readOnly;
      migrate(database, { keepCopy: (version) => keepCopy(this.engine.fileSystem, database, folder, version) });
      return this.sessions.mergeFrom(rowsOf(database));
    } finally {
      // Checkpoints the log into the file, so that the renamed file is complete without it.
      database.close();
    }
  }
}

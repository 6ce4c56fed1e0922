import { t } from '../../../../base/translate';
import { type CopiedSessions, nothingCopied } from '../../../../store/sessionCopying';
import type { FileSystem } from '../../../../store/engine/fileSystem';
import type { SqlDatabase, SqlRow } from '../../../../store/engine/sqlDatabase';
import type { ReadingDeps } from '../../../../store/library/foreignStore';
import { filledCopy, type StoreCopy } from '../../../../store/library/storeCopy';
import { openDatabase } from '../../../../store/open/openDatabase';
import { migrate, schemaVersion } from '../../../../store/schema/migrations';
import type { SessionStore } from '../../../../store/session/sessionStore';
import type { WorkProgress } from '../../../../store/slicedWork';
import { StoreError } from '../../../../store/storeError';
import { bringBack } from '../../../../store/library/bringBack';
import { readExport, UnreadableExport } from '../sources/hermesExport/exportReading';
import type { ExportedTable, StoreRow } from '../sources/hermesExport/exportFormat';

const rowsPerTransaction = 1000;
const countColumns = ['message_count', 'tool_call_count', 'turn_count'] as const;

export interface ExportCopy extends StoreCopy {
  /** Parents before their children. */
  readonly sessionIds: readonly string[];
}

/** Writes the rows of an export to a private store with the same rows. Throws a `StoreError`: `newer` for a file of a
 *  later version, `corrupt` for one that is not whole. */
export function storeOfExport(deps: ReadingDeps, path: string): ExportCopy {
  const sessionIds: string[] = [];
  const copy = filledCopy(deps, path, (folder) => {
    const { database } = openDatabase({ ...deps, folder });
    try {
      migrate(database);
      new ExportWriter(database, sessionIds).write(deps.fileSystem, path);
    } catch (error) {
      throw error instanceof UnreadableExport ? unreadable(path, error) : error;
    } finally {
      database.close();
    }
  });
  return { ...copy, sessionIds };
}

/** Result of importing an export. Stopped: the sessions until then are here, whole. */
export interface ImportedExport extends CopiedSessions {
  readonly isStopped: boolean;
}

/** Imports an export into a store: rows that are here stay, and of a message that is in both the longer text is kept.
 *  A turn that was running there is settled as a crash. Queued prompts stay in the file, so that nothing runs on its
 *  own. */
export async function importExport(
  deps: ReadingDeps,
  store: Pick<SessionStore, 'copyToThisFolder'>,
  path: string,
  signal?: AbortSignal,
): Promise<ImportedExport> {
  const copy = storeOfExport(deps, path);
  try {
    return await bringExport(store, copy, signal);
  } finally {
    copy.remove();
  }
}

/** Imports sessions of an export that was read into a private store. */
export async function bringExport(
  store: Pick<SessionStore, 'copyToThisFolder'>,
  copy: Pick<ExportCopy, 'folder' | 'sessionIds'>,
  signal?: AbortSignal,
  onProgress: (progress: WorkProgress) => void = () => undefined,
): Promise<ImportedExport> {
  let until = nothingCopied;
  try {
    const all = await bringBack(store, copy, signal, (progress, brought) => {
      until = brought;
      onProgress(progress);
    });
    return { ...all, isStopped: false };
  } catch (error) {
    if (signal?.aborted !== true || error !== signal.reason) throw error;
    return { ...until, isStopped: true };
  }
}

class ExportWriter {
  private readonly columns = new Map<ExportedTable, ReadonlySet<string>>();
  /** Counts of each session: the triggers of the store count again. */
  private readonly counts = new Map<string, SqlRow>();

  constructor(
    private readonly database: SqlDatabase,
    private readonly sessionIds: string[],
  ) {}

  write(fileSystem: FileSystem, path: string): void {
    let rows: StoreRow[] = [];
    for (const part of readExport(fileSystem, path)) {
      if (part.kind === 'header' && part.header.schemaVersion > schemaVersion)
        throw new StoreError(
          'newer',
          t(
            'Your sessions were saved by a newer version of Hermes. Update the extension to open them; nothing was changed.',
          ),
          `${path} has schema version ${part.header.schemaVersion}`,
        );
      if (part.kind !== 'row') continue;
      rows.push(part.row);
      if (rows.length < rowsPerTransaction) continue;
      this.insertAll(rows);
      rows = [];
    }
    this.insertAll(rows);
    this.restoreCounts();
  }

  private insertAll(rows: readonly StoreRow[]): void {
    this.database.transaction(() => rows.forEach((row) => this.insert(row)));
  }

  private insert({ table, row }: StoreRow): void {
    const known = this.columnsOf(table);
    const names = Object.keys(row).filter((name) => known.has(name));
    if (names.length === 0) throw new UnreadableExport(`a row of ${table} without a known column`);
    this.database.run(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
      names.map((name) => row[name] ?? null),
    );
    const id = row['id'];
    if (table !== 'sessions' || typeof id !== 'string') return;
    this.sessionIds.push(id);
    this.counts.set(id, row);
  }

  private restoreCounts(): void {
    this.database.transaction(() => {
      for (const [id, row] of this.counts)
        this.database.run(`UPDATE sessions SET ${countColumns.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`, [
          ...countColumns.map((name) => row[name] ?? 0),
          id,
        ]);
    });
  }

  private columnsOf(table: ExportedTable): ReadonlySet<string> {
    let columns = this.columns.get(table);
    if (columns === undefined) {
      columns = new Set(this.database.all(`PRAGMA table_info(${table})`).map((column) => String(column['name'])));
      this.columns.set(table, columns);
    }
    return columns;
  }
}

function unreadable(path: string, error: UnreadableExport): StoreError {
  return new StoreError(
    'corrupt',
    t('This file is not a whole export, so nothing was imported.'),
    `${path}: ${error.message}`,
  );
}

import type { CopyToThisFolder, CopiedSessions } from '../../sessionCopying';
import type { SqlDatabase } from '../../engine/sqlDatabase';
import { invalid } from '../tables/refusal';
import { rowsOfSessions, type StoreImport } from './storeImport';

/** Another store, open for reading. */
export interface OtherDatabase {
  readonly database: SqlDatabase;
  close(): void;
}

/** Opens another store, of the newest schema, for reading. */
export type OpenOther = (folder: string) => OtherDatabase;

export const opensNoOther: OpenOther = () => {
  throw invalid('another store, where none can be opened');
};

/** `write` runs its work as one transaction, and may run it again. */
export function copyToThisFolder(
  input: CopyToThisFolder,
  openOther: OpenOther,
  write: <T>(work: () => T) => T,
  importInto: () => StoreImport,
): CopiedSessions {
  const other = openOther(input.folder);
  try {
    return write(() => {
      const rows = rowsOfSessions(other.database, input);
      const { sessions, messages, extended, skipped } = importInto().runForeign(rows, input.sessionIds);
      return { sessions, messages: messages + extended, skipped };
    });
  } finally {
    other.close();
  }
}

import { t } from '../../base/translate';
import type { SqlDatabase } from '../engine/sqlDatabase';
import { StoreError } from '../storeError';
import { schemaVersion1, searchIndexTable, schemaSteps } from './schema';

/** One step of the file's format. Steps are only ever added; a released step is never edited. */
export interface Migration {
  /** `PRAGMA user_version` after this step. */
  readonly version: number;
  /** True when it changes rows with content that the user has seen: then a copy of the file is kept before it runs. */
  readonly rewritesData: boolean;
  apply(database: SqlDatabase): void;
}

export const migrations: readonly Migration[] = [
  { version: 1, rewritesData: false, apply: (database) => database.execute(schemaVersion1 + searchIndexTable) },
  ...schemaSteps.map((sql, index) => ({
    version: index + 2,
    rewritesData: false,
    apply: (database: SqlDatabase) => database.execute(sql),
  })),
];

/** The schema version that this program reads and writes. */
export const schemaVersion = migrations.reduce((highest, migration) => Math.max(highest, migration.version), 0);

interface MigrationOptions {
  /** Keeps a durable copy of the file in its current state; the migration does not start when it throws. Default: none
   *  is kept, of a private copy. */
  readonly keepCopy?: (fromVersion: number) => void;
  readonly steps?: readonly Migration[];
}

/** Migrates the file to the newest version. Each step and its version number are one transaction, so a process that
 *  dies between or within steps leaves a complete version. Returns the versions applied. Throws `newer` for a file
 *  of a later program and does not change it. */
export function migrate(
  database: SqlDatabase,
  { keepCopy, steps = migrations }: MigrationOptions = {},
): readonly number[] {
  const from = readVersion(database);
  const target = steps.reduce((highest, step) => Math.max(highest, step.version), 0);
  if (from > target) {
    throw new StoreError(
      'newer',
      t(
        'Your sessions were saved by a newer version of Hermes. Update the extension to open them; nothing was changed.',
      ),
      `user_version ${from}, this program knows ${target}`,
    );
  }
  const pending = steps.filter((step) => step.version > from).sort((a, b) => a.version - b.version);
  if (from > 0 && pending.some((step) => step.rewritesData)) keepCopy?.(from);
  for (const step of pending) {
    database.transaction(() => {
      step.apply(database);
      database.execute(`PRAGMA user_version = ${step.version}`);
    });
  }
  return pending.map((step) => step.version);
}

function readVersion(database: SqlDatabase): number {
  const version = database.get('PRAGMA user_version')?.['user_version'];
  return typeof version === 'number' ? version : 0;
}

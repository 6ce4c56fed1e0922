import { createRequire } from 'node:module';
import * as v from 'valibot';
import { secretRules } from '../../../../models/secrecy/secrecy';
import { storeError } from '../../../../store/engine/sqlFailure';
import { onReadableCopy, type ReadingDeps, type SalvagedCopy } from '../../../../store/library/foreignStore';
import { copyStore, type StoreCopy } from '../../../../store/library/storeCopy';
import { openDatabase } from '../../../../store/open/openDatabase';
import { schemaVersion } from '../../../../store/schema/migrations';
import type { ExportOptions } from './output/exportOptions';
import { exportFile, type ExportedFile, type ExportRequest } from './exportFile';

const bundle = v.object({ findSecrets: v.function() });
const spans = v.array(v.object({ start: v.number(), end: v.number() }));

/** Exports sessions of a store as of one moment, also while a window has it open: reads a private copy. `salvaged`: the
 *  file is damaged, and only this of it could be read. Throws `corrupt` for such a file unless `salvages` is true. */
export async function exportStore(
  deps: ReadingDeps,
  store: string,
  request: ExportRequest,
  options: ExportOptions,
  salvages = false,
): Promise<ExportedFile & { readonly salvaged: SalvagedCopy | null }> {
  const { sqlite, fileSystem, now } = deps;
  const makeCopy = (): StoreCopy => copyStore(deps, store);
  return onReadableCopy(deps, makeCopy, async (folder, salvaged) => {
    if (salvaged !== null && !salvages) throw storeError('corrupt', store);
    const assertOwned = (): void => undefined;
    const { database } = openDatabase({ sqlite, fileSystem, now, folder, schemaVersion, assertOwned, readOnly: true });
    try {
      return { ...(await exportFile(database, deps, request, options)), salvaged };
    } finally {
      database.abandon();
    }
  });
}

/** Uses the rules of secretlint too, from its bundle. Called once per process. */
export function useSecretBundle(path: string, onFailure: (error: unknown) => void): void {
  secretRules.from({
    load: () => {
      const { findSecrets } = v.parse(bundle, createRequire(path)(path));
      return (text) => v.parse(spans, findSecrets(text));
    },
    onFailure,
  });
}

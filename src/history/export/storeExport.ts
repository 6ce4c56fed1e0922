import { createRequire } from 'node:module';
import * as v from 'valibot';
import { secretRules } from '../../models/secrecy/secrecy';
import { currentCopy, type ReadingDeps } from '../../store/library/foreignStore';
import { openDatabase } from '../../store/open/openDatabase';
import { schemaVersion } from '../../store/schema/migrations';
import type { ExportCourse } from './exportCourse';
import { exportFile, type ExportedFile, type ExportRequest } from './exportFile';

const bundle = v.object({ findSecrets: v.function() });
const spans = v.array(v.object({ start: v.number(), end: v.number() }));

/** Exports sessions of a store as of one moment, also while a window has it open: reads a private copy. */
export async function exportStore(
  deps: ReadingDeps,
  folder: string,
  request: ExportRequest,
  course: ExportCourse,
): Promise<ExportedFile> {
  const copy = currentCopy(deps, folder);
  try {
    const { database } = openDatabase({
      sqlite: deps.sqlite,
      fileSystem: deps.fileSystem,
      now: deps.now,
      folder: copy.folder,
      schemaVersion,
      assertOwned: () => undefined,
      readOnly: true,
    });
    try {
      return await exportFile(database, deps, request, course);
    } finally {
      database.abandon();
    }
  } finally {
    copy.remove();
  }
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

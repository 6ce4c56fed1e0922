import { openDatabase } from '../../store/open/openDatabase';
import { openForeignDatabase } from '../../store/library/foreignDatabase';
import { currentCopy, type ReadingDeps } from '../../store/library/foreignStore';
import { schemaVersion } from '../../store/schema/migrations';
import type { CheckResult } from './findings/finding';
import { checkHermes } from './stores/hermesCheck';
import { checkOwn, type OwnCheckCourse } from './stores/ownCheck';

/** Checks a private copy of the store in a folder, while a window may have it open. Writes nothing there. */
export async function checkStore(deps: ReadingDeps, folder: string, course?: OwnCheckCourse): Promise<CheckResult> {
  const { sqlite, fileSystem, now } = deps;
  const copy = currentCopy(deps, folder);
  try {
    const { database } = openDatabase({
      sqlite,
      fileSystem,
      now,
      folder: copy.folder,
      schemaVersion,
      assertOwned: () => undefined,
    });
    try {
      return await checkOwn(database, folder, course);
    } finally {
      database.abandon();
    }
  } finally {
    copy.remove();
  }
}

/** Checks a private copy of a `state.db` of Hermes Agent. Writes nothing beside it. */
export async function checkHermesFile(deps: ReadingDeps, path: string, course?: OwnCheckCourse): Promise<CheckResult> {
  const database = openForeignDatabase(deps, path);
  try {
    return await checkHermes(database, path, course);
  } finally {
    database.close();
  }
}

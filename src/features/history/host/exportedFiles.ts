import type { Log } from '../../../base/log';
import { shownList, t } from '../../../base/translate';
import { describeError } from '../../../host/common/describeError';
import type { FileSystem } from '../../../store/engine/fileSystem';
import { ExportRegister, type ForgottenInExports } from '../core/export/exportRegister';

/** Files to which sessions of a store were exported, so that forgetting a session reaches them. `store`: the folder
 *  of that store. */
export class ExportedFiles {
  constructor(
    private readonly fileSystem: FileSystem,
    /** Seconds since 1970. */
    private readonly now: () => number,
    private readonly log: Log,
  ) {}

  /** Never throws. */
  note(store: string, path: string, sessionIds: readonly string[]): void {
    try {
      this.register(store).noteExport(path, sessionIds);
    } catch (error) {
      this.log.warn(`The exported file ${path} could not be noted: ${describeError(error).sentence}`);
    }
  }

  /** Never throws: returns sentences about what could not be reached. */
  forget(store: string, sessionIds: readonly string[]): readonly string[] {
    try {
      return leftInExports(this.register(store).forget(sessionIds));
    } catch (error) {
      return [t('Exported files may still hold them. {reason}', { reason: describeError(error).sentence })];
    }
  }

  private register(store: string): ExportRegister {
    return new ExportRegister(this.fileSystem, store, this.now);
  }
}

/** Sentences about exported files that still hold the sessions. */
function leftInExports({ changed, unreachable, shared }: ForgottenInExports): readonly string[] {
  return [
    ...sentenceOf(changed, (paths) => t('Exported files that were changed since are not deleted: {paths}.', { paths })),
    ...sentenceOf(unreachable, (paths) => t('Exported files that Hermes couldn’t find or delete: {paths}.', { paths })),
    ...sentenceOf(shared, (paths) =>
      t('Exported files that hold other sessions too are not deleted: {paths}.', { paths }),
    ),
  ];
}

function sentenceOf(names: readonly string[], sentence: (list: string) => string): readonly string[] {
  return names.length === 0 ? [] : [sentence(shownList([...new Set(names)]))];
}

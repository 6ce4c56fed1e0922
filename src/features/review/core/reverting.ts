import type { Log } from '../../../base/log';
import type { FileChange } from '../../../store/fileChanges';
import type { SessionStore } from '../../../store/session/sessionStore';
import { CannotWrite, FileChanged } from '../../../tools/files/fileEditor';
import { encodeText } from '../../../tools/files/textFormat';
import { beforeAll, type FileHistory, firstOf, historiesOf } from './fileHistory';
import type { PresentFile, PresentFiles } from './presentFiles';
import type { NamedRevert, RevertedFile, RevertRecords } from './revertRecords';
import type { FileOutcome } from './reviewTexts';
import { undo } from './undoing';

interface RevertingDeps {
  readonly store: Pick<SessionStore, 'fileContent'>;
  readonly files: PresentFiles;
  readonly records: RevertRecords;
  /** False when the user declined. Asks for files that are not plainly the workspace's own: the record of a change may
   *  have come with a session that somebody else wrote. `bytes` null: the file is deleted. */
  readonly mayWrite: (path: string, bytes: Uint8Array | null) => Promise<boolean>;
  readonly log: Log;
}

type Outcome = FileOutcome['outcome'];
type Target = { readonly bytes: Uint8Array | null } | 'conflict' | 'notKept';

/** Writes files back to an earlier content. Whatever it replaces is stored before. */
export class Reverting {
  constructor(private readonly deps: RevertingDeps) {}

  /** Removes the changes of a history from the present file. `overwrite`: also later changes of others in the same
   *  lines. */
  async revert(revert: NamedRevert, history: FileHistory, overwrite: boolean): Promise<Outcome> {
    return this.outcomeOf(history.path, async () => {
      const present = await this.deps.files.read(history.path);
      const target = await this.targetOf(history, present, overwrite);
      if (target === 'conflict' || target === 'notKept') return target;
      const { bytes } = target;
      if (bytes === present.bytes) return 'done';
      if (!this.deps.records.canKeep(present.bytes)) return 'notKept';
      if (!(await this.deps.mayWrite(history.path, bytes))) return 'declined';
      await this.recorded(revert, firstOf(history), present, bytes, () => this.deps.files.put(present, bytes));
      return 'done';
    });
  }

  /** Writes a file from which one change was removed. `of`: a change that made it; its session owns what is
   *  replaced. */
  async write(
    revert: NamedRevert,
    of: FileChange,
    present: PresentFile,
    wanted: { readonly text: string } | { readonly bytes: Uint8Array | null },
  ): Promise<Outcome> {
    return this.outcomeOf(of.path, async () => {
      if (!this.deps.records.canKeep(present.bytes)) return 'notKept';
      const { text } = present;
      const encoded = 'bytes' in wanted ? wanted.bytes : text && encodeText(of.path, wanted.text, text);
      if (!(await this.deps.mayWrite(of.path, encoded))) return 'declined';
      await this.recorded(revert, of, present, encoded, () =>
        'bytes' in wanted || text === null
          ? this.deps.files.put(present, encoded)
          : this.deps.files.putText({ ...present, text }, wanted.text),
      );
      return 'done';
    });
  }

  /** Puts back what a revert replaced. Later changes in other lines stay; the same lines are a conflict. */
  async undo({ path, change }: RevertedFile): Promise<Outcome> {
    return this.outcomeOf(path, async () => {
      const [history] = historiesOf([change]);
      if (history === undefined) return 'done';
      const present = await this.deps.files.read(path);
      const target = await this.targetOf(history, present, false);
      if (target === 'conflict' || target === 'notKept') return target;
      if (target.bytes === present.bytes) return 'done';
      if (!(await this.deps.mayWrite(path, target.bytes))) return 'declined';
      await this.deps.files.put(present, target.bytes);
      return 'done';
    });
  }

  private async recorded(
    revert: NamedRevert,
    of: FileChange,
    present: PresentFile,
    wanted: Uint8Array | null,
    write: () => Promise<void>,
  ): Promise<void> {
    const record = await this.deps.records.begin(revert, of, present.bytes, wanted);
    try {
      await write();
    } catch (error) {
      // Nothing was written. After any other failure the file may be written in part, and there is something to undo.
      if (error instanceof FileChanged) await this.deps.records.end(record, present.bytes);
      else await this.written(record);
      throw error;
    }
    await this.written(record);
  }

  private async written(record: FileChange): Promise<void> {
    await this.deps.records.end(record, (await this.deps.files.read(record.path)).bytes);
  }

  private async outcomeOf(path: string, work: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FileChanged) return 'conflict';
      if (!(error instanceof CannotWrite)) throw error;
      // The user is notified which file failed; the reason goes to the log.
      this.deps.log.warn(`${path} was not reverted: ${error.message}`);
      return 'cannotWrite';
    }
  }

  private async targetOf(history: FileHistory, present: PresentFile, overwrite: boolean): Promise<Target> {
    const undone = await undo(history, present.bytes, (hash) => this.deps.store.fileContent(hash));
    if (undone.kind === 'undone') return undone;
    if (undone.kind === 'conflict' && !overwrite) return 'conflict';
    const before = beforeAll(history);
    const bytes = before === null ? null : await this.deps.store.fileContent(before);
    return before !== null && bytes === null ? 'notKept' : { bytes };
  }
}

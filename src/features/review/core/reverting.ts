import { errorMessage } from '../../../base/errorMessage';
import { t } from '../../../base/translate';
import type { FileChange } from '../../../store/fileChanges';
import { StoreError } from '../../../store/storeError';
import { FileChanged } from '../../../tools/files/fileEditor';
import { encodeText } from '../../../tools/files/textFormat';
import type { ReviewOutcome } from '../../../transcript/changedFile';
import { beforeAll, type FileHistory, firstOf, historiesOf } from './fileHistory';
import type { PresentFile, PresentFiles } from './presentFiles';
import type { NamedRevert, RevertedFile, RevertRecords } from './revertRecords';
import type { ReviewServices } from './reviewServices';
import { undo } from './undoing';

export interface FileOutcome {
  readonly path: string;
  readonly shown: string;
  /** conflict: changed in the same places since · notKept: the earlier content is not stored · notUndone: changed in
   *  the same places since the revert · declined: by the user, who was asked; nothing more is said about it. */
  readonly outcome: 'done' | 'conflict' | 'notKept' | 'cannotWrite' | 'notUndone' | 'declined';
}

export const allDone: ReviewOutcome = { sentence: null, conflicts: [] };

export function outcomeOf(files: readonly FileOutcome[]): ReviewOutcome {
  const sentences = (['conflict', 'notKept', 'cannotWrite', 'notUndone'] as const).flatMap((kind) => {
    const named = files.filter(({ outcome }) => outcome === kind).map(({ shown }) => shown);
    return named.length === 0 ? [] : [sentenceOf(kind, named.join(', '))];
  });
  return {
    sentence: sentences.length === 0 ? null : sentences.join(' '),
    conflicts: files.filter(({ outcome }) => outcome === 'conflict').map(({ path }) => path),
  };
}

function sentenceOf(kind: 'conflict' | 'notKept' | 'cannotWrite' | 'notUndone', files: string): string {
  switch (kind) {
    case 'conflict':
      return t('These files have since been changed in the same places, so they weren’t reverted: {files}.', { files });
    case 'notKept':
      return t('These files were too large to save a copy of, so they can’t be reverted: {files}.', { files });
    case 'cannotWrite':
      return t('These files couldn’t be written and haven’t changed: {files}. See the log for details.', { files });
    case 'notUndone':
      return t(
        'These files have been changed in the same places since they were reverted, so the revert wasn’t undone: {files}. What it replaced is still saved.',
        { files },
      );
  }
}

type Outcome = FileOutcome['outcome'];
type Target = { readonly bytes: Uint8Array | null } | 'conflict' | 'notKept';

/** Writes files back to an earlier content. Whatever it replaces is stored before. */
export class Reverting {
  constructor(
    private readonly services: ReviewServices,
    private readonly files: PresentFiles,
    private readonly records: RevertRecords,
  ) {}

  /** Removes the changes of a history from the present file. `overwrite`: also later changes of others in the same
   *  lines. */
  async revert(revert: NamedRevert, history: FileHistory, overwrite: boolean): Promise<Outcome> {
    return this.outcomeOf(history.path, async () => {
      const present = await this.files.read(history.path);
      const target = await this.targetOf(history, present, overwrite);
      if (target === 'conflict' || target === 'notKept') return target;
      const { bytes } = target;
      if (bytes === present.bytes) return 'done';
      if (!this.records.canKeep(present.bytes)) return 'notKept';
      if (!(await this.services.mayWrite(history.path, bytes))) return 'declined';
      await this.recorded(revert, firstOf(history), present, bytes, () => this.files.put(present, bytes));
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
      if (!this.records.canKeep(present.bytes)) return 'notKept';
      const { text } = present;
      const encoded = 'bytes' in wanted ? wanted.bytes : text && encodeText(of.path, wanted.text, text);
      if (!(await this.services.mayWrite(of.path, encoded))) return 'declined';
      await this.recorded(revert, of, present, encoded, () =>
        'bytes' in wanted || text === null
          ? this.files.put(present, encoded)
          : this.files.putText({ ...present, text }, wanted.text),
      );
      return 'done';
    });
  }

  /** Puts back what a revert replaced. Later changes in other lines stay; the same lines are a conflict. */
  async undo({ path, change }: RevertedFile): Promise<Outcome> {
    return this.outcomeOf(path, async () => {
      const [history] = historiesOf([change]);
      if (history === undefined) return 'done';
      const present = await this.files.read(path);
      const target = await this.targetOf(history, present, false);
      if (target === 'conflict' || target === 'notKept') return target;
      if (target.bytes === present.bytes) return 'done';
      if (!(await this.services.mayWrite(path, target.bytes))) return 'declined';
      await this.files.put(present, target.bytes);
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
    const record = await this.records.begin(revert, of, present.bytes, wanted);
    try {
      await write();
    } catch (error) {
      // Nothing was written. After any other failure the file may be written in part, and there is something to undo.
      if (error instanceof FileChanged) await this.records.end(record, present.bytes);
      else await this.written(record);
      throw error;
    }
    await this.written(record);
  }

  private async written(record: FileChange): Promise<void> {
    await this.records.end(record, (await this.files.read(record.path)).bytes);
  }

  private async outcomeOf(path: string, work: () => Promise<Outcome>): Promise<Outcome> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof FileChanged) return 'conflict';
      if (error instanceof StoreError) throw error;
      // The user is notified which file failed; the reason goes to the log. The other files are reverted.
      this.services.log.warn(`${path} was not reverted: ${errorMessage(error)}`);
      return 'cannotWrite';
    }
  }

  private async targetOf(history: FileHistory, present: PresentFile, overwrite: boolean): Promise<Target> {
    const undone = await undo(history, present.bytes, (hash) => this.services.store.fileContent(hash));
    if (undone.kind === 'undone') return undone;
    if (undone.kind === 'conflict' && !overwrite) return 'conflict';
    const before = beforeAll(history);
    const bytes = before === null ? null : await this.services.store.fileContent(before);
    return before !== null && bytes === null ? 'notKept' : { bytes };
  }
}

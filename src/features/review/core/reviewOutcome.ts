import { t } from '../../../base/translate';
import type { ReviewOutcome } from '../../../transcript/changedFile';

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

import type { ReviewOutcome } from '../../../transcript/changedFile';

/** Sentences for the user about files that were not reverted. `files`: their names, joined. */
export interface ReviewTexts {
  /** The files were changed in the same places since. */
  conflict(files: string): string;
  /** The earlier contents are not stored. */
  notKept(files: string): string;
  cannotWrite(files: string): string;
  /** The files were changed in the same places since they were reverted. */
  notUndone(files: string): string;
  /** The change no longer exists. */
  gone(file: string): string;
}

export interface FileOutcome {
  readonly path: string;
  readonly shown: string;
  /** declined: by the user, who was asked; nothing more is said about it. */
  readonly outcome: 'done' | 'conflict' | 'notKept' | 'cannotWrite' | 'notUndone' | 'declined';
}

export const allDone: ReviewOutcome = { sentence: null, conflicts: [] };

export function outcomeOf(files: readonly FileOutcome[], texts: ReviewTexts): ReviewOutcome {
  const sentences = (['conflict', 'notKept', 'cannotWrite', 'notUndone'] as const).flatMap((kind) => {
    const named = files.filter(({ outcome }) => outcome === kind).map(({ shown }) => shown);
    return named.length === 0 ? [] : [texts[kind](named.join(', '))];
  });
  return {
    sentence: sentences.length === 0 ? null : sentences.join(' '),
    conflicts: files.filter(({ outcome }) => outcome === 'conflict').map(({ path }) => path),
  };
}

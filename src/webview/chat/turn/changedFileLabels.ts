import type { ChangedFile } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** True when the changes are neither kept nor reverted, or only partly. */
export function isUndecided({ state }: ChangedFile): boolean {
  return state === 'open' || state === 'partly' || state === 'changedSince';
}

/** True when there may be something to revert. Keeping changes does not prevent that. */
export function isRevertible({ state }: ChangedFile): boolean {
  return state !== 'reverted';
}

/** "3 files changed". */
export function filesText(files: readonly ChangedFile[]): string {
  return files.length === 1 ? t('1 file changed') : t('{count} files changed', { count: files.length });
}

/** "Reverted 2 files.": of files with a revert that can be undone. */
export function revertedWords(files: readonly ChangedFile[]): string {
  const count = files.length;
  if (files.every(({ state }) => state === 'reverted'))
    return count === 1 ? t('Reverted 1 file.') : t('Reverted {count} files.', { count });
  return count === 1 ? t('Reverted changes in 1 file.') : t('Reverted changes in {count} files.', { count });
}

/** Returns the state of the files when all have the same; null when there is nothing to say. */
export function fileStateWord(files: readonly ChangedFile[]): string | null {
  const states = new Set(files.map(({ state }) => state));
  const state = [...states][0];
  if (states.size > 1)
    return [...states].every((one) => one === 'kept' || one === 'reverted') ? t('partly kept, partly reverted') : null;
  switch (state) {
    case 'kept':
      return t('kept');
    case 'reverted':
      return t('reverted');
    case 'partly':
      return t('partly reviewed');
    case 'changedSince':
      return t('changed since');
    default:
      return null;
  }
}

export function changeWord(kind: ChangedFile['kind']): string {
  switch (kind) {
    case 'created':
      return t('created');
    case 'edited':
      return t('edited');
    case 'deleted':
      return t('deleted');
  }
}

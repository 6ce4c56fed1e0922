import type { ChangedFile } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

/** Neither kept nor reverted yet, or not wholly. */
export function isUndecided({ state }: ChangedFile): boolean {
  return state === 'open' || state === 'partly' || state === 'changedSince';
}

/** "3 files changed". */
export function filesWords(files: readonly ChangedFile[]): string {
  return files.length === 1 ? t('1 file changed') : t('{count} files changed', { count: files.length });
}

/** What became of files, where all went the same way; null where there is nothing to say. */
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

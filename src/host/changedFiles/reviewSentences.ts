import { t } from '../../base/translate';
import type { ReviewTexts } from '../../tools/files/changes/reviewTexts';

/** Texts in the user's language. */
export const reviewTexts: ReviewTexts = {
  conflict: (files) =>
    t('These files have since been changed in the same places, so they weren’t reverted: {files}.', {
      files,
    }),
  notKept: (files) => t('These files were too large to save a copy of, so they can’t be reverted: {files}.', { files }),
  cannotWrite: (files) =>
    t('These files couldn’t be written and haven’t changed: {files}. See the log for details.', { files }),
  notUndone: (files) =>
    t(
      'These files have been changed in the same places since they were reverted, so the revert wasn’t undone: {files}. What it replaced is still saved.',
      { files },
    ),
  gone: (file) => t('This change to {file} no longer exists.', { file }),
};

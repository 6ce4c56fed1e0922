import type { ReviewTexts } from '../../../src/features/review/core/reviewTexts';

export const plainReviewTexts: ReviewTexts = {
  conflict: (files) => `These files have since been changed in the same places, so they weren’t reverted: ${files}.`,
  notKept: (files) => `These files were too large to save a copy of, so they can’t be reverted: ${files}.`,
  cannotWrite: (files) => `These files couldn’t be written and haven’t changed: ${files}. See the log for details.`,
  notUndone: (files) =>
    'These files have been changed in the same places since they were reverted, so the revert wasn’t undone: ' +
    `${files}. What it replaced is still saved.`,
  gone: (file) => `This change to ${file} no longer exists.`,
};

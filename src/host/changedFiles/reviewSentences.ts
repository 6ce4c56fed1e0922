import * as vscode from 'vscode';
import type { ReviewTexts } from '../../tools/files/changes/reviewTexts';

/** Texts in the user's language. */
export const reviewTexts: ReviewTexts = {
  conflict: (files) =>
    vscode.l10n.t('These files were changed since in the same places, so they stay as they are: {files}.', { files }),
  notKept: (files) =>
    vscode.l10n.t('What these files held before is not stored, because they are too large: {files}.', { files }),
  cannotWrite: (files) =>
    vscode.l10n.t('These files could not be written, and stay as they are: {files}. The log says why.', { files }),
  gone: (file) => vscode.l10n.t('This change of {file} is not there any more.', { file }),
};

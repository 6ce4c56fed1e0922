import * as vscode from 'vscode';
import { showInvisible, showMisleading } from '../../protocol/invisibleCharacters';
import { t } from '../../base/translate';
import type { AccessPaths } from '../../tools/accessPaths';
import { textOf } from '../../tools/files/changes/undoing';
import { changeReasons, judgedName } from '../../tools/pathTreatment';
import type { AskReason } from '../../transcript/approval';

/** Characters of a file's content that the question shows. */
const shownCharacters = 1500;

/** Asks before a revert writes a file outside the open folders, or one that an edit is asked for in every mode: the
 *  record of the change may have come with a session that somebody else wrote. `bytes` null: deletes the file. */
export async function mayWrite(paths: AccessPaths, path: string, bytes: Uint8Array | null): Promise<boolean> {
  const place = await paths.locate(path);
  const reasons: readonly AskReason[] = [
    ...(place.isInside ? [] : (['outside'] as const)),
    ...changeReasons(judgedName(place)),
  ];
  if (reasons.length === 0) return true;
  const file = showInvisible(place.isInside ? place.shown : place.path);
  const question = bytes === null ? t('Delete {file}?', { file }) : t('Write this content to {file}?', { file });
  const detail = [reasons.map(sentenceOf).join(' '), ...(bytes === null ? [] : [contentOf(path, bytes)])].join('\n\n');
  const revert = t('Revert');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, revert)) === revert;
}

function contentOf(path: string, bytes: Uint8Array): string {
  const text = textOf(path, bytes)?.text ?? Buffer.from(bytes).toString('latin1');
  return showMisleading(text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text);
}

function sentenceOf(reason: AskReason): string {
  switch (reason) {
    case 'outside':
      return t('Outside the open folders.');
    case 'sensitive':
      return t('Files like this often contain secrets.');
    case 'repositoryInternals':
      return t('This file is part of .git.');
    default:
      return t('Configures tools that run on your machine.');
  }
}

import { shownList, t } from '../../../base/translate';
import type { ForgottenPlaces } from '../core/backups';

/** Sentences about sessions that may still be in backups. Empty when none are. */
export function leftInBackups({ unreachable, unreadable, incomplete, removed }: ForgottenPlaces): readonly string[] {
  return [
    ...sentenceOf(unreachable, (folders) =>
      t('Backups in {folders} can’t be reached now. Hermes erases the sessions there once it can.', { folders }),
    ),
    ...sentenceOf(unreadable, (names) => t('Backups that can’t be read may still hold them: {names}.', { names })),
    ...sentenceOf(incomplete, (names) => t('Traces may remain in unused parts of these backups: {names}.', { names })),
    ...sentenceOf(removed, (names) => t('Damaged backups that may have held them were removed: {names}.', { names })),
  ];
}

function sentenceOf(names: readonly string[], sentence: (list: string) => string): readonly string[] {
  return names.length === 0 ? [] : [sentence(shownList([...new Set(names)]))];
}

import type { Mode } from '../../../protocol/transcriptTypes';
import { t } from '../../localization';

export function modeName(mode: Mode): string {
  switch (mode) {
    case 'ask':
      return t('Ask Before Edits');
    case 'auto':
      return t('Edit Automatically');
    case 'plan':
      return t('Plan');
  }
}

/** `confined`: commands run in the sandbox. */
export function modeLabels(mode: Mode, confined: boolean): string {
  switch (mode) {
    case 'ask':
      return t('Every change and every command is asked for.');
    case 'auto':
      return confined
        ? t(
            'Files in the open folders are edited without asking, and can be reverted. Commands run in the sandbox without asking.',
          )
        : t('Files in the open folders are edited without asking, and can be reverted. Commands are still asked for.');
    case 'plan':
      return t('Reads only, then proposes a plan.');
  }
}

export const modeIcons: Readonly<Record<Mode, string>> = { ask: 'shield', auto: 'edit', plan: 'list-ordered' };

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
      return t('Asks before every edit and command.');
    case 'auto':
      return confined
        ? t('Edits files in this workspace without asking. Runs commands in the sandbox without asking.')
        : t('Edits files in this workspace without asking. Still asks before running commands.');
    case 'plan':
      return t('Reads only, then proposes a plan.');
  }
}

export const modeIcons: Readonly<Record<Mode, string>> = { ask: 'shield', auto: 'edit', plan: 'list-ordered' };

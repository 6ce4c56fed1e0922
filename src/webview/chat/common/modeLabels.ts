import type { Mode } from '../../../transcript/approval';
import { t } from '../../localization';

/** Name of a permission mode, in its picker and on cards. */
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

/** What a mode lets the agent do. `confined`: commands run in the sandbox. */
export function modeLabels(mode: Mode, confined: boolean): string {
  switch (mode) {
    case 'ask':
      return t('Asks before every edit, and before commands that aren’t known to be read-only.');
    case 'auto':
      return confined
        ? t('Edits files in this workspace without asking. Runs commands in the sandbox without asking.')
        : t('Edits files in this workspace without asking. Still asks before running commands.');
    case 'plan':
      return t('Reads only, then proposes a plan.');
  }
}

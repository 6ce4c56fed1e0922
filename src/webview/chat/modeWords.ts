import type { Mode } from '../../protocol/transcriptWords';
import { t } from '../localization';

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

export function modeWords(mode: Mode): string {
  switch (mode) {
    case 'ask':
      return t('Every change and every command is asked for.');
    case 'auto':
      return t(
        'Files in the open folders are edited without asking, and can be reverted. Commands are still asked for.',
      );
    case 'plan':
      return t('Nothing is changed: the agent reads, and proposes a plan.');
  }
}

export const modeIcons: Readonly<Record<Mode, string>> = { ask: 'shield', auto: 'edit', plan: 'list-ordered' };

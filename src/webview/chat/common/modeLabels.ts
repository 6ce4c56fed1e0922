import type { Mode } from '../../../transcript/approval';
import { t } from '../../localization';

/** Name of a permission mode in its picker and on cards, and what it lets the agent do. `confined`: commands run in
 *  the sandbox. */
export const modeLabels: Readonly<
  Record<Mode, { readonly name: () => string; readonly about: (confined: boolean) => string }>
> = {
  ask: {
    name: () => t('Ask Before Edits'),
    about: () => t('Asks before every edit, and before commands that aren’t known to be read-only.'),
  },
  auto: {
    name: () => t('Edit Automatically'),
    about: (confined) =>
      confined
        ? t('Edits files in this workspace without asking. Runs commands in the sandbox without asking.')
        : t('Edits files in this workspace without asking. Still asks before running commands.'),
  },
  plan: { name: () => t('Plan'), about: () => t('Reads only, then proposes a plan.') },
};

import { storeError } from '../../../store/engine/sqlFailure';
import { StoreError } from '../../../store/storeError';

/** How to get back what can be read of a damaged file. */
export const rescueText =
  'To move everything readable into a new file and keep the damaged one: ' +
  'hermes-history check --store <folder> --repair --yes';

/** Text for the error of a damaged store, whose own sentence is one for a window; null for any other error. */
export function damageText(error: unknown): string | null {
  const isDamage = error instanceof StoreError && error.message === storeError('corrupt', '').message;
  return isDamage ? `The file that holds these sessions is damaged. Nothing was changed. ${rescueText}` : null;
}

import { t } from '../../../../base/translate';
import { SyncFailure } from '../syncFailure';

/** wrongPassphrase, wrongRecoveryKey: nothing was changed. damagedRow: a body is not what was sent for its place.
 *  unsealedRow: a body that was not encrypted. newerVersion: written by a newer Hermes. damagedDescription: the key's
 *  description cannot be read. otherKey: the description on the server is of another key. changedMeanwhile: another
 *  machine changed the description. */
type EncryptionProblem =
  | { readonly kind: 'damagedRow' | 'unsealedRow'; readonly conversationId: string; readonly document: string }
  | { readonly kind: 'wrongPassphrase' | 'wrongRecoveryKey' | 'newerVersion' | 'damagedDescription' }
  | { readonly kind: 'otherKey' | 'changedMeanwhile' };

/** A failure of encryption, with a sentence for the user. */
export class EncryptionError extends SyncFailure {
  constructor(readonly problem: EncryptionProblem) {
    super(kindOf(problem), sentence(problem), problem.kind);
  }
}

function kindOf({ kind }: EncryptionProblem): 'seal' | 'key' | 'busy' {
  if (kind === 'changedMeanwhile') return 'busy';
  return kind === 'otherKey' ? 'key' : 'seal';
}

function sentence(problem: EncryptionProblem): string {
  switch (problem.kind) {
    case 'wrongPassphrase':
      return t('This passphrase does not open the history on the server. Nothing was changed.');
    case 'wrongRecoveryKey':
      return t('This recovery key does not open the history on the server. Check it for typing errors.');
    case 'newerVersion':
      return t('The history on the server was written by a newer version of Hermes. Update Hermes to read it.');
    case 'damagedDescription':
      return t('The encryption key on the server is damaged. Your sessions on this machine are safe.');
    case 'otherKey':
      return t(
        'The key on the server is not the one of this machine, so nothing is exchanged. If you did not begin this history again, choose Change Passphrase… in Sync Status.',
      );
    case 'changedMeanwhile':
      return t('Another machine changed the passphrase just now. Nothing was changed here.');
    case 'damagedRow':
      return t('Part of a session on the server was damaged or changed ({document}). Your copy here is safe.', {
        document: problem.document,
      });
    case 'unsealedRow':
      return t('Part of a session on the server is not encrypted ({document}) and was refused.', {
        document: problem.document,
      });
  }
}

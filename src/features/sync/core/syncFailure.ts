import { t } from '../../../base/translate';

export type SyncFailureKind =
  | 'host'
  | 'port'
  | 'timeout'
  | 'noTls'
  | 'certificate'
  | 'password'
  | 'database'
  | 'noRight'
  | 'full'
  | 'busy'
  | 'readOnly'
  | 'starting'
  | 'tooOld'
  | 'newerTables'
  | 'encoding'
  | 'address'
  | 'lost'
  /** The server cannot read or keep rows of one conversation. */
  | 'rows'
  /** Another store uses the id of this one. */
  | 'twin'
  /** Encryption: see `EncryptionError`. `key`: this machine lacks the key of the history: nothing can be exchanged. */
  | 'seal'
  | 'key'
  | 'unknown';

const temporary: readonly SyncFailureKind[] = [
  'host',
  'port',
  'timeout',
  'busy',
  'readOnly',
  'starting',
  'lost',
  'twin',
];

/** A server that cannot be used. The message is a sentence for the user, and never has a password. */
export class SyncFailure extends Error {
  override readonly name = 'SyncFailure';
  constructor(
    readonly kind: SyncFailureKind,
    message: string,
    readonly technical: string,
    /** Statements that an administrator can run, when a right is missing. */
    readonly sql: string | null = null,
  ) {
    super(message);
  }

  /** True when it may go away by itself soon. */
  get isTemporary(): boolean {
    return temporary.includes(this.kind);
  }
}

/** The failure of a machine without the key of an encrypted history. */
export function needsKey(technical: string): SyncFailure {
  return new SyncFailure(
    'key',
    t(
      'This history is encrypted, and this machine does not have its key. Set up sync again, and enter the passphrase or the recovery key.',
    ),
    technical,
  );
}

/** The failure of a store whose id another one uses: one is a copy of the other. */
export function twinFailure(origin: string): SyncFailure {
  return new SyncFailure(
    'twin',
    t('A copy of these sessions is in use elsewhere. This machine continues under another id.'),
    `${origin} is used by another store`,
  );
}

/** The failure in an error that another bundle may have made; null when it is another error. */
export function syncFailureIn(error: unknown): SyncFailure | null {
  if (error instanceof SyncFailure) return error;
  return error instanceof Error && error.name === 'SyncFailure' && 'isTemporary' in error && 'kind' in error
    ? (error as SyncFailure)
    : null;
}

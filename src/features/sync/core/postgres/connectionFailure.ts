import { errorMessage } from '../../../../base/errorMessage';
import { t } from '../../../../base/translate';
import { SyncFailure, type SyncFailureKind } from '../syncFailure';
import { shownAddress, type DatabaseAddress } from './connectionString';
import { schemaSql } from './schema';

const kinds: Readonly<Record<string, SyncFailureKind>> = {
  ENOTFOUND: 'host',
  EAI_AGAIN: 'host',
  ECONNREFUSED: 'port',
  EHOSTUNREACH: 'port',
  ENETUNREACH: 'port',
  ETIMEDOUT: 'timeout',
  ECONNRESET: 'lost',
  EPIPE: 'lost',
  CERT_HAS_EXPIRED: 'certificate',
  CERT_NOT_YET_VALID: 'certificate',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate',
  // SQLSTATE
  '28P01': 'password',
  '28000': 'password',
  '3D000': 'database',
  '42501': 'noRight',
  '53100': 'full',
  '53200': 'busy',
  '53300': 'busy',
  '25006': 'readOnly',
  // statement_timeout
  '57014': 'timeout',
  '57P01': 'lost',
  '57P02': 'lost',
  '57P03': 'starting',
  '40001': 'busy',
  '40P01': 'busy',
  // Dropped tables or schema: the next connection makes them again.
  '42P01': 'busy',
  '3F000': 'busy',
  // lock_timeout, idle_in_transaction_session_timeout
  '55P03': 'busy',
  '25P03': 'lost',
};
/** Data that the database cannot hold, its limits, damaged pages and indexes. */
const ofRows = /^(?:22|54)|^XX00[12]$/;
/** Messages of errors that `pg` throws without a code, and of PgBouncer, which gives all of its own 08P01. */
const messages: readonly (readonly [RegExp, SyncFailureKind])[] = [
  [/server_login_retry|cannot connect to server|no more connections/i, 'busy'],
  [/server conn crashed|server connection closed|closed the connection/i, 'lost'],
  [/no such database|database ".*" does not exist/i, 'database'],
  [/no such user/i, 'password'],
  [/does not support SSL/i, 'noTls'],
  [/timeout/i, 'timeout'],
  [/terminated|connection ended|not queryable|Cannot use a pool/i, 'lost'],
  [/password must be a string|SASL|authentication/i, 'password'],
];

/** SQLSTATE or system code of an error; null when it has none. */
export function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : null;
  return typeof code === 'string' ? code : null;
}

/** Tells apart why a database cannot be used. */
export function syncFailure(error: unknown, address: DatabaseAddress): SyncFailure {
  if (error instanceof SyncFailure) return error;
  // Several addresses of one name were tried.
  if (error instanceof AggregateError && error.errors.length > 0) return syncFailure(error.errors[0], address);
  const technical = errorMessage(error);
  const code = codeOf(error);
  const kind =
    (code === null ? undefined : (kinds[code] ?? (ofRows.test(code) ? 'rows' : undefined))) ??
    messages.find(([pattern]) => pattern.test(technical))?.[1] ??
    'unknown';
  return new SyncFailure(
    kind,
    sentenceOf(kind, code, technical, address),
    code === null ? technical : `${code}: ${technical}`,
    kind === 'noRight' ? schemaSql(address.user) : null,
  );
}

function sentenceOf(kind: SyncFailureKind, code: string | null, technical: string, address: DatabaseAddress): string {
  const { host, port, database, user } = address;
  const where = shownAddress(address);
  switch (kind) {
    case 'host':
      return t('The server {host} was not found. Check its name and your network.', { host });
    case 'port':
      return t('Nothing answers at {host}, port {port}. Check that the server runs and the port is right.', {
        host,
        port,
      });
    case 'timeout':
      return t('The server {host} did not answer in time.', { host });
    case 'noTls':
      return t('The server {host} offers no encrypted connection, which is required. Turn on TLS there.', { host });
    case 'certificate':
      return certificateSentence(code, host);
    case 'password':
      return t('The server {host} refused the user {user} or the password.', { host, user });
    case 'database':
      return t('There is no database {database} on {host}.', { database, host });
    case 'noRight':
      return t(
        'The user {user} may not use or create the tables of Hermes in {where}. An administrator can create them.',
        {
          user,
          where,
        },
      );
    case 'full':
      return t('The disk of the server {host} is full.', { host });
    case 'busy':
    case 'readOnly':
    case 'starting':
      return t('The server {host} can’t be used right now.', { host });
    case 'lost':
      return t('The connection to {host} was lost.', { host });
    default:
      return t('The server {host} reported a problem: {problem}', { host, problem: technical });
  }
}

function certificateSentence(code: string | null, host: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return t('The certificate of {host} has expired. It must be renewed there.', { host });
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return t('The certificate of {host} was made for another name. Use the name that it was made for.', { host });
    default:
      return t(
        'The certificate of {host} is not trusted on this machine. If it is right, add sslrootcert= with the path of its root certificate to the connection string.',
        { host },
      );
  }
}

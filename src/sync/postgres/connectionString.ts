import { t } from '../../base/translate';
import { SyncFailure } from '../syncFailure';

/** A database, as a connection string names it. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  /** none: only to this machine. Otherwise the certificate must be valid for the host. */
  readonly tls: 'none' | 'verified';
  /** Path of a file with certificates that are trusted, too. */
  readonly rootCertificate: string | null;
}

const usualPort = 5432;

/** Reads `postgres://user:password@host:port/database`. Throws a `SyncFailure` that says what to write. */
export function parseConnectionString(text: string): DatabaseAddress {
  const url = urlIn(text.trim());
  const host = decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1');
  const database = decoded(url.pathname.slice(1));
  const [user, password] = [decoded(url.username), decoded(url.password)];
  if (host === '')
    throw wrong(t('The connection string names no server. Write postgres://user:password@server/database.'));
  if (user === '')
    throw wrong(t('The connection string names no user. Write postgres://user:password@server/database.'));
  if (database === '')
    throw wrong(t('The connection string names no database. Write postgres://user:password@server/database.'));
  return {
    host,
    port: url.port === '' ? usualPort : Number(url.port),
    database,
    user,
    password,
    tls: tlsOf(host, url.searchParams.get('sslmode')),
    rootCertificate: url.searchParams.get('sslrootcert'),
  };
}

/** "database on host", with the port when it is not the usual one. */
export function shownAddress({ host, port, database }: Pick<DatabaseAddress, 'host' | 'port' | 'database'>): string {
  return t('{database} on {host}', { database, host: port === usualPort ? host : `${host}:${port}` });
}

function urlIn(text: string): URL {
  try {
    // A URL of an unknown scheme is not split into its parts.
    if (/^postgres(?:ql)?:\/\//i.test(text)) return new URL(text.replace(/^[^:]+/, 'http'));
  } catch {
    // Said below.
  }
  throw wrong(
    t(
      'This is not a connection string. Write postgres://user:password@server/database. Special characters of the password are written as in a web address.',
    ),
  );
}

function tlsOf(host: string, mode: string | null): 'none' | 'verified' {
  const isHere = /^(?:localhost|127(?:\.\d+){3}|::1)$/i.test(host);
  switch (mode) {
    case null:
      return isHere ? 'none' : 'verified';
    case 'verify-full':
      return 'verified';
    default:
      if (isHere && mode === 'disable') return 'none';
      throw wrong(
        t(
          'sslmode={mode} does not check that the server is the right one. Leave it out, or write sslmode=verify-full.',
          {
            mode,
          },
        ),
      );
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw wrong(t('The connection string has a % that begins no character. Write it as %25.'));
  }
}

function wrong(sentence: string): SyncFailure {
  return new SyncFailure('address', sentence, 'the connection string');
}

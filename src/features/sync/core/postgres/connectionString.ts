import { t } from '../../../../base/translate';
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
  if (host === '' || user === '' || database === '') throw wrong(malformed());
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

/** "host/database", with the port when it is not the usual one. */
export function shownAddress({ host, port, database }: Pick<DatabaseAddress, 'host' | 'port' | 'database'>): string {
  return `${port === usualPort ? host : `${host}:${port}`}/${database}`;
}

function urlIn(text: string): URL {
  try {
    // A URL of an unknown scheme is not split into its parts.
    if (/^postgres(?:ql)?:\/\//i.test(text)) return new URL(text.replace(/^[^:]+/, 'http'));
  } catch {
    // Said below.
  }
  throw wrong(malformed());
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
    throw wrong(malformed());
  }
}

function malformed(): string {
  return t(
    'Write postgres://user:password@server/database. Special characters are written as in a web address: %40 for @.',
  );
}

function wrong(sentence: string): SyncFailure {
  return new SyncFailure('address', sentence, 'the connection string');
}

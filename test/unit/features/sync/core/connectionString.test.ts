import { describe, expect, it } from 'vitest';
import { parseConnectionString, shownAddress } from '../../../../../src/features/sync/core/postgres/connectionString';
import { syncFailure } from '../../../../../src/features/sync/core/postgres/connectionFailure';
import { schemaSql } from '../../../../../src/features/sync/core/postgres/schema';
import { SyncFailure, syncFailureIn } from '../../../../../src/features/sync/core/syncFailure';
import { namedHistory } from '../../../../../src/features/sync/host/syncMemory';

const refusal = (text: string): string => {
  try {
    parseConnectionString(text);
    return 'accepted';
  } catch (error) {
    return error instanceof SyncFailure ? `${error.kind}: ${error.message}` : String(error);
  }
};

describe('a connection string', () => {
  it('names the server, the database and the user, with what is written as in a web address', () => {
    expect(
      parseConnectionString(' postgresql://me%40work:p%2Fw%3A@Db.Example:6432/my%20db?sslrootcert=%2Fca.crt '),
    ).toEqual({
      host: 'db.example',
      port: 6432,
      database: 'my db',
      user: 'me@work',
      password: 'p/w:',
      tls: 'verified',
      rootCertificate: '/ca.crt',
    });
  });

  it.each([
    ['postgres://u:p@localhost/d', 'none'],
    ['postgres://u:p@127.0.0.1:1/d', 'none'],
    ['postgres://u:p@[::1]/d', 'none'],
    ['postgres://u:p@localhost/d?sslmode=verify-full', 'verified'],
    ['postgres://u:p@db.example/d', 'verified'],
    ['postgres://u:p@db.example/d?sslmode=verify-full', 'verified'],
    // Ends like this machine's name, and is another.
    ['postgres://u:p@127.0.0.1.example/d', 'verified'],
  ])('%s is %s', (text, tls) => {
    expect(parseConnectionString(text).tls).toBe(tls);
  });

  it.each([
    '',
    'host=db user=me',
    'mysql://u:p@h/d',
    'postgres://u:p@h',
    'postgres://h/d',
    'postgres:///d',
    'postgres://u:%@h/d',
    'postgres://u:p@h:port/d',
  ])('“%s” is refused, and the sentence says what to write', (text) => {
    expect(refusal(text)).toMatch(/^address: Write postgres:\/\/user:password@server\/database/);
  });

  it.each(['disable', 'allow', 'prefer', 'require', 'verify-ca'])(
    'sslmode=%s to another machine is refused',
    (mode) => {
      expect(refusal(`postgres://u:p@db.example/d?sslmode=${mode}`)).toContain(`sslmode=${mode} does not check`);
    },
  );

  it('is shown without user and password', () => {
    const shown = (text: string): string => shownAddress(parseConnectionString(text));
    expect([shown('postgres://u:secret@h/d'), shown('postgres://u:secret@h:1/d')]).toEqual(['h/d', 'h:1/d']);
  });
});

describe('a failure', () => {
  const address = parseConnectionString('postgres://me:secret@db.example/d');
  const of = (code: string, message = 'no') => syncFailure(Object.assign(new Error(message), { code }), address);

  it.each([
    ['ENOTFOUND', 'host', true],
    ['ECONNREFUSED', 'port', true],
    ['ETIMEDOUT', 'timeout', true],
    ['ECONNRESET', 'lost', true],
    ['CERT_HAS_EXPIRED', 'certificate', false],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'certificate', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'certificate', false],
    ['28P01', 'password', false],
    ['3D000', 'database', false],
    ['42501', 'noRight', false],
    ['53100', 'full', false],
    ['53300', 'busy', true],
    ['25006', 'readOnly', true],
    ['57P03', 'starting', true],
    ['XX000', 'unknown', false],
    ['XX001', 'rows', false],
    ['22P05', 'rows', false],
    ['42P01', 'busy', true],
  ])('with the code %s is told apart as “%s”', (code, kind, isTemporary) => {
    const failure = of(code);
    expect([failure.kind, failure.isTemporary]).toEqual([kind, isTemporary]);
    expect(failure.message).toContain('db.example');
  });

  it.each([
    ['server login has been failing, try again later (server_login_retry)', 'busy', true],
    ['no more connections allowed (max_client_conn)', 'busy', true],
    ['query_wait_timeout', 'timeout', true],
    ['server conn crashed?', 'lost', true],
    ['no such database: d', 'database', false],
    ['database "d" does not exist', 'database', false],
    ['no such user: me', 'password', false],
    ['SASL authentication failed', 'password', false],
  ])('of PgBouncer is told apart by its message: %s', (message, kind, isTemporary) => {
    const failure = of('08P01', message);
    expect([failure.kind, failure.isTemporary]).toEqual([kind, isTemporary]);
  });

  it('has a sentence of its own for each certificate fault, and never the password', () => {
    const sentences = ['CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'].map(
      (code) => of(code).message,
    );
    expect(new Set(sentences).size).toBe(3);
    expect([...sentences, of('28P01').message, of('42501').sql].join()).not.toContain('secret');
  });

  it('of a missing right brings the statements for an administrator', () => {
    expect(of('42501').sql).toBe(schemaSql('me'));
    expect(schemaSql('o"dd')).toContain('TO "o""dd"');
  });

  it('of several addresses of one name is that of the first; one of another bundle is known again', () => {
    const several = new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })]);
    expect(syncFailure(several, address).kind).toBe('port');
    const foreign = Object.assign(new Error('Said.'), { name: 'SyncFailure', kind: 'host', isTemporary: true });
    expect([syncFailureIn(foreign)?.message, syncFailureIn(new Error('x'))]).toEqual(['Said.', null]);
  });
});

describe('a named history', () => {
  it('is the same for names that differ in case and outer spaces, and its key does not tell the name', () => {
    const [one, other] = [namedHistory(' Parcels '), namedHistory('parcels')];
    expect(one.key).toBe(other.key);
    expect([one.name, /parcels/i.test(one.key)]).toEqual(['Parcels', false]);
  });
});

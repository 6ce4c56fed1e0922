import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PostgresConnection, count } from '../../../../../src/features/sync/core/postgres/postgresConnection';
import { syncFailureIn } from '../../../../../src/features/sync/core/syncFailure';

/** A program that holds the port of PostgreSQL. `answers`: what it says to each message of the client. */
interface Impostor {
  readonly port: number;
  /** Everything that it was sent. */
  heard(): string;
}

const open: Server[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const message = (type: string, ...content: readonly (number | string | Buffer)[]): Buffer => {
  const body = Buffer.concat(
    content.map((part) => {
      if (typeof part !== 'number') return Buffer.from(part);
      const word = Buffer.alloc(4);
      word.writeInt32BE(part);
      return word;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
};

const ready = Buffer.concat([message('R', 0), message('Z', 'I')]);
const scram = message('R', 10, 'SCRAM-SHA-256\0\0');
/** Continues with the client's own nonce, as a server would that knows no password. */
const challenge = (sent: Buffer): Buffer => {
  const nonce = /r=([^,]+)$/.exec(sent.toString('latin1'))?.[1] ?? '';
  return message('R', 11, `r=${nonce}more,s=${Buffer.from('salt').toString('base64')},i=4096`);
};

function impostor(answers: readonly ((sent: Buffer) => Buffer)[]): Promise<Impostor> {
  const pieces: Buffer[] = [];
  const server = createServer((socket) => {
    const left = [...answers];
    socket.on('error', () => undefined);
    socket.on('data', (sent) => {
      pieces.push(sent);
      const next = left.shift();
      if (next !== undefined) socket.write(next(sent));
    });
  });
  open.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        heard: () => Buffer.concat(pieces).toString('latin1'),
      });
    });
  });
}

describe('a server on this machine without TLS, which may be another user’s program', () => {
  const md5 = message('R', 5, 'salt');
  it.each([
    ['asks for the password as text', [() => message('R', 3)]],
    ['asks for it hashed with MD5', [() => md5]],
    ['asks for nothing', [() => ready]],
    ['does not even say that this is right', [() => message('Z', 'I')]],
    ['asks for it as text after SCRAM began', [() => scram, () => message('R', 3)]],
    ['asks for it as text in the middle of SCRAM', [() => scram, challenge, () => message('R', 3)]],
    ['asks for its hash in the middle of SCRAM', [() => scram, challenge, () => md5]],
    ['ends SCRAM before it has proven anything', [() => scram, () => ready]],
    ['ends SCRAM without its proof', [() => scram, challenge, () => ready]],
    ['gives a wrong proof', [() => scram, challenge, () => Buffer.concat([message('R', 12, 'v=AAAA'), ready])]],
    ['asks for the text and says at once that it is right', [() => Buffer.concat([message('R', 3), ready])]],
  ])('gets neither the password nor a statement when it %s', async (_what, answers) => {
    const { port, heard } = await impostor(answers);
    const address = { host: '127.0.0.1', port, database: 'd', user: 'anna', password: 'the-secret-word' } as const;
    const connection = new PostgresConnection({ ...address, tls: 'none', rootCertificate: null });
    const failure = await connection.all(count, 'SELECT statement', []).catch(syncFailureIn);
    await connection.dispose();
    expect([failure !== null && 'kind' in failure && failure.kind, heard()]).toEqual([
      'password',
      expect.not.stringMatching(/the-secret-word|md5|SELECT/),
    ]);
  });

  it('is told what to turn on there', async () => {
    const { port } = await impostor([() => message('R', 3)]);
    const address = { host: '127.0.0.1', port, database: 'd', user: 'anna', password: 'p' } as const;
    const connection = new PostgresConnection({ ...address, tls: 'none', rootCertificate: null });
    await expect(connection.all(count, 'SELECT 1', [])).rejects.toThrow(
      'The server 127.0.0.1 does not prove with scram-sha-256 that it knows the password, which is required without ' +
        'TLS. Turn that on in its pg_hba.conf, or use TLS.',
    );
    await connection.dispose();
  });
});

import net from 'node:net';
import tls from 'node:tls';

export interface Between {
  readonly port: number;
  close(): Promise<void>;
}

/** Stands before a PostgreSQL on this machine. `certificate`: shown to clients, to which the connection is then encrypted.
 *  `answer`: changes what the server says; pieces must keep their length. */
export function between(
  target: number,
  {
    certificate = null,
    answer = (bytes) => bytes,
  }: {
    readonly certificate?: { readonly cert: string; readonly key: string } | null;
    readonly answer?: (bytes: Buffer) => Buffer;
  },
): Promise<Between> {
  const sockets = new Set<net.Socket>();
  const joined = (near: net.Socket): void => {
    const far = net.connect(target, '127.0.0.1');
    const end = (): void => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    near.on('data', (data: Buffer) => far.write(data));
    far.on('data', (data: Buffer) => near.write(answer(data)));
  };
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    if (certificate === null) return joined(socket);
    // The client asks for encryption with one message of eight bytes.
    socket.once('data', () => {
      socket.write('S');
      const encrypted = new tls.TLSSocket(socket, { ...certificate, isServer: true });
      encrypted.on('error', () => socket.destroy());
      encrypted.once('secure', () => joined(encrypted));
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({
        port: typeof address === 'object' && address !== null ? address.port : 0,
        close: () => {
          for (const socket of sockets) socket.destroy();
          return new Promise((closed) => void server.close(() => closed()));
        },
      });
    });
  });
}

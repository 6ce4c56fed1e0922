import net from 'node:net';

/** A port on 127.0.0.1 that nothing listens on now. Secrets and storage belong to host and port, so a session keeps the one it got. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port was given'))));
    });
  });
}

import net from 'node:net';

/**
 * A port on 127.0.0.1 that nothing listens on now: `preferred` when that one is free. Secrets and storage belong to host and port, so a
 * session keeps the one it got.
 */
export async function freePort(preferred = 0): Promise<number> {
  try {
    return await listenOnce(preferred);
  } catch (error) {
    if (preferred !== 0 && error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')
      return listenOnce(0);
    throw error;
  }
}

function listenOnce(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.on('error', reject);
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port was given')),
      );
    });
  });
}

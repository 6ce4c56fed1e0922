import net from 'node:net';

/** What a connection through the proxy meets: after this many bytes towards the server or back, it is cut, or nothing passes
 *  any more. */
export interface Fault {
  readonly kind: 'cut' | 'stall';
  readonly direction: 'there' | 'back';
  readonly afterBytes: number;
}

/** Stands between a client and a server. */
export class FaultProxy {
  /** For the connections that begin from now on; null for none. */
  fault: Fault | null = null;
  /** After a message with this text towards the server, the client is gone, and the server does not hear of it: a lid was
   *  closed. */
  vanishAt: string | null = null;
  /** A slow line, for the bytes that come from now on: milliseconds each way, and bytes a second. */
  line: { readonly delayMs: number; readonly bytesPerSecond: number } | null = null;
  /** Bytes that passed so far. */
  readonly bytes = { there: 0, back: 0 };
  /** Times that the client said something after it had heard something: trips to the server and back. */
  trips = 0;
  private readonly sockets = new Set<net.Socket>();

  private constructor(
    private readonly server: net.Server,
    readonly port: number,
  ) {}

  static start(target: number): Promise<FaultProxy> {
    return new Promise((resolve, reject) => {
      const server = net.createServer((near) => {
        const far = net.connect(target, '127.0.0.1');
        let hasVanished = false;
        const end = (): void => {
          near.destroy();
          if (!hasVanished) far.destroy();
        };
        for (const socket of [near, far]) {
          proxy.sockets.add(socket);
          socket.on('error', end);
          socket.on('close', () => {
            proxy.sockets.delete(socket);
            end();
          });
        }
        const { fault } = proxy;
        let passed = 0;
        let isClientsTurn = true;
        proxy.trips++;
        const pass = (from: net.Socket, to: net.Socket, direction: Fault['direction']): void => {
          let [sent, freeAt] = [Promise.resolve(), 0];
          const write = (data: Buffer): void => {
            const { line } = proxy;
            const { delayMs, bytesPerSecond } = line ?? { delayMs: 0, bytesPerSecond: Infinity };
            freeAt = Math.max(freeAt, Date.now() + delayMs) + (data.length * 1000) / bytesPerSecond;
            const waitMs = freeAt - Date.now();
            if (line === null && waitMs <= 0) return void to.write(data);
            // In order, whatever the timers do.
            const due = new Promise<void>((resolve) => setTimeout(resolve, waitMs));
            sent = sent.then(() => due).then(() => void to.write(data));
          };
          from.on('data', (data) => {
            if (hasVanished) return;
            proxy.bytes[direction] += data.length;
            if (direction === 'there' && isClientsTurn) proxy.trips++;
            isClientsTurn = direction === 'back';
            if (direction === 'there' && proxy.vanishAt !== null && data.includes(proxy.vanishAt)) {
              hasVanished = true;
              far.write(data);
              return void near.destroy();
            }
            if (fault?.direction !== direction) return write(data);
            const left = fault.afterBytes - passed;
            passed += data.length;
            if (data.length <= left) return write(data);
            // A part of a message still arrives.
            if (left > 0) to.write(data.subarray(0, left));
            if (fault.kind === 'cut') setImmediate(end);
          });
        };
        pass(near, far, 'there');
        pass(far, near, 'back');
      });
      server.once('error', reject);
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        proxy = new FaultProxy(server, typeof address === 'object' && address !== null ? address.port : 0);
        resolve(proxy);
      });
      let proxy: FaultProxy;
    });
  }

  /** Ends every connection. */
  cutAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  close(): Promise<void> {
    this.cutAll();
    return new Promise((resolve) => void this.server.close(() => resolve()));
  }
}

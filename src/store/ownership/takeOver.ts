import { parsedAs } from '../../transcript/json';
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { createServer, type Server, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorMessage } from '../../base/errorMessage';
import type { LockEndpoint } from '../lock/lockRecord';
import * as v from 'valibot';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import { Emitter, type Disposable } from '../../base/disposable';

const maxLineLength = 4096;

/** JSON objects, one per line, over a socket. Anything but a valid message of the expected type ends the connection:
 *  only our own windows may use it. */
class LineChannel<In, Out> implements Disposable {
  private readonly messages = new Emitter<In>();
  private readonly closes = new Emitter<string>();
  private received = '';
  private closed = false;
  private finished = false;
  readonly onMessage = this.messages.event;
  /** Fires once, with the reason. */
  readonly onClose = this.closes.event;

  constructor(
    private readonly socket: Socket,
    private readonly schema: v.GenericSchema<unknown, In>,
  ) {
    socket.setEncoding('utf8');
    socket.on('data', (data: string) => this.receive(data));
    socket.on('error', (error) => this.end(error.message));
    socket.on('close', () => this.end('The other side closed the connection.'));
  }

  send(message: Out): void {
    if (!this.closed && !this.finished) this.socket.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a last message and closes the connection after it was sent. */
  finish(message: Out): void {
    if (this.closed || this.finished) return;
    this.finished = true;
    this.socket.end(`${JSON.stringify(message)}\n`);
  }

  dispose(): void {
    this.end('Closed here.');
  }

  private receive(data: string): void {
    this.received += data;
    for (let end = this.received.indexOf('\n'); end >= 0 && !this.closed; end = this.received.indexOf('\n')) {
      const line = this.received.slice(0, end);
      this.received = this.received.slice(end + 1);
      const message = parsedAs(this.schema, line);
      if (message === null) return this.end('A line was not a message of the hand-over.');
      this.messages.fire(message);
    }
    if (this.received.length > maxLineLength) this.end('A line was too long.');
  }

  private end(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.socket.destroy();
    this.closes.fire(reason);
  }
}

/** The request of another window to the owner of a store over the owner's socket, and the answers. One JSON object
 *  per line. Another build of the extension may be on the other side: an owner refuses an unknown request. */
const askSchema = v.object({
  v: v.literal(1),
  /** Token from the lock file, which only the same user can read. */
  token: v.string(),
  /** stop: the user pressed Take Over. handOver: a window merely starts or reads; the owner refuses unless its own
   *  page is gone. Earlier builds also ask `wait`: they are told that the owner is busy. */
  ask: v.picklist(['handOver', 'wait', 'stop']),
});
export type TakeOverAsk = v.InferOutput<typeof askSchema>;

const answerSchema = v.variant('answer', [
  /** The store is closed and its lock is removed. */
  v.object({ answer: v.literal('released') }),
  /** The work is settled, and the owner is closing. */
  v.object({ answer: v.literal('closing') }),
  /** The owner lives. Sent at once, so that work which takes long can be distinguished from a stopped process. */
  v.object({ answer: v.literal('busy'), sessionTitle: v.nullable(v.string()) }),
  v.object({ answer: v.literal('refused'), reason: v.string() }),
]);
export type TakeOverAnswer = v.InferOutput<typeof answerSchema>;

/** Milliseconds within which a living owner answers the user's request at all, and within which it has begun to close
 *  for a window that only starts and cannot be kept waiting. */
const silentAfterMs = { stop: 10_000, handOver: 6000 };

/** The owner's side of a takeover, as the server calls it. */
export interface TakeOverOwner {
  /** True when nobody uses the store here any more: the window does not respond, and nothing runs. */
  isLeft(): Promise<boolean>;
  /** Ends the work in progress in order; resolves when it is settled on disk. */
  settle(): Promise<void>;
  /** Closes the store and releases its lock. Safe to call again. */
  release(): Promise<void>;
}

/** Bytes. A path in a socket address may be 107 bytes long on Linux and 103 on macOS. */
const maxSocketPath = 100;

/** Listens for takeovers while this process owns a store. The socket is in a separate folder that only this
 *  user can enter, and every request must carry the token from the lock file. */
export class TakeOverServer {
  readonly endpoint: LockEndpoint;
  private server: Server | null = null;
  private readonly channels = new Set<LineChannel<TakeOverAsk, TakeOverAnswer>>();
  private closed = false;

  constructor(private readonly owner: TakeOverOwner) {
    this.endpoint = { socketPath: newSocketPath(), token: randomBytes(24).toString('hex') };
  }

  async listen(): Promise<void> {
    if (process.platform !== 'win32') mkdirSync(dirname(this.endpoint.socketPath), { mode: 0o700 });
    const server = createServer((socket) =>
      this.accept(new LineChannel<TakeOverAsk, TakeOverAnswer>(socket, askSchema)),
    );
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.endpoint.socketPath, () => resolve());
    });
    server.on('error', () => server.close());
    // A window that only waits for requests must not keep its process alive.
    server.unref();
    this.server = server;
  }

  /** Listens again if a cleaner of temporary files has removed the socket. Call it periodically. */
  async keepReachable(): Promise<void> {
    if (this.closed || process.platform === 'win32' || existsSync(this.endpoint.socketPath)) return;
    this.server?.close();
    rmSync(dirname(this.endpoint.socketPath), { recursive: true, force: true });
    await this.listen();
  }

  /** Notifies all waiting requesters that the lock is gone, and stops listening. */
  close(answer: TakeOverAnswer = { answer: 'released' }): void {
    if (this.closed) return;
    this.closed = true;
    this.server?.close();
    for (const channel of this.channels) channel.finish(answer);
    if (process.platform !== 'win32') rmSync(dirname(this.endpoint.socketPath), { recursive: true, force: true });
  }

  private accept(channel: LineChannel<TakeOverAsk, TakeOverAnswer>): void {
    this.channels.add(channel);
    channel.onClose(() => this.channels.delete(channel));
    channel.onMessage((ask) => {
      if (!sameToken(ask.token, this.endpoint.token))
        return channel.finish({ answer: 'refused', reason: 'The token is not the one in the lock.' });
      void this.answer(ask, channel);
    });
  }

  private async answer(ask: TakeOverAsk, channel: LineChannel<TakeOverAsk, TakeOverAnswer>): Promise<void> {
    try {
      channel.send({ answer: 'busy', sessionTitle: null });
      if (ask.ask === 'wait') return;
      if (ask.ask === 'handOver' && !(await this.owner.isLeft()))
        return channel.finish({ answer: 'refused', reason: 'The window that has the store is in use.' });
      await this.owner.settle();
      // Whoever asked is gone: nothing is given away.
      if (!this.channels.has(channel)) return;
      channel.send({ answer: 'closing' });
      await this.owner.release();
      channel.finish({ answer: 'released' });
    } catch (error) {
      channel.finish({ answer: 'refused', reason: errorMessage(error) });
    }
  }
}

function newSocketPath(): string {
  const name = `hermes-${randomBytes(8).toString('hex')}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  const inTemporary = join(tmpdir(), name, 's.sock');
  return Buffer.byteLength(inTemporary) < maxSocketPath ? inTemporary : join('/tmp', name, 's.sock');
}

function sameToken(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Asks the owner of a store to settle its work and release it (`stop`), or to release it if nobody uses it any more
 *  (`handOver`). Resolves to null when it may be free now (released, or the owner ended), else to the technical reason.
 *  Takes as long as the owner's work. */
export function askToRelease(
  endpoint: LockEndpoint,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal,
  ask: 'stop' | 'handOver' = 'stop',
): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(endpoint.socketPath);
    const channel = new LineChannel<TakeOverAnswer, TakeOverAsk>(socket, answerSchema);
    let heard = false;
    const over = new AbortController();
    const end = (technical: string | null): void => {
      over.abort();
      channel.dispose();
      resolve(technical);
    };
    void pause(clock, silentAfterMs[ask], over.signal).then((isSilent) => {
      if (isSilent && !heard) end('The owner does not answer.');
    });
    signal.addEventListener('abort', () => end('This window no longer asks.'), { once: true, signal: over.signal });
    channel.onMessage((answer) => {
      heard ||= ask === 'stop' || answer.answer !== 'busy';
      if (answer.answer === 'released') end(null);
      if (answer.answer === 'refused') end(answer.reason);
    });
    channel.onClose((reason) => end(heard ? null : reason));
    channel.send({ v: 1, token: endpoint.token, ask });
  });
}

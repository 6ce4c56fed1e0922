import type { Socket } from 'node:net';
import * as v from 'valibot';
import { Emitter, type Disposable } from '../../base/disposable';

const maxLineLength = 4096;

/** JSON objects, one per line, over a socket. Anything but a valid message of the expected type ends the connection:
 *  only our own windows may use it. */
export class LineChannel<In, Out> implements Disposable {
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
      const message = this.parse(line);
      if (message === undefined) return this.end('A line was not a message of the hand-over.');
      this.messages.fire(message);
    }
    if (this.received.length > maxLineLength) this.end('A line was too long.');
  }

  private parse(line: string): In | undefined {
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), this.schema), line);
    return parsed.success ? parsed.output : undefined;
  }

  private end(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.socket.destroy();
    this.closes.fire(reason);
  }
}

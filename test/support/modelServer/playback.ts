import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Frame, FrameWriter } from './frames';
import type { RequestRecord } from './ledger';
import type { Scenario } from './reply';

type StreamScenario = Extract<Scenario, { readonly kind: 'stream' }>;

/** Plays one scenario into a response, writing the ledger as bytes leave. Returns when the response ended or the client went away. */
export async function play(
  scenario: StreamScenario,
  frames: FrameWriter,
  response: ServerResponse,
  record: RequestRecord,
): Promise<void> {
  const gone = once(response, 'close').then(() => undefined);
  const output = new Output(scenario, response, record);
  await Promise.race([gone, sleep(scenario.firstByteAfterMs)]);
  if (scenario.headersAfter !== null) await Promise.race([gone, scenario.headersAfter]);
  if (response.destroyed) return;
  record.status = 200;
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'x-request-id': `req_${record.number}`,
    ...scenario.headers,
  });
  response.flushHeaders();
  // Recorded streams bring their own beginning.
  if (scenario.steps.every((step) => step.kind !== 'payload')) await output.write(frames.begin());
  for (const step of scenario.steps) {
    if (output.closed) return;
    if (step.kind === 'pause') {
      await output.flush();
      await Promise.race([gone, sleep(step.ms)]);
    } else if (step.kind === 'wait') {
      await output.flush();
      await Promise.race([gone, step.until]);
    } else {
      await output.write(frames.step(step));
    }
  }
  await output.flush();
  if (output.closed) return;
  await end(scenario.ending, response, gone);
}

async function end(ending: StreamScenario['ending'], response: ServerResponse, gone: Promise<void>): Promise<void> {
  switch (ending) {
    case 'close':
      response.end();
      break;
    case 'drop':
      response.socket?.destroy();
      break;
    case 'hang':
      break;
  }
  await gone;
}

/** Writes events to the socket as the scenario wants them split, and notes in the ledger what was written whole. */
class Output {
  private pending: Frame[] = [];
  private written = 0;
  closed = false;

  constructor(
    private readonly scenario: StreamScenario,
    private readonly response: ServerResponse,
    private readonly record: RequestRecord,
  ) {
    response.once('close', () => {
      this.closed = true;
    });
  }

  async write(frames: readonly Frame[]): Promise<void> {
    this.pending.push(...frames);
    if (!this.scenario.oneBurst) await this.flush();
  }

  async flush(): Promise<void> {
    const frames = this.pending;
    this.pending = [];
    if (this.scenario.oneBurst && frames.length > 0) {
      await this.send(Buffer.from(frames.map((frame) => frame.bytes).join('')));
      for (const frame of frames) if (!this.closed) this.record.see(frame);
      return;
    }
    for (const frame of frames) {
      if (this.closed) return;
      const whole = await this.send(Buffer.from(frame.bytes));
      if (whole) this.record.see(frame);
    }
  }

  /** Returns whether all of it left, but for the empty line after an event: readers do not wait for that. Stops and drops
   *  the connection where the scenario cuts. */
  private async send(bytes: Buffer): Promise<boolean> {
    const limit = this.scenario.cutAtByte === null ? bytes.length : Math.max(0, this.scenario.cutAtByte - this.written);
    const part = bytes.subarray(0, limit);
    const pieces = this.scenario.byteByByte ? Array.from(part, (byte) => Buffer.from([byte])) : [part];
    for (const piece of pieces) {
      if (piece.length === 0) continue;
      if (!(await this.hand(piece))) return false;
    }
    this.written += part.length;
    if (limit >= bytes.length) return true;
    this.closed = true;
    this.response.socket?.destroy();
    return limit === bytes.length - 1;
  }

  /** Resolves when the bytes were handed to the kernel: from there a FIN cannot take them back. */
  private hand(bytes: Buffer): Promise<boolean> {
    if (this.closed || this.response.destroyed) return Promise.resolve(false);
    return new Promise((resolve) => {
      const onClose = (): void => resolve(false);
      this.response.once('close', onClose);
      this.response.write(bytes, (error) => {
        this.response.off('close', onClose);
        if (!error) this.record.count(bytes.length);
        resolve(!error);
      });
    });
  }
}

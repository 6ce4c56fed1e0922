import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import type { FromThread, ThreadErrors, ToThread } from './calls';
import { portChannel, startThread, type Channel, type MessagePort } from './channel';

/** Start parameters of a thread whose caller waits. */
export interface WaitedFor {
  readonly port: MessagePort;
  /** Counts the answers. */
  readonly answers: Int32Array<SharedArrayBuffer>;
}

/** Calls of a thread that block this one until the answer is there, for code that cannot await. */
export class WaitingCalls {
  private readonly answers = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  private readonly end: () => void;
  private readonly near: MessagePort;
  private count = 0;
  private received = 0;
  private hasEnded = false;

  constructor(
    entry: string,
    { name, data }: { readonly name: string; readonly data: object },
    private readonly errors: ThreadErrors,
  ) {
    const { port1, port2: port } = new MessageChannel();
    const { answers } = this;
    const thread = startThread(entry, { name, data: { ...data, port, answers }, transfer: [port] });
    thread.keepProcess(false);
    this.near = port1;
    this.end = () => {
      this.hasEnded = true;
      port1.close();
      void thread.terminate();
    };
  }

  get isOver(): boolean {
    return this.hasEnded;
  }

  /** Returns null when there is no answer after `timeoutMs`; the thread has ended then. Throws the error of the
   *  call. */
  call(name: string, args: readonly unknown[], timeoutMs: number): { readonly value: unknown } | null {
    if (this.hasEnded) return null;
    this.near.postMessage({ kind: 'call', id: ++this.count, name, args } satisfies ToThread);
    Atomics.wait(this.answers, 0, this.received, timeoutMs);
    const answer = receiveMessageOnPort(this.near) as { readonly message: FromThread } | undefined;
    if (answer === undefined) {
      this.end();
      return null;
    }
    this.received++;
    const { message } = answer;
    if (message.kind === 'failed') throw this.errors.fromData(message.error);
    return { value: message.kind === 'done' ? message.value : undefined };
  }

  dispose(): void {
    if (!this.hasEnded) this.end();
  }
}

/** The channel of a thread that `WaitingCalls` started. */
export function waitedChannel({ port, answers }: WaitedFor): Channel {
  const channel = portChannel(port);
  return {
    ...channel,
    post: (message) => {
      channel.post(message);
      Atomics.add(answers, 0, 1);
      Atomics.notify(answers, 0);
    },
  };
}

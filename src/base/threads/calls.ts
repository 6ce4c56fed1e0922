import { errorMessage } from '../errorMessage';
import type { Channel, Transferable } from './channel';

/** `stop`: shared with the caller, not zero once the call is aborted. */
export type ToThread =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly name: string;
      readonly args: readonly unknown[];
      readonly stop?: Int32Array<SharedArrayBuffer>;
    }
  | { readonly kind: 'abort'; readonly id: number };

export type FromThread =
  | { readonly kind: 'done'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly error: unknown }
  | {
      readonly kind: 'progress';
      readonly id: number;
      readonly progress: unknown;
      readonly entries?: readonly unknown[] | undefined;
    }
  /** The call has stopped because it was aborted, or because the thread ends. */
  | { readonly kind: 'aborted'; readonly id: number }
  /** Something that no call waits for. */
  | { readonly kind: 'event'; readonly event: unknown };

/** How errors pass between threads: structured clone would keep their text but not their class. */
export interface ThreadErrors {
  toData(error: unknown): unknown;
  fromData(data: unknown): Error;
  /** For an argument that cannot be cloned. */
  uncloneable(technical: string): Error;
}

/** Keeps only the message of an error. */
export const plainErrors: ThreadErrors = {
  toData: errorMessage,
  fromData: (data) => new Error(String(data)),
  uncloneable: (technical) => new Error(technical),
};

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: never) => void) | undefined;
  /** Rejects as soon as the signal aborts, for calls whose work needs no waiting for. Default: false, which waits until
   *  the call has stopped, or was done all the same. */
  readonly leavesAtOnce?: boolean;
  readonly transfer?: readonly Transferable[];
}

interface PendingCall {
  /** Entries of the result that have already arrived. */
  readonly entries: unknown[];
  readonly onProgress: ((progress: never) => void) | undefined;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Calls of what runs at the other end of a channel. They are sent in the order in which they are made. */
export class Calls {
  private readonly pending = new Map<number, PendingCall>();
  private lastId = 0;
  private refusal: Error | null = null;

  constructor(
    private readonly channel: Channel,
    private readonly errors: ThreadErrors,
    onEvent: (event: unknown) => void = () => undefined,
  ) {
    channel.onMessage((message) => this.receive(message as FromThread, onEvent));
  }

  get count(): number {
    return this.pending.size;
  }

  /** Rejects with the error of the call, or with the reason of the signal. */
  call(name: string, args: readonly unknown[], options: CallOptions = {}): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const { signal } = options;
      if (this.refusal !== null) return reject(this.refusal);
      if (signal?.aborted === true) return reject(signal.reason);
      const id = ++this.lastId;
      const call: PendingCall = { entries: [], onProgress: options.onProgress, signal, resolve, reject };
      if (signal === undefined) this.pending.set(id, call);
      const stop = signal && this.awaitAbort(id, call, signal, options.leavesAtOnce === true);
      try {
        const message: ToThread =
          stop === undefined ? { kind: 'call', id, name, args } : { kind: 'call', id, name, args, stop };
        this.channel.post(message, options.transfer);
      } catch (error) {
        this.take(id)?.reject(this.errors.uncloneable(String(error)));
      }
    });
  }

  /** Rejects later calls. */
  refuse(error: Error): void {
    this.refusal ??= error;
  }

  /** Rejects later calls, and those in progress. */
  end(error: Error): void {
    this.refuse(error);
    for (const { reject } of this.pending.values()) reject(error);
    this.pending.clear();
  }

  private awaitAbort(
    id: number,
    call: PendingCall,
    signal: AbortSignal,
    leavesAtOnce: boolean,
  ): Int32Array<SharedArrayBuffer> {
    const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
    const abort = (): void => {
      Atomics.store(stop, 0, 1);
      this.channel.post({ kind: 'abort', id } satisfies ToThread);
      if (leavesAtOnce) this.take(id)?.reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    const settled = (): void => signal.removeEventListener('abort', abort);
    this.pending.set(id, {
      ...call,
      resolve: (value) => {
        settled();
        call.resolve(value);
      },
      reject: (error) => {
        settled();
        call.reject(error);
      },
    });
    return stop;
  }

  private receive(message: FromThread, onEvent: (event: unknown) => void): void {
    switch (message.kind) {
      case 'done':
        return this.finish(this.take(message.id), message.value);
      case 'failed':
        return this.take(message.id)?.reject(this.errors.fromData(message.error));
      case 'progress': {
        const call = this.pending.get(message.id);
        if (message.entries !== undefined) call?.entries.push(...message.entries);
        if (message.progress !== undefined) call?.onProgress?.(message.progress as never);
        return;
      }
      case 'aborted': {
        const call = this.take(message.id);
        return call?.reject(call.signal?.aborted === true ? call.signal.reason : this.refusal);
      }
      case 'event':
        return onEvent(message.event);
    }
  }

  private finish(call: PendingCall | undefined, value: unknown): void {
    const isWhole = call === undefined || call.entries.length === 0 || !Array.isArray(value);
    call?.resolve(isWhole ? value : [...call.entries, ...(value as readonly unknown[])]);
  }

  private take(id: number): PendingCall | undefined {
    const call = this.pending.get(id);
    this.pending.delete(id);
    return call;
  }
}

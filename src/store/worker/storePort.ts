import { MessageChannel } from 'node:worker_threads';
import { Calls } from '../../base/threads/calls';
import { portChannel, type MessagePort } from '../../base/threads/channel';
import { serveCalls } from '../../base/threads/served';
import { t } from '../../base/translate';
import { promisedOperations, type CallMethod, type SessionStore } from '../session/sessionStore';
import { reviveStoreError, StoreError, storeErrors, type StoreErrorData } from '../storeError';

/** Access to a store for another thread. */
export interface StorePort {
  /** Takes the calls of a store. Closes with the store's thread. */
  readonly port: MessagePort;
  /** The reason why nothing can be written; null when the store is open for writing. */
  readonly readOnly: StoreErrorData | null;
}

/** A store that this thread reaches over ports, one after the other: each closes with the thread that serves it. */
export class StoreOverPorts {
  private connecting: {
    readonly calls: Promise<Calls>;
    readonly resolve: (calls: Calls) => void;
    readonly reject: (error: Error) => void;
  } | null = null;
  private readOnly: StoreErrorData | null = null;

  /** `ask`: asks for a port. The answer comes as a call of `use` or `refuse`. */
  constructor(private readonly ask: () => void) {}

  /** A call whose port closes rejects; the next call asks for another port. */
  readonly operations: Omit<SessionStore, 'close'> = promisedOperations((async (method, args) => {
    try {
      return await (await this.connected()).call(method, args);
    } catch (error) {
      // SQLite knows that it may not write, but not the reason.
      if (this.readOnly !== null && error instanceof StoreError && error.causeClass === 'readOnly')
        throw reviveStoreError(this.readOnly);
      throw error;
    }
  }) as CallMethod);

  use(port: MessagePort, readOnly: StoreErrorData | null): void {
    const channel = portChannel(port);
    const calls = new Calls(channel, storeErrors);
    const { connecting } = this;
    this.readOnly = readOnly;
    channel.onExit((technical) => {
      if (this.connecting === connecting) this.connecting = null;
      const sentence = t('Saving has stopped unexpectedly. Everything shown is saved. Choose Try Again to continue.');
      calls.end(new StoreError('unknown', sentence, technical));
    });
    connecting?.resolve(calls);
  }

  refuse(error: Error): void {
    this.connecting?.reject(error);
    this.connecting = null;
  }

  private connected(): Promise<Calls> {
    if (this.connecting === null) {
      let [resolve, reject]: [(calls: Calls) => void, (error: Error) => void] = [() => undefined, () => undefined];
      const calls = new Promise<Calls>((...settle) => ([resolve, reject] = settle));
      this.connecting = { calls, resolve, reject };
      this.ask();
    }
    return this.connecting.calls;
  }
}

/** A port to a store that this thread has itself: a private copy that is only read, for example. */
export function portTo(store: Partial<SessionStore>): StorePort {
  const { port1, port2 } = new MessageChannel();
  const methods = Object.entries(store).map(([name, method]) => [
    name,
    (_call: unknown, ...args: readonly never[]) => (method as (...given: readonly never[]) => unknown)(...args),
  ]);
  serveCalls(portChannel(port1), storeErrors, Object.fromEntries(methods));
  port1.unref();
  return { port: port2, readOnly: null };
}

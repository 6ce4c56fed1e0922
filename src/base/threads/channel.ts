import {
  receiveMessageOnPort,
  Worker,
  type MessagePort,
  type ResourceLimits,
  type Transferable,
} from 'node:worker_threads';
import { translations } from '../translate';

export type { MessagePort, Transferable };

/** Where messages go to and come from: a thread, or a port of one. Both sides come from one build, so messages are
 *  typed and not validated. */
export interface Channel {
  post(message: unknown, transfer?: readonly Transferable[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, when the other side has ended; `technical` is the reason. */
  onExit(listener: (technical: string) => void): void;
}

/** A thread, as the one that started it sees it. */
export interface Thread extends Channel {
  /** Ends the thread at once. Resolves when it has ended. */
  terminate(): Promise<void>;
  /** False: the process may end while the thread runs. A new thread keeps it. */
  keepProcess(on: boolean): void;
}

interface ThreadOptions {
  readonly name: string;
  /** More start parameters. The thread also gets the translations. */
  readonly data?: object;
  readonly transfer?: readonly Transferable[];
  readonly resourceLimits?: ResourceLimits;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts a thread from its bundle. */
export function startThread(
  entry: string,
  { name, data, transfer = [], resourceLimits, environment }: ThreadOptions,
): Thread {
  const worker = new Worker(entry, {
    name,
    workerData: { ...data, translations: translations() },
    transferList: [...transfer],
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
    ...(environment === undefined ? {} : { env: environment }),
  });
  let ended: Promise<unknown> | null = null;
  let reason: string | null = null;
  worker.on('error', (error) => {
    reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  });
  // For a message that cannot be read the response would never arrive.
  worker.on('messageerror', (error) => {
    reason = `A message of the thread could not be read: ${error.message}`;
    void worker.terminate();
  });
  return {
    post: (message, moved = []) => worker.postMessage(message, moved),
    onMessage: (listener) => void worker.on('message', listener),
    onExit: (listener) => void worker.on('exit', (code) => listener(reason ?? `The thread ended with code ${code}.`)),
    terminate: async () => {
      ended ??= worker.terminate();
      await ended;
    },
    keepProcess: (on) => (on ? worker.ref() : worker.unref()),
  };
}

/** The other end of a port. Messages that have arrived together are received together, in one turn of the event loop:
 *  for a single request, one more turn would cost a fifth of its round trip between the threads. */
export function portChannel(port: MessagePort): Channel {
  return {
    post: (message, moved = []) => port.postMessage(message, moved),
    onMessage: (listener) =>
      void port.on('message', (first: unknown) => {
        let next: { readonly message: unknown } | undefined = { message: first };
        for (; next !== undefined; next = receiveMessageOnPort(port) as typeof next) listener(next.message);
      }),
    onExit: (listener) => void port.on('close', () => listener('The other side of the port has ended.')),
  };
}

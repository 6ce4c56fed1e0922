import { parentPort, workerData } from 'node:worker_threads';
import { setTranslations, type Translations } from '../translate';
import type { FromThread, ThreadErrors, ToThread } from './calls';
import { portChannel, type Channel } from './channel';

/** A call that arrived. Exactly one of `done`, `failed` and `aborted` answers it. */
export interface ArrivedCall {
  readonly name: string;
  readonly args: readonly unknown[];
  /** True once the caller aborted it; also visible while this thread does not receive messages. */
  isAborted(): boolean;
  /** Set by whoever does the work. Called when the caller aborts it. */
  onAbort: () => void;
  done(value: unknown): void;
  failed(error: unknown): void;
  /** `entries`: the next ones, if the result is a list; `done` gets the last ones. */
  progress(progress: unknown, entries?: readonly unknown[]): void;
  aborted(): void;
}

/** Receives the calls of a channel. Returns a function that posts an event, for which no call waits. */
export function acceptCalls(
  channel: Pick<Channel, 'post' | 'onMessage'>,
  errors: ThreadErrors,
  take: (call: ArrivedCall) => void,
): (event: unknown) => void {
  const calls = new Map<number, ArrivedCall>();
  const post = (message: FromThread): void => channel.post(message);
  channel.onMessage((received) => {
    const message = received as ToThread;
    const { id } = message;
    if (message.kind === 'abort') return calls.get(id)?.onAbort();
    const { name, args, stop } = message;
    const answer = (last: FromThread): void => {
      calls.delete(id);
      post(last);
    };
    const call: ArrivedCall = {
      name,
      args,
      isAborted: () => stop !== undefined && Atomics.load(stop, 0) !== 0,
      onAbort: () => undefined,
      done: (value) => answer({ kind: 'done', id, value }),
      failed: (error) => answer({ kind: 'failed', id, error: errors.toData(error) }),
      progress: (progress, entries) => post({ kind: 'progress', id, progress, entries }),
      aborted: () => answer({ kind: 'aborted', id }),
    };
    if (stop !== undefined) calls.set(id, call);
    take(call);
  });
  return (event) => post({ kind: 'event', event });
}

/** The call that a method of a thread works for. */
export interface CallContext {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: unknown) => void;
  /** Throws when the call was aborted. Unlike the signal, also within work that never waits. */
  readonly throwIfAborted: () => void;
}

/** Methods of a thread by name. */
export type ThreadMethods = { readonly [name: string]: (call: CallContext, ...args: never[]) => unknown };

/** Answers the calls of a channel with these methods. */
export function serveCalls(
  channel: Pick<Channel, 'post' | 'onMessage'>,
  errors: ThreadErrors,
  methods: ThreadMethods,
): (event: unknown) => void {
  return acceptCalls(channel, errors, (call) => {
    const stop = new AbortController();
    call.onAbort = () => stop.abort();
    const context: CallContext = {
      signal: stop.signal,
      onProgress: (progress) => call.progress(progress),
      throwIfAborted: () => {
        if (call.isAborted()) throw new Error('The work was stopped.');
      },
    };
    new Promise((resolve) => resolve(methods[call.name]?.(context, ...(call.args as never[])))).then(
      (value) => call.done(value),
      (error: unknown) => (call.isAborted() ? call.aborted() : call.failed(error)),
    );
  });
}

/** The start parameters of this thread, and the channel to the one that started it. Sets the translations. */
export function threadStart<D = object>(): { readonly channel: Channel; readonly data: D } {
  if (parentPort === null) throw new Error('This program must be started as a worker thread.');
  const { translations, ...data } = workerData as { readonly translations: Translations };
  setTranslations(translations);
  return { channel: portChannel(parentPort), data: data as D };
}

import { AsyncLocalStorage } from 'node:async_hooks';
import { type InputRequest, type InputResponse, readInputRequest } from '../../../../tools/askedInput';
import type { McpCallOptions } from '../mcpConnection';

/** Longer than any call: the time of a call is measured here, because it stands still while the user is asked. */
export const noTimeout = 2 ** 31 - 1;

/** Why a call was given up. */
export class TimedOut extends Error {}

/** One call that its server works on. */
class OpenCall {
  private readonly expiry = new AbortController();
  private readonly ended = new AbortController();
  readonly signal: AbortSignal;
  private asking = 0;
  private silent: NodeJS.Timeout | undefined;
  private left: number;
  private since = 0;

  constructor(readonly options: McpCallOptions) {
    this.signal = AbortSignal.any([options.signal, this.expiry.signal]);
    this.left = options.totalMs;
    this.run();
  }

  /** A sign of life. */
  heard(): void {
    if (this.asking > 0) return;
    this.stop();
    this.run();
  }

  /** The answer is `cancel` once the call has ended: a question never outlives it. */
  async ask(asked: InputRequest, signal: AbortSignal): Promise<InputResponse> {
    if (this.ended.signal.aborted) return { action: 'cancel' };
    if (this.asking++ === 0) this.stop();
    try {
      return await this.options.onAsked(asked, AbortSignal.any([signal, this.signal, this.ended.signal]));
    } catch (error) {
      if (this.ended.signal.aborted) return { action: 'cancel' };
      throw error;
    } finally {
      if (--this.asking === 0 && !this.ended.signal.aborted) this.run();
    }
  }

  end(): void {
    this.ended.abort();
    this.stop();
  }

  private stop(): void {
    clearTimeout(this.silent);
    this.left -= performance.now() - this.since;
  }

  private run(): void {
    this.since = performance.now();
    const ms = Math.max(0, Math.min(this.options.silenceMs, this.left));
    this.silent = setTimeout(() => this.expiry.abort(new TimedOut()), ms);
  }
}

/** The calls that one server works on, and what it asks during them. */
export class OpenCalls {
  private readonly current = new AsyncLocalStorage<OpenCall>();
  private readonly open = new Set<OpenCall>();

  /** `work` gets the signal that gives the call up, and the function to report signs of life with. */
  async run<T>(options: McpCallOptions, work: (signal: AbortSignal, heard: () => void) => Promise<T>): Promise<T> {
    const call = new OpenCall(options);
    this.open.add(call);
    try {
      return await this.current.run(call, () => work(call.signal, () => call.heard()));
    } catch (error) {
      throw call.signal.reason instanceof TimedOut ? call.signal.reason : error;
    } finally {
      call.end();
      this.open.delete(call);
    }
  }

  /** Asks about the call that the request belongs to. Older revisions do not say which: then it is the latest. A server
   *  that asks outside of a call gets no answer from the user. */
  async ask(params: unknown, signal: AbortSignal): Promise<InputResponse> {
    const call = this.current.getStore() ?? [...this.open].at(-1);
    const asked = readInputRequest(params);
    if (call === undefined || asked === null) return { action: 'cancel' };
    return call.ask(asked, signal);
  }
}

import { Calls, type CallOptions, type ThreadErrors } from './calls';
import type { Thread } from './channel';
import type { ThreadMethods } from './served';

export type ArgumentsOf<M extends ThreadMethods, K extends keyof M> =
  Parameters<M[K]> extends [unknown, ...infer A] ? A : [];

export interface CalledThreadOptions {
  readonly start: () => Thread;
  readonly errors: ThreadErrors;
  /** The error of calls whose thread ended. */
  readonly ended: (technical: string) => Error;
  /** Called when the thread ended, except by `end`. */
  readonly onExit?: () => void;
  readonly onEvent?: (event: unknown) => void;
  /** True: a process that ends does not wait for its calls. Default: false. */
  readonly isBackground?: boolean;
}

/** A thread with the methods `M`, started with the first call, and with the next one after it ended. */
export class CalledThread<M extends ThreadMethods> {
  private running: { readonly thread: Thread; readonly calls: Calls } | null = null;

  constructor(private readonly options: CalledThreadOptions) {}

  get isBusy(): boolean {
    return (this.running?.calls.count ?? 0) > 0;
  }

  get isRunning(): boolean {
    return this.running !== null;
  }

  async call<K extends keyof M & string>(
    name: K,
    args: ArgumentsOf<M, K>,
    options?: CallOptions,
  ): Promise<Awaited<ReturnType<M[K]>>> {
    const { thread, calls } = (this.running ??= this.begin());
    thread.keepProcess(this.options.isBackground !== true);
    try {
      return (await calls.call(name, args, options)) as Awaited<ReturnType<M[K]>>;
    } finally {
      if (calls.count === 0) thread.keepProcess(false);
    }
  }

  /** Ends the thread. Calls in progress reject. */
  async end(): Promise<void> {
    const { running } = this;
    this.running = null;
    running?.calls.end(this.options.ended('The thread was ended.'));
    await running?.thread.terminate();
  }

  private begin(): { readonly thread: Thread; readonly calls: Calls } {
    const { start, errors, ended, onExit, onEvent } = this.options;
    const thread = start();
    const running = { thread, calls: new Calls(thread, errors, onEvent) };
    thread.onExit((technical) => {
      const isCurrent = this.running === running;
      if (isCurrent) this.running = null;
      running.calls.end(ended(technical));
      if (isCurrent) onExit?.();
    });
    return running;
  }
}

/** Makes one call in a thread of its own, and ends the thread, which gives back its memory. */
export async function callOnce<M extends ThreadMethods, K extends keyof M & string>(
  options: CalledThreadOptions,
  name: K,
  args: ArgumentsOf<M, K>,
  callOptions?: CallOptions,
): Promise<Awaited<ReturnType<M[K]>>> {
  const thread = new CalledThread<M>(options);
  try {
    return await thread.call(name, args, callOptions);
  } finally {
    void thread.end();
  }
}

import { Emitter } from '../../src/base/disposable';
import type { CallOptions } from '../../src/base/threads/calls';
import type { SessionStore } from '../../src/store/session/sessionStore';
import type { OpenedStore } from '../../src/store/worker/openedStore';
import {
  perform,
  promisedOperations,
  type MethodArguments,
  type MethodName,
  type MethodResults,
} from '../../src/store/session/sessionStore';
import { closedError, type RunningStore } from '../../src/store/worker/storeClient';
import { portTo } from '../../src/store/worker/storePort';
import type { StoreError } from '../../src/store/storeError';

/** The same store without a thread: every call runs at once and its promise settles in the next microtask. For tests
 *  on a simulated disk and for tools; the user's window would freeze with it. */
export function inProcessStore(opened: OpenedStore): SessionStore {
  const running = inProcessRunningStore(opened);
  return { ...promisedOperations(running.call), close: running.close };
}

/** The in-process store as a connection owns it. */
export function inProcessRunningStore(opened: OpenedStore): RunningStore {
  let closed = false;
  return {
    call: <M extends MethodName>(
      method: M,
      args: MethodArguments[M],
      options?: CallOptions,
    ): Promise<MethodResults[M]> =>
      // The promise executor converts the store's exceptions to rejections, and runs before this returns.
      new Promise((resolve) => {
        if (closed) throw closedError();
        options?.signal?.throwIfAborted();
        resolve(perform(opened.operations, method, args));
      }),
    close: () =>
      new Promise((resolve) => {
        if (!closed) {
          closed = true;
          opened.close();
        }
        resolve();
      }),
    abandon: () => {
      closed = true;
      return Promise.resolve();
    },
    openPort: () => portTo(promisedOperations(async (method, args) => perform(opened.operations, method, args))).port,
    onDidFail: new Emitter<StoreError>().event,
    onDidFailInBackground: new Emitter<StoreError>().event,
  };
}

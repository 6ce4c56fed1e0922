import { describe, expect, it } from 'vitest';
import { GatewayError } from '../../../../src/gateway/gateway';
import { progressAfterMs, withWorkNotices, type WorkNotice } from '../../../../src/host/notifications/longWork';
import type { BranchedSession } from '../../../../src/store/conversations';
import type { SessionStore } from '../../../../src/store/session/sessionStore';
import type { WorkProgress } from '../../../../src/store/slicedWork';
import { ManualClock } from '../../../support/manualClock';

const input = { sessionId: 's', upTo: null, childId: 'b', now: 1 };
const branched = { copied: 3 } as unknown as BranchedSession;

/** A store in which a branch takes until the test ends it, and a notice that writes down what it shows. */
function world() {
  const clock = new ManualClock();
  const log: string[] = [];
  let finish: (result: BranchedSession) => void = () => undefined;
  let progress: (progress: WorkProgress) => void = () => undefined;
  let stop: () => void = () => undefined;
  const store = {
    branchSession: (_input: unknown, signal?: AbortSignal, onProgress?: (heard: WorkProgress) => void) =>
      new Promise<BranchedSession>((resolve, reject) => {
        finish = resolve;
        progress = onProgress ?? progress;
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
    openTurn: async () => ({ opened: true }),
  } as unknown as SessionStore;
  const notice: WorkNotice = {
    show(title, ended, stopped, onProgress) {
      log.push(title);
      stop = stopped;
      onProgress(({ done, total }) => log.push(`${done} of ${total}`));
      void ended.then(() => log.push('gone'));
    },
  };
  return {
    clock,
    log,
    store: withWorkNotices(store, { clock, notice }),
    finish: () => finish(branched),
    progress: (done: number) => progress({ done, total: 9 }),
    stop: () => stop(),
  };
}

describe('a long change to a session', () => {
  it('is reported after a second, with its progress, until it is done', async () => {
    const { clock, log, store, finish, progress } = world();
    const result = store.branchSession(input);
    progress(2);
    await clock.advance(progressAfterMs - 1);
    const before = [...log];
    await clock.advance(1);
    progress(5);
    finish();
    expect([before, await result, log]).toEqual([[], branched, ['Branching the session…', '2 of 9', '5 of 9', 'gone']]);
  });

  it('is not reported if it is quick', async () => {
    const { clock, log, store, finish } = world();
    const result = store.branchSession(input);
    finish();
    await result;
    await clock.advance(10 * progressAfterMs);
    expect(log).toEqual([]);
  });

  it('reports that it was stopped, and that nothing was changed', async () => {
    const { clock, log, store, stop } = world();
    const result = store.branchSession(input);
    await clock.advance(progressAfterMs);
    stop();
    await expect(result).rejects.toEqual(new GatewayError('stopped', 'Branching was canceled. No branch was created.'));
    expect(log.at(-1)).toBe('gone');
  });

  it('is not reported for a turn that replaces nothing', async () => {
    const { clock, log, store } = world();
    await store.openTurn({} as Parameters<SessionStore['openTurn']>[0]);
    await clock.advance(progressAfterMs);
    expect(log).toEqual([]);
  });
});

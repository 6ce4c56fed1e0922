import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { t } from '../../base/translate';
import { GatewayError } from '../../gateway/gateway';
import type { SessionStore } from '../../store/session/sessionStore';
import type { WorkProgress } from '../../store/slicedWork';

/** Shows the editor's progress notification for long work, with a bar and Cancel. */
export const editorWorkNotice: WorkNotice = {
  show(title, ended, stop, onProgress) {
    void vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, cancelled) => {
        cancelled.onCancellationRequested(stop);
        let shown = 0;
        onProgress(({ done, total }) => {
          const percent = total === 0 ? 0 : Math.floor((100 * done) / total);
          if (percent <= shown) return;
          progress.report({ increment: percent - shown, message: `${percent} %` });
          shown = percent;
        });
        return ended;
      },
    );
  },
};

/** A notification that stays while work is running. */
export interface WorkNotice {
  /** Shows the notice until `ended` resolves. `stop`: called when the user stops the work. */
  show(
    title: string,
    ended: Promise<unknown>,
    stop: () => void,
    onProgress: (listener: (progress: WorkProgress) => void) => void,
  ): void;
}

interface LongWorkDeps {
  readonly clock: Clock;
  readonly notice: WorkNotice;
}

/** Milliseconds after which a change of a session shows a notice. Most finish long before. */
export const progressAfterMs = 1000;

/** Wraps the store to show a notice for each change that takes long in a long session, with its progress and a way
 *  to stop it. A stopped change rejects with a `GatewayError` that says so, and leaves everything unchanged. */
export function withWorkNotices(store: SessionStore, deps: LongWorkDeps): SessionStore {
  return {
    ...store,
    branchSession: (input) =>
      withProgress(
        deps,
        t('Branching the session…'),
        t('Branching was canceled. No branch was created.'),
        (...options) => store.branchSession(input, ...options),
      ),
    rewindSession: (input) =>
      withProgress(
        deps,
        t('Rewinding the session…'),
        t('Rewinding was canceled. The session is unchanged.'),
        (...options) => store.rewindSession(input, ...options),
      ),
    showVersion: (input) =>
      withProgress(
        deps,
        t('Switching to another version…'),
        t('Switching versions was canceled. The session is unchanged.'),
        (...options) => store.showVersion(input, ...options),
      ),
    openTurn: (input) => {
      if (input.replaces === undefined) return store.openTurn(input);
      return withProgress(
        deps,
        t('Preparing to retry the prompt…'),
        t('Retrying was canceled. The session is unchanged.'),
        (...options) => store.openTurn(input, ...options),
      );
    },
  };
}

function withProgress<T>(deps: LongWorkDeps, title: string, stopped: string, work: StoppableWork<T>): Promise<T> {
  return withProgressWhenLong(deps, title, new GatewayError('stopped', stopped), work);
}

export type StoppableWork<T> = (signal: AbortSignal, onProgress: (progress: WorkProgress) => void) => Promise<T>;

/** Runs work, and shows a notice once it takes long. `stopped`: abort reason of the signal when the user stops it
 *  there. */
export async function withProgressWhenLong<T>(
  { clock, notice }: Pick<LongWorkDeps, 'clock' | 'notice'>,
  title: string,
  stopped: Error,
  work: StoppableWork<T>,
): Promise<T> {
  const stop = new AbortController();
  let latest: WorkProgress | null = null;
  let listener: (progress: WorkProgress) => void = () => undefined;
  const result = work(stop.signal, (progress) => {
    latest = progress;
    listener(progress);
  });
  const ended = result.then(
    () => undefined,
    () => undefined,
  );
  const cancel = clock.after(progressAfterMs, () =>
    notice.show(
      title,
      ended,
      () => stop.abort(stopped),
      (onProgress) => {
        listener = onProgress;
        if (latest !== null) onProgress(latest);
      },
    ),
  );
  try {
    return await result;
  } finally {
    cancel();
  }
}

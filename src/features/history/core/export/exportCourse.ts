import { setImmediate } from 'node:timers/promises';

/** Surroundings of an export in progress. */
export interface ExportCourse {
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Counts sessions. */
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
  /** Lets other work of the thread run. Rejects when the export was stopped. */
  readonly pause: () => Promise<void>;
}

export function exportCourse(
  now: () => number,
  signal?: AbortSignal,
  onProgress: ExportCourse['onProgress'] = () => undefined,
): ExportCourse {
  return {
    now,
    onProgress,
    pause: async () => {
      await setImmediate();
      signal?.throwIfAborted();
    },
  };
}

import { setImmediate } from 'node:timers/promises';

/** Surroundings of an export in progress. */
export interface ExportOptions {
  /** Seconds since 1970. */
  readonly now: () => number;
  /** Counts sessions. */
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
  /** Lets other work of the thread run. Rejects when the export was stopped. */
  readonly pause: () => Promise<void>;
}

export function exportOptions(
  now: () => number,
  signal?: AbortSignal,
  onProgress: ExportOptions['onProgress'] = () => undefined,
): ExportOptions {
  return {
    now,
    onProgress,
    pause: async () => {
      await setImmediate();
      signal?.throwIfAborted();
    },
  };
}

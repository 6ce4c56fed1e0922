import { errnoOf } from './fileSystem';

/** Errors that Windows gives while another program (a virus scanner, the search index, a backup) has the file open. */
const inUse: ReadonlySet<string> = new Set(['EBUSY', 'EPERM', 'EACCES']);
/** Milliseconds between attempts: 0.7 s in all. Such programs let go of a file within some hundredths of a second. */
const pauses = [5, 10, 20, 40, 80, 160, 385];

/** Runs an operation on a file, again while another program has the file open. Only Windows refuses that; elsewhere it
 *  runs once. Throws the last error. */
export function whileInUse<T>(
  operation: () => T,
  { platform = process.platform, pause = sleep }: { platform?: NodeJS.Platform; pause?: (ms: number) => void } = {},
): T {
  for (const ms of platform === 'win32' ? pauses : []) {
    try {
      return operation();
    } catch (error) {
      if (!inUse.has(errnoOf(error))) throw error;
      pause(ms);
    }
  }
  return operation();
}

/** Blocks the thread: the calls it stands between are synchronous too. */
function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

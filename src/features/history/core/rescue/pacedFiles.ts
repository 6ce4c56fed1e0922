import type { Clock } from '../../../../base/clock';
import type { ByteRange, FileFacts, FolderEntry, HistoryFiles } from '../sources/reading/historyFiles';

/** Calls of the file system per second. One takes about 50 µs of processor time, so they take about 0.1 % of a core. */
export const callsPerSecond = 20;

/** Files that are looked at slowly: each call waits until the budget allows it. Calls come one after another. Every
 *  wait rejects with the signal's reason when it aborts. */
export class PacedFiles implements HistoryFiles {
  private left = callsPerSecond;

  constructor(
    private readonly files: HistoryFiles,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly signal: AbortSignal,
  ) {}

  async list(folder: string): Promise<readonly FolderEntry[]> {
    await this.take();
    return this.files.list(folder);
  }

  async stat(path: string): Promise<FileFacts | null> {
    await this.take();
    return this.files.stat(path);
  }

  async *read(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    await this.take();
    yield* this.files.read(path, range);
  }

  /** Waits, at least 0 milliseconds. */
  async pause(milliseconds: number): Promise<void> {
    this.signal.throwIfAborted();
    let stop = (): void => undefined;
    await new Promise<void>((resolve) => {
      const cancel = this.clock.after(milliseconds, resolve);
      stop = () => {
        cancel();
        resolve();
      };
      this.signal.addEventListener('abort', stop);
    });
    this.signal.removeEventListener('abort', stop);
    this.left = callsPerSecond;
    this.signal.throwIfAborted();
  }

  private async take(): Promise<void> {
    if (this.left === 0) await this.pause(1000);
    this.signal.throwIfAborted();
    this.left--;
  }
}

import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Bytes kept of one command's output. */
export const largestOutput = 100 * 1024 * 1024;
const beyondNote = Buffer.from(`\n… output beyond ${largestOutput / 1024 / 1024} MB was not kept\n`);

/** Where bytes are put. A file, but for tests. */
export interface OutputSink {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** The file that holds a command's output. A part of it may be shown once `append` has resolved with it. */
export class OutputFile {
  private written = 0;
  private queue: Promise<void> = Promise.resolve();

  constructor(
    readonly path: string,
    private readonly sink: OutputSink,
    private readonly limit = largestOutput,
  ) {}

  /** Readable by this person alone. Rejects when a file of that name exists. */
  static async create(path: string, limit = largestOutput): Promise<OutputFile> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx', 0o600);
    return new OutputFile(
      path,
      {
        write: async (bytes) => {
          for (let from = 0; from < bytes.length;) from += (await file.write(bytes, from)).bytesWritten;
        },
        close: () => file.close(),
      },
      limit,
    );
  }

  get isFull(): boolean {
    return this.written >= this.limit;
  }

  /** Appends in the order of the calls. Resolves with what was kept of it. Rejects when it could not be written (disk full). */
  async append(bytes: Uint8Array): Promise<Uint8Array> {
    const work = this.queue.then(() => this.write(bytes));
    this.queue = work.then(
      () => undefined,
      () => undefined,
    );
    return work;
  }

  async close(): Promise<void> {
    await this.queue;
    await this.sink.close();
  }

  private async write(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.isFull) return bytes.subarray(0, 0);
    const kept = bytes.subarray(0, this.limit - this.written);
    await this.sink.write(kept);
    this.written += kept.length;
    if (this.isFull) await this.sink.write(beyondNote);
    return kept;
  }
}

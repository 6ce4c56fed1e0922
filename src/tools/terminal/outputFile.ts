import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Largest stored output of one command, in bytes. */
const largestOutput = 100 * 1024 * 1024;
const beyondNote = Buffer.from(`\n… output beyond ${largestOutput / 1024 / 1024} MB was not kept\n`);

/** Target for bytes. A file, except in tests. */
interface OutputSink {
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** File with a command's output. Show a part of it only after `append` has resolved with that part. */
export class OutputFile {
  private written = 0;
  private queue: Promise<void> = Promise.resolve();

  constructor(
    readonly path: string,
    private readonly sink: OutputSink,
    private readonly limit = largestOutput,
  ) {}

  /** Creates a file that only this user can read. Rejects when a file of that name exists. */
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

  /** Appends in call order. Resolves with the bytes that were stored. Rejects when they could not be written (disk
   *  full). */
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

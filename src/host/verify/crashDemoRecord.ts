import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import * as v from 'valibot';
import type { CrashDemoRun } from '../../protocol/deliveryProtocol';

/** Seconds for which the end of a process is still reported. */
const worthTelling = 24 * 60 * 60;

const recordSchema = v.object({
  conversationId: v.string(),
  turnUid: v.string(),
  at: v.number(),
  /** Characters that the view had reported as shown. The user's notice does not use this number: the view compares
   *  its own record with the disk. */
  acknowledged: v.number(),
});

type PlannedCrash = v.InferOutput<typeof recordSchema>;

/** Record of a planned Pull the Plug, written to disk before the process is killed, so that the next window knows it
 *  was no accident. */
export class CrashDemoRecord {
  private read: CrashDemoRun | null | undefined;

  constructor(
    private readonly file: () => string,
    private readonly now: () => number,
  ) {}

  /** The plug that was pulled before this process started. Null: none, or the user has already seen it. */
  get current(): CrashDemoRun | null {
    if (this.read === undefined) this.read = this.fromDisk();
    return this.read;
  }

  /** Writes the record. When this returns, the record would survive a power cut. */
  write(intention: PlannedCrash): void {
    const file = this.file();
    mkdirSync(dirname(file), { recursive: true });
    const handle = openSync(file, 'w', 0o600);
    try {
      writeSync(handle, JSON.stringify(intention));
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  }

  seen(): void {
    this.read = null;
    rmSync(this.file(), { force: true });
  }

  private fromDisk(): CrashDemoRun | null {
    const file = this.file();
    if (!existsSync(file)) return null;
    const found = v.safeParse(v.pipe(v.string(), v.parseJson(), recordSchema), readFileSync(file, 'utf8'));
    if (!found.success || this.now() - found.output.at > worthTelling) {
      rmSync(file, { force: true });
      return null;
    }
    const { conversationId, turnUid, at } = found.output;
    return { conversationId, turnUid, at };
  }
}

/** Pending writes, for callers that read what they write. */
export class PendingWrites {
  private readonly pending = new Set<Promise<unknown>>();

  add(write: Promise<unknown>): void {
    this.pending.add(write);
    const over = (): void => void this.pending.delete(write);
    write.then(over, over);
  }

  /** Resolves when all current writes have ended, successful or not. */
  async done(): Promise<void> {
    await Promise.allSettled(this.pending);
  }
}

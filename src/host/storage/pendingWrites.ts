/** Writes that are under way, for whoever reads what they write. */
export class PendingWrites {
  private readonly pending = new Set<Promise<unknown>>();

  add(write: Promise<unknown>): void {
    this.pending.add(write);
    const over = (): void => void this.pending.delete(write);
    write.then(over, over);
  }

  /** Resolves when those that are under way now have ended, whether they were done or failed. */
  async done(): Promise<void> {
    await Promise.allSettled(this.pending);
  }
}

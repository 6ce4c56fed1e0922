/** Defers tree refreshes while a QuickPick or InputBox is open: a refresh would steal focus and close it. */
export class DeferredRefresh {
  private asking = 0;
  private isDue = false;

  constructor(private readonly refresh: () => void) {}

  /** Refreshes now, or after the open box has closed. */
  requestRefresh(): void {
    if (this.asking === 0) this.refresh();
    else this.isDue = true;
  }

  async while<T>(asks: () => PromiseLike<T>): Promise<T> {
    this.asking++;
    try {
      return await asks();
    } finally {
      this.asking--;
      if (this.asking === 0 && this.isDue) {
        this.isDue = false;
        this.refresh();
      }
    }
  }
}

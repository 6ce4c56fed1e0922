/** Draws a view anew, but not while the person answers a box of the editor: a tree that is drawn then takes the focus back, and the box closes. */
export class DeferredRefresh {
  private asking = 0;
  private isDue = false;

  constructor(private readonly draw: () => void) {}

  /** Draws now, or behind the box that is open. */
  drawSoon(): void {
    if (this.asking === 0) this.draw();
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
        this.draw();
      }
    }
  }
}

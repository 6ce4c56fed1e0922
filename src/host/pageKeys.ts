/** How long behind its losing the keys a page still is where the person was, in milliseconds: about what it takes to find a command in the palette. */
const recentMs = 60_000;

/** Whether a page has the keys of the window, as it tells. The palette takes them from it, and closing gives them to the group of editors: what
 *  was asked for there came from the page, where nothing else is known to have had the keys in between. */
export class PageKeys {
  private state: 'here' | 'away' | { readonly lostAt: number } = 'away';

  constructor(private readonly nowMs: () => number) {}

  get isHere(): boolean {
    return this.state === 'here';
  }

  /** Here, or here until just now. */
  get wasHere(): boolean {
    return this.state === 'here' || (this.state !== 'away' && this.nowMs() - this.state.lostAt <= recentMs);
  }

  changed(isHere: boolean): void {
    if (isHere) this.state = 'here';
    else if (this.state === 'here') this.state = { lostAt: this.nowMs() };
  }

  /** Something else is in use, a text editor say, or the page is gone. */
  wentElsewhere(): void {
    this.state = 'away';
  }
}

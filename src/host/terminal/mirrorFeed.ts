import type { Clock } from '../../base/clock';
import { endOf } from '../../tools/terminal/plainText';

const apartMs = 50;
/** Characters shown per drawing; the terminal has no way to say that it cannot keep up. */
const mostPerDrawing = 64 * 1024;
/** What is remembered of a command until the terminal is first looked at. */
const mostBefore = 256 * 1024;

/** Text on its way to a terminal: in order, a few times a second, with a note where it comes too fast to be drawn whole. */
export class MirrorFeed {
  private write: ((text: string) => void) | null = null;
  private waiting = '';
  private leftOut = 0;
  private cancel: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly skipped: (characters: number) => string,
  ) {}

  /** The terminal can draw from now on. */
  open(write: (text: string) => void): void {
    this.write = write;
    this.flush();
  }

  add(text: string): void {
    this.waiting += text;
    this.keepTo(this.write === null ? mostBefore : mostPerDrawing);
    if (this.write !== null) this.cancel ??= this.clock.after(apartMs, () => this.flush());
  }

  flush(): void {
    this.cancel?.();
    this.cancel = null;
    if (this.write === null) return;
    const note = this.leftOut === 0 ? '' : `\r\n\u001b[0;2m${this.skipped(this.leftOut)}\u001b[0m\r\n`;
    const text = `${note}${forTerminal(this.waiting)}`;
    this.waiting = '';
    this.leftOut = 0;
    if (text !== '') this.write(text);
  }

  dispose(): void {
    this.cancel?.();
    this.write = null;
  }

  private keepTo(characters: number): void {
    if (this.waiting.length <= characters) return;
    const kept = endOf(this.waiting, characters);
    this.leftOut += this.waiting.length - kept.length;
    this.waiting = kept;
  }
}

/** A terminal goes to the beginning of the line only when it is told to. */
function forTerminal(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

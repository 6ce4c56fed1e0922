import type { Clock } from '../../base/clock';
import { endOf } from '../../tools/terminal/plainText';

const apartMs = 50;
/** Maximum number of characters written at once: the terminal cannot report that it is too slow. */
const mostPerWrite = 64 * 1024;
/** Maximum number of characters of output that are kept before the terminal first opens. */
const mostBefore = 256 * 1024;

/** Text on its way to a terminal: in order, at most every `apartMs`, with a note when there is too much to show. */
export class MirrorFeed {
  private write: ((text: string) => void) | null = null;
  private waiting = '';
  private leftOut = 0;
  private cancel: (() => void) | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly skipped: (characters: number) => string,
  ) {}

  /** Called when the terminal can render text. */
  open(write: (text: string) => void): void {
    this.write = write;
    this.flush();
  }

  add(text: string): void {
    this.waiting += text;
    this.keepTo(this.write === null ? mostBefore : mostPerWrite);
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

/** A terminal returns to the start of the line only after a carriage return. */
function forTerminal(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}

import { noBlocks, type OpenBlocks, placeLine } from '../../protocol/markdownWords';

/** A stretch of a long text. It is parsed and drawn by itself, and never again once another one follows. */
export interface TextPiece {
  /** Its place in the text. */
  readonly at: number;
  /** The text of the stretch, behind a line that opens its code again or the head of its table where it begins inside of one. */
  readonly text: string;
  /** Shown as it was delivered, without being read as Markdown. */
  readonly isPlain: boolean;
}

/** Characters of a text that are drawn as Markdown. Behind these it is shown as it is: the elements of a longer one would keep the browser busy with
 *  looking after its memory alone. */
export const mostFormatted = 500_000;

/** Characters of a piece, except for code: what is parsed again with every delta. */
const longestPiece = 12_000;
/** The same for a block of code, which costs little while it grows, and which is copied and applied as one. */
const longestCode = 100_000;
/** No line of code closes a fence as long as this. */
const longFence = '~'.repeat(40);

/** Cuts a text that grows at its end into pieces, as far as possible between two blocks, else between two lines. A long text is cut in the same places
 *  whether it came at once or bit by bit. Names of link definitions hold within their piece. */
export class TextPieces {
  private text = '';
  private isComplete = false;
  private readonly cut: TextPiece[] = [];
  /** Where the last piece begins, and what stands ahead of its text. */
  private from = 0;
  private opening = '';
  /** The first line that is not placed yet, and the blocks that are open ahead of it. */
  private next = 0;
  private blocks: OpenBlocks = noBlocks;
  /** The last places in the piece at which a block begins, and at which a line of one that may be cut does; 0 without one. */
  private atBlock = 0;
  private atLine = 0;
  /** Behind the marks of the fence that was opened last: the language. */
  private info = '';
  /** The first two lines of the table that the last line is in, or its first line alone; '' outside of one. */
  private tableHead = '';

  /** False where `text` does not go on from what was given before: that takes another instance. */
  goesOn(text: string): boolean {
    return text === this.text || (!this.isComplete && text.startsWith(this.text));
  }

  /** The pieces of `text`, which goes on; `complete`: nothing will be added. All but the last stay as they are. */
  of(text: string, complete: boolean): readonly TextPiece[] {
    this.text = text;
    while (!this.isPlain) {
      const newLine = text.indexOf('\n', this.next);
      const end = newLine === -1 ? text.length : newLine;
      if (end - this.next > this.longest) this.cutInLine();
      else if (newLine !== -1 || (complete && !this.isComplete && end > this.next)) this.take(end);
      else break;
    }
    while (this.isPlain && text.length - this.from > longestPiece) this.cutAt(this.endInLines(longestPiece), '');
    this.isComplete ||= complete;
    return this.from < text.length ? [...this.cut, this.piece(text.length)] : [...this.cut];
  }

  private get longest(): number {
    return this.blocks.leaf.kind === 'fence' ? longestCode : longestPiece;
  }

  /** Places the next line, which ends at `end`. */
  private take(end: number): void {
    const start = this.next;
    const line = this.text.slice(start, end).replace(/\r$/, '');
    const before = this.blocks;
    const { after, holds } = placeLine(before, line);
    this.noteBeginning(start, line, before);
    this.noteTable(line, after);
    if (before.leaf.kind !== 'fence' && after.leaf.kind === 'fence')
      this.info = /(?:`{3,}|~{3,})(.*)$/.exec(line)?.[1]?.trim() ?? '';
    this.blocks = after;
    this.next = Math.min(end + 1, this.text.length);
    if (this.opening.startsWith(longFence) && after.leaf.kind !== 'fence') {
      if (start > this.from) this.cut.push(this.piece(start));
      // The line that closes code which was opened again belongs to no piece; where a quote or a list ends and the code with it there is none.
      this.begin(holds === 'code' ? this.next : start, '');
    }
    while (this.next - this.from > this.longest) this.cutBetweenLines(before.leaf.kind === 'fence' ? start : this.next);
  }

  /** Whether a piece may begin with this line. */
  private noteBeginning(start: number, line: string, { leaf, containers }: OpenBlocks): void {
    if (start <= this.from || !/^\S/.test(line) || leaf.kind === 'fence' || leaf.kind === 'html') return;
    const mayGoOn = leaf.kind === 'paragraph' || (containers.length > 0 && /^(?:[*+-]|\d{1,9}[.)])[ \t]|^>/.test(line));
    if (mayGoOn) this.atLine = start;
    else this.atBlock = start;
  }

  private noteTable(line: string, { leaf }: OpenBlocks): void {
    const lines = this.tableHead.split('\n').length;
    if (leaf.kind !== 'paragraph') this.tableHead = '';
    else if (this.tableHead === '' || lines === 1)
      this.tableHead = /^[ |:-]*\|[ |:-]*$/.test(line) && this.tableHead !== '' ? `${this.tableHead}\n${line}` : line;
  }

  /** `line`: where code may be cut: ahead of the last line, unless that opened it. */
  private cutBetweenLines(line: number): void {
    if (this.atBlock > this.from) this.cutAt(this.atBlock, '');
    else if (this.blocks.leaf.kind === 'fence') this.cutAt(line > this.from ? line : this.next, this.codeOpening);
    else if (this.atLine > this.from)
      this.cutAt(this.atLine, this.tableHead.includes('\n') ? `${this.tableHead}\n` : '');
    else this.cutAt(this.next, '');
  }

  /** The line is longer than a piece may be: what stands ahead of it is one, and then as much of the line as fits. */
  private cutInLine(): void {
    const opening = this.blocks.leaf.kind === 'fence' ? this.codeOpening : '';
    if (this.next > this.from) this.cutAt(this.next, opening);
    this.cutAt(this.endInLines(this.longest), opening);
    this.next = this.from;
    if (opening === '') this.blocks = noBlocks;
  }

  /** The end of a piece of so many characters at the most: of its last line, else of its last word, else of its last character. */
  private endInLines(length: number): number {
    const most = this.from + length;
    for (const end of ['\n', ' ']) {
      const at = this.text.lastIndexOf(end, most - 1);
      if (at > this.from) return at + 1;
    }
    return /[\uD800-\uDBFF]/.test(this.text[most - 1] ?? '') ? most - 1 : most;
  }

  private get codeOpening(): string {
    return `${longFence}${this.info}\n`;
  }

  private cutAt(end: number, opening: string): void {
    this.cut.push(this.piece(end));
    this.begin(end, opening);
  }

  private begin(at: number, opening: string): void {
    this.from = at;
    this.opening = this.isPlain ? '' : opening;
  }

  private get isPlain(): boolean {
    return this.from >= mostFormatted;
  }

  private piece(end: number): TextPiece {
    return { at: this.from, text: this.opening + this.text.slice(this.from, end), isPlain: this.isPlain };
  }
}

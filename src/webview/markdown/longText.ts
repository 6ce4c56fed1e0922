import { noBlocks, type OpenBlocks, placeLine } from '../../transcript/text/markdownBlocks';

/** Part of a long text. Parsed and rendered separately, and never again once another piece follows. */
export interface TextPiece {
  /** Position in the text. */
  readonly at: number;
  /** Text of the piece. If it begins inside code or a table, a line that reopens the code or the head of the table
   *  comes first. */
  readonly text: string;
  /** True when shown as delivered, without parsing as Markdown. */
  readonly isPlain: boolean;
}

/** Maximum characters of a text rendered as Markdown. The rest is shown as plain text: the elements of a longer one
 *  would keep the browser busy with memory management alone. */
export const mostFormatted = 500_000;

/** Maximum characters of a piece, except for code: the amount parsed again with every delta. */
const longestPiece = 12_000;
/** The same for a block of code, which costs little while it grows, and which is copied and applied as a whole. */
const longestCode = 100_000;
/** No line of code closes a fence as long as this. */
const longFence = '~'.repeat(40);

/** Cuts a text that grows at its end into pieces, between two blocks if possible, else between two lines. The cuts
 *  of a long text are the same when it arrives at once and when it arrives bit by bit. Link definitions apply within
 *  their piece. */
export class TextPieces {
  private text = '';
  private isComplete = false;
  private readonly cut: TextPiece[] = [];
  /** Beginning of the last piece, and the text to put before it. */
  private from = 0;
  private opening = '';
  /** The first line not placed yet, and the blocks open before it. */
  private next = 0;
  private blocks: OpenBlocks = noBlocks;
  /** Last positions in the piece at which a block begins, and at which a line begins where a block may be cut; 0
   *  without one. */
  private atBlock = 0;
  private atLine = 0;
  /** Text after the marks of the last opened fence: the language. */
  private info = '';
  /** First two lines of the table that contains the last line, or only its first line; '' outside a table. */
  private tableHead = '';

  /** False when `text` does not continue the earlier text: then use a new instance. */
  isContinuedBy(text: string): boolean {
    return text === this.text || (!this.isComplete && text.startsWith(this.text));
  }

  /** Returns the pieces of `text`, which continues the earlier text; `complete`: nothing will be added. All pieces
   *  but the last stay unchanged. */
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
      // The line that closes reopened code belongs to no piece. If the code ends with its quote or list, there is no
      // such line.
      this.begin(holds === 'code' ? this.next : start, '');
    }
    while (this.next - this.from > this.longest) this.cutBetweenLines(before.leaf.kind === 'fence' ? start : this.next);
  }

  /** Notes if a piece may begin with this line. */
  private noteBeginning(start: number, line: string, { leaf, containers }: OpenBlocks): void {
    if (start <= this.from || !/^\S/.test(line) || leaf.kind === 'fence' || leaf.kind === 'html') return;
    const mayContinue =
      leaf.kind === 'paragraph' || (containers.length > 0 && /^(?:[*+-]|\d{1,9}[.)])[ \t]|^>/.test(line));
    if (mayContinue) this.atLine = start;
    else this.atBlock = start;
  }

  private noteTable(line: string, { leaf }: OpenBlocks): void {
    const lines = this.tableHead.split('\n').length;
    if (leaf.kind !== 'paragraph') this.tableHead = '';
    else if (this.tableHead === '' || lines === 1)
      this.tableHead = /^[ |:-]*\|[ |:-]*$/.test(line) && this.tableHead !== '' ? `${this.tableHead}\n${line}` : line;
  }

  /** `line`: place where code may be cut: before the last line, unless that line opened it. */
  private cutBetweenLines(line: number): void {
    if (this.atBlock > this.from) this.cutAt(this.atBlock, '');
    else if (this.blocks.leaf.kind === 'fence') this.cutAt(line > this.from ? line : this.next, this.codeOpening);
    else if (this.atLine > this.from)
      this.cutAt(this.atLine, this.tableHead.includes('\n') ? `${this.tableHead}\n` : '');
    else this.cutAt(this.next, '');
  }

  /** Cuts a line longer than a piece may be: first the text before it, then as much of the line as fits. */
  private cutInLine(): void {
    const opening = this.blocks.leaf.kind === 'fence' ? this.codeOpening : '';
    if (this.next > this.from) this.cutAt(this.next, opening);
    this.cutAt(this.endInLines(this.longest), opening);
    this.next = this.from;
    if (opening === '') this.blocks = noBlocks;
  }

  /** Returns the end of a piece with at most this many characters: the end of its last line, else of its last word,
   *  else of its last character. */
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
/** Part of a text that renders separately. */
export interface RenderedPiece {
  /** Position in the text. */
  readonly at: number;
  readonly text: string;
  /** True when nothing will be added to it. */
  readonly complete: boolean;
  /** True when another piece follows. */
  readonly isDone?: boolean;
  /** Rendered as plain text, not as Markdown; `first`: the piece before it is Markdown. */
  readonly plain?: 'first' | 'more' | undefined;
}

/** Pieces of one long text to render so far: one more each time after yielding to keys and frames. */
export class LongText {
  private pieces = new TextPieces();
  private rendered = 1;
  private timer: ReturnType<typeof setTimeout> | null = null;

  /** Calls `more` when another piece should render. */
  constructor(private readonly more: () => void) {}

  show(text: string, complete: boolean): readonly RenderedPiece[] {
    if (!this.pieces.isContinuedBy(text)) this.pieces = new TextPieces();
    const pieces = this.pieces.of(text, complete);
    if (this.rendered < pieces.length) this.timer ??= setTimeout(this.next, 0);
    return pieces.slice(0, this.rendered).map((piece, index) => {
      const isDone = index < pieces.length - 1;
      return {
        at: piece.at,
        text: piece.text,
        complete: complete || isDone,
        isDone,
        plain: piece.isPlain ? (pieces[index - 1]?.isPlain === true ? 'more' : 'first') : undefined,
      };
    });
  }

  readonly cancel = (): void => {
    if (this.timer !== null) clearTimeout(this.timer);
  };

  private readonly next = (): void => {
    this.timer = null;
    this.rendered++;
    this.more();
  };
}

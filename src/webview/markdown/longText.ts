import { TextPieces } from './textPieces';

/** A stretch of a text that is drawn by itself. */
export interface DrawnPiece {
  /** Its place in the text. */
  readonly at: number;
  readonly text: string;
  /** Nothing will be added to it. */
  readonly complete: boolean;
  /** Another one follows. */
  readonly isDone?: boolean;
  /** Drawn as it is, not as Markdown; `first`: and what stands ahead of it is not. */
  readonly plain?: 'first' | 'more' | undefined;
}

/** The pieces of one long text that are to be drawn by now: one more each time that keys and frames had their turn. */
export class LongText {
  private pieces = new TextPieces();
  private drawn = 1;
  private timer: ReturnType<typeof setTimeout> | null = null;

  /** `more` is called when another piece is to be drawn. */
  constructor(private readonly more: () => void) {}

  show(text: string, complete: boolean): readonly DrawnPiece[] {
    if (!this.pieces.goesOn(text)) this.pieces = new TextPieces();
    const pieces = this.pieces.of(text, complete);
    if (this.drawn < pieces.length) this.timer ??= setTimeout(this.next, 0);
    return pieces.slice(0, this.drawn).map((piece, index) => {
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
    this.drawn++;
    this.more();
  };
}

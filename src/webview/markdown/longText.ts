import { TextPieces } from './textPieces';

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

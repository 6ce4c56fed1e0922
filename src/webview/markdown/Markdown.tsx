import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { t } from '../localization';
import { restWhenFar } from '../restingElements';
import { addressOf } from './blockElements';
import { MarkdownBlocks } from './blocks';
import { DrawnBlocks } from './drawnBlocks';
import type * as longTexts from './longText';
import type { MarkdownActions } from './markdownActions';

export type { MarkdownActions } from './markdownActions';

interface MarkdownProps {
  readonly text: string;
  /** False while more text may come. */
  readonly complete: boolean;
  readonly actions: MarkdownActions;
}

/** Characters above which a text is drawn in pieces. */
const drawnAtOnce = 24_000;

let loaded: typeof longTexts | 'missing' | null = null;

/** Text of an answer as Markdown. Its text content is the delivered text as Markdown renders it; buttons add none. A long text is drawn in pieces, one
 *  after the other, so that no part of it keeps the page from answering. */
export function Markdown({ text, complete, actions }: MarkdownProps) {
  const long = useRef<longTexts.LongText | null>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const isLong = text.length > drawnAtOnce;
  const waits = isLong && loaded === null;
  useEffect(() => {
    if (waits)
      void import('./longText')
        .then(
          (module) => (loaded = module),
          () => (loaded = 'missing'),
        )
        .then(redraw);
  }, [waits]);
  useEffect(() => () => long.current?.cancel(), []);
  // Where what cuts it cannot be had, a long text is drawn at once, as slow as that is.
  let pieces: readonly longTexts.DrawnPiece[] = [
    { at: 0, text: waits ? text.slice(0, drawnAtOnce) : text, complete: complete && !waits },
  ];
  if (isLong && loaded !== null && loaded !== 'missing')
    pieces = (long.current ??= new loaded.LongText(() => redraw(0))).show(text, complete);
  return (
    <>
      {pieces.map((piece) =>
        piece.plain === undefined ? (
          <MarkdownPiece key={piece.at} {...piece} actions={actions} />
        ) : (
          <PlainPiece key={piece.at} {...piece} />
        ),
      )}
    </>
  );
}

function PlainPiece({ text, plain }: longTexts.DrawnPiece) {
  return (
    <div class="plain-text" dir="auto">
      {plain === 'first' && (
        <p class="markdown-note" role="note">
          {t('This answer is very long. The rest is shown without formatting.')}
        </p>
      )}
      {text}
    </div>
  );
}

function MarkdownPiece({ text, complete, isDone, actions }: MarkdownProps & Pick<longTexts.DrawnPiece, 'isDone'>) {
  const element = useRef<HTMLDivElement>(null);
  const blocks = useRef<MarkdownBlocks | null>(null);
  const drawn = useRef<DrawnBlocks | null>(null);
  useLayoutEffect(() => {
    if (element.current === null) return;
    blocks.current ??= new MarkdownBlocks();
    drawn.current ??= new DrawnBlocks(element.current);
    drawn.current.show(blocks.current.render(text, complete), actions);
    if (isDone && element.current.lastElementChild !== null) restWhenFar(element.current.lastElementChild);
  }, [text, complete, isDone, actions]);
  const answer = (event: Event): void => {
    const address = addressOf(event.target);
    if (address === null) return;
    event.preventDefault();
    // VS Code listens on the document and would follow links by itself.
    event.stopPropagation();
    actions.openLink(address);
  };
  return (
    <div
      class="markdown"
      dir="auto"
      ref={element}
      onClick={answer}
      onKeyDown={(event) => {
        if (event.key === 'Enter') answer(event);
      }}
    />
  );
}

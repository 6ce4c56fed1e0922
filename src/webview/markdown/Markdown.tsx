import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { t } from '../localization';
import { skipWhenFar } from '../offscreenElements';
import { addressOf } from './blockElements';
import { MarkdownBlocks } from './blocks';
import { RenderedBlocks } from './renderedBlocks';
import type * as longTexts from './longText';
import type { MarkdownActions } from './markdownActions';

export type { MarkdownActions } from './markdownActions';

interface MarkdownProps {
  readonly text: string;
  /** False while more text may arrive. */
  readonly complete: boolean;
  readonly actions: MarkdownActions;
}

/** Number of characters above which a text renders in chunks. */
const renderedAtOnce = 24_000;

let loaded: typeof longTexts | 'missing' | null = null;

/** Text of an answer as Markdown. Its text content is the delivered text as Markdown renders it; buttons add none. A
 *  long text renders in chunks, one after the other, so that the page stays responsive. */
export function Markdown({ text, complete, actions }: MarkdownProps) {
  const long = useRef<longTexts.LongText | null>(null);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const isLong = text.length > renderedAtOnce;
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
  // If the module that splits it cannot be loaded, a long text renders all at once, however slow that is.
  let pieces: readonly longTexts.RenderedPiece[] = [
    { at: 0, text: waits ? text.slice(0, renderedAtOnce) : text, complete: complete && !waits },
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

function PlainPiece({ text, plain }: longTexts.RenderedPiece) {
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

function MarkdownPiece({ text, complete, isDone, actions }: MarkdownProps & Pick<longTexts.RenderedPiece, 'isDone'>) {
  const element = useRef<HTMLDivElement>(null);
  const blocks = useRef<MarkdownBlocks | null>(null);
  const rendered = useRef<RenderedBlocks | null>(null);
  useLayoutEffect(() => {
    if (element.current === null) return;
    blocks.current ??= new MarkdownBlocks();
    rendered.current ??= new RenderedBlocks(element.current);
    rendered.current.show(blocks.current.render(text, complete), actions);
    if (isDone && element.current.lastElementChild !== null) skipWhenFar(element.current.lastElementChild);
  }, [text, complete, isDone, actions]);
  const answer = (event: Event): void => {
    const address = addressOf(event.target);
    if (address === null) return;
    event.preventDefault();
    // VS Code listens on the document and would follow links on its own.
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

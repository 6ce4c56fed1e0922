import { useLayoutEffect, useRef } from 'preact/hooks';
import { addressOf } from './blockElements';
import { MarkdownBlocks } from './blocks';
import { DrawnBlocks } from './drawnBlocks';
import type { MarkdownActions } from './markdownActions';

export type { MarkdownActions } from './markdownActions';

interface MarkdownProps {
  readonly text: string;
  /** False while more text may come. */
  readonly complete: boolean;
  readonly actions: MarkdownActions;
}

/** Text of an answer as Markdown. Its text content is the delivered text as Markdown renders it; buttons add none. */
export function Markdown({ text, complete, actions }: MarkdownProps) {
  const element = useRef<HTMLDivElement>(null);
  const blocks = useRef<MarkdownBlocks | null>(null);
  const drawn = useRef<DrawnBlocks | null>(null);
  useLayoutEffect(() => {
    if (element.current === null) return;
    blocks.current ??= new MarkdownBlocks();
    drawn.current ??= new DrawnBlocks(element.current);
    drawn.current.show(blocks.current.render(text, complete), actions);
  }, [text, complete, actions]);
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

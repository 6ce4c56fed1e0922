import { useLayoutEffect, useRef } from 'preact/hooks';
import { memo } from '../memo';
import { t } from '../localization';
import { MarkdownBlocks } from './blocks';
import { sanitizedFragment } from './sanitizer';

/** What can be done with what is inside an answer. */
export interface MarkdownActions {
  openLink(href: string): void;
  copy(text: string): void;
}

interface MarkdownProps {
  readonly text: string;
  /** False while more text may come. */
  readonly complete: boolean;
  readonly actions: MarkdownActions;
}

/** Text of an answer as Markdown. Its text content is the delivered text as Markdown renders it; buttons add none. */
export function Markdown({ text, complete, actions }: MarkdownProps) {
  const blocks = useRef<MarkdownBlocks | null>(null);
  blocks.current ??= new MarkdownBlocks();
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
      onClick={answer}
      onKeyDown={(event) => {
        if (event.key === 'Enter') answer(event);
      }}
    >
      {blocks.current.render(text, complete).map((block) => (
        <MarkdownBlock key={block.key} html={block.html} actions={actions} />
      ))}
    </div>
  );
}

const MarkdownBlock = memo(({ html, actions }: { readonly html: string; readonly actions: MarkdownActions }) => {
  const element = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    element.current?.replaceChildren(sanitizedFragment(html));
    for (const pre of element.current?.querySelectorAll('pre') ?? []) addCopyButton(pre, actions);
    for (const table of element.current?.querySelectorAll('table') ?? []) makeScrollable(table);
  }, [html, actions]);
  return <div class="markdown-block" ref={element} />;
});

// A button without text: its icon is drawn by CSS, so that the answer's text stays exactly what was delivered.
function addCopyButton(pre: HTMLPreElement, actions: MarkdownActions): void {
  const frame = document.createElement('div');
  frame.className = 'code-block';
  frame.dataset['language'] = pre.dataset['language'] ?? '';
  pre.replaceWith(frame);
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'icon-button code-copy codicon codicon-copy';
  button.title = t('Copy');
  button.setAttribute('aria-label', t('Copy Code'));
  button.addEventListener('click', () => {
    actions.copy(pre.textContent ?? '');
    button.classList.replace('codicon-copy', 'codicon-check');
    setTimeout(() => button.classList.replace('codicon-check', 'codicon-copy'), 1500);
  });
  frame.append(pre, button);
}

function makeScrollable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'region');
  frame.setAttribute('aria-label', t('Table'));
  table.replaceWith(frame);
  frame.append(table);
}

function addressOf(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest('a[data-href]')?.getAttribute('data-href') ?? null) : null;
}

import { inPlainSight } from '../plainSight';
import { addCodeToolbar } from './codeToolbar';
import { hostBehind } from './hostBehind';
import type { MarkdownActions } from './markdownActions';

export { linkNames } from './references';

/** Puts to a closed block what can be done with it. Its text stays exactly as it is; signs are drawn by CSS. */
export function dressBlock(block: Element, actions: MarkdownActions): void {
  for (const pre of block.querySelectorAll<HTMLPreElement>('.code-block > pre')) addCodeToolbar(pre, actions);
  for (const link of block.querySelectorAll<HTMLElement>('a[data-href]')) showTarget(link);
  for (const code of block.querySelectorAll<HTMLElement>(':not(pre) > code')) showUnseen(code);
}

/** Where a link really leads: in its title without anything that hides, and behind it where its text looks like another address. */
function showTarget(link: HTMLElement): void {
  const host = hostBehind(link.dataset['href'] ?? '', link.textContent ?? '');
  if (host !== null) link.dataset['host'] = host;
  link.title = inPlainSight(link.title);
}

function showUnseen(code: HTMLElement): void {
  const text = code.textContent ?? '';
  const plain = inPlainSight(text);
  if (plain !== text) code.title = plain;
}

/** Gives a test in the browser what sanitises blocks together, and what does it one by one. */
import { sanitizedBlocks } from '../../../src/webview/markdown/sanitizedBlocks';
import { sanitizedFragment } from '../../../src/webview/markdown/sanitizer';

const markup = (fragment: DocumentFragment): string => {
  const holder = document.createElement('div');
  holder.append(fragment);
  return holder.innerHTML;
};

Object.assign(window, { differing: (documents: readonly (readonly string[])[]) => documents.filter((htmls) => sanitizedBlocks(htmls).map(markup).join('\n') !== htmls.map(sanitizedFragment).map(markup).join('\n')) });

import { sanitizedFragment } from './sanitizer';

/** The blocks' elements, sanitised together: for each call the browser makes a whole document to parse in, which costs more than all that is in
 *  a block. Each block is parsed inside of an element of its own; what does not come out as it went in is sanitised block by block. */
export function sanitizedBlocks(htmls: readonly string[]): readonly DocumentFragment[] {
  if (htmls.length < 2) return htmls.map(sanitizedFragment);
  const together = sanitizedFragment(htmls.map((html) => `<blockquote class="${own}">${html}</blockquote>`).join(''));
  const frames = [...together.children];
  const isWhole = together.childNodes.length === htmls.length && frames.length === htmls.length && frames.every((frame) => frame.localName === 'blockquote' && frame.className === own);
  return isWhole ? frames.map(contentsOf) : htmls.map(sanitizedFragment);
}

const own = 'one-block';

function contentsOf(frame: Element): DocumentFragment {
  const fragment = document.createDocumentFragment();
  fragment.append(...frame.childNodes);
  return fragment;
}

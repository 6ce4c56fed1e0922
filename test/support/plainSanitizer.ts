/** Stands in for the sanitiser where the DOM is one that DOMPurify does not run in: lets everything through. What the real one does is tested in a browser. */
export function sanitizedFragment(html: string): DocumentFragment {
  return document.createRange().createContextualFragment(html);
}

export function sanitizedFragments(htmls: readonly string[]): readonly DocumentFragment[] {
  return htmls.map(sanitizedFragment);
}

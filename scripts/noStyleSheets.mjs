/** Stands in for linkedom's parser of style sheets, 0.2 MB, in the bundle that turns web pages into text: nothing there
 *  reads a style sheet. */
export function parse() {
  throw new Error('Style sheets are not part of this bundle: see scripts/noStyleSheets.mjs');
}

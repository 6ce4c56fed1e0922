import katex, { type KatexOptions } from 'katex';
import katexStyles from 'katex/dist/katex.min.css';
import { t } from '../localization';
import { mathMlFragment, sanitizeFormula } from './formulaSanitizer';
import { isSmallEnough, mostExpansions, texOf } from './tex';
import ams from 'katex/dist/fonts/KaTeX_AMS-Regular.woff2';
import caligraphicBold from 'katex/dist/fonts/KaTeX_Caligraphic-Bold.woff2';
import caligraphic from 'katex/dist/fonts/KaTeX_Caligraphic-Regular.woff2';
import frakturBold from 'katex/dist/fonts/KaTeX_Fraktur-Bold.woff2';
import fraktur from 'katex/dist/fonts/KaTeX_Fraktur-Regular.woff2';
import mainBold from 'katex/dist/fonts/KaTeX_Main-Bold.woff2';
import mainBoldItalic from 'katex/dist/fonts/KaTeX_Main-BoldItalic.woff2';
import mainItalic from 'katex/dist/fonts/KaTeX_Main-Italic.woff2';
import main from 'katex/dist/fonts/KaTeX_Main-Regular.woff2';
import mathBoldItalic from 'katex/dist/fonts/KaTeX_Math-BoldItalic.woff2';
import mathItalic from 'katex/dist/fonts/KaTeX_Math-Italic.woff2';
import sansBold from 'katex/dist/fonts/KaTeX_SansSerif-Bold.woff2';
import sansItalic from 'katex/dist/fonts/KaTeX_SansSerif-Italic.woff2';
import sans from 'katex/dist/fonts/KaTeX_SansSerif-Regular.woff2';
import script from 'katex/dist/fonts/KaTeX_Script-Regular.woff2';
import size1 from 'katex/dist/fonts/KaTeX_Size1-Regular.woff2';
import size2 from 'katex/dist/fonts/KaTeX_Size2-Regular.woff2';
import size3 from 'katex/dist/fonts/KaTeX_Size3-Regular.woff2';
import size4 from 'katex/dist/fonts/KaTeX_Size4-Regular.woff2';
import typewriter from 'katex/dist/fonts/KaTeX_Typewriter-Regular.woff2';

const bold = { weight: 'bold' };
const italic = { style: 'italic' };

const fonts: readonly (readonly [family: string, path: string, face?: FontFaceDescriptors])[] = [
  ['Main', main],
  ['Main', mainBold, bold],
  ['Main', mainItalic, italic],
  ['Main', mainBoldItalic, { ...bold, ...italic }],
  ['Math', mathItalic, italic],
  ['Math', mathBoldItalic, { ...bold, ...italic }],
  ['Size1', size1],
  ['Size2', size2],
  ['Size3', size3],
  ['Size4', size4],
  ['AMS', ams],
  ['Caligraphic', caligraphic],
  ['Caligraphic', caligraphicBold, bold],
  ['Fraktur', fraktur],
  ['Fraktur', frakturBold, bold],
  ['SansSerif', sans],
  ['SansSerif', sansBold, bold],
  ['SansSerif', sansItalic, italic],
  ['Script', script],
  ['Typewriter', typewriter],
];

/** Adds the fonts of formulas to the page; a font loads when a formula needs it. A style sheet of a shadow root cannot
 *  do this. Resolves once the most common ones are there, or have failed, so that a formula does not change its size
 *  after it is shown. */
async function addFormulaFonts(): Promise<void> {
  if (typeof FontFace === 'undefined') return;
  const faces = fonts.map(
    ([family, path, face]) =>
      new FontFace(`KaTeX_${family}`, `url(${new URL(path, import.meta.url).href})`, { display: 'block', ...face }),
  );
  for (const face of faces) document.fonts.add(face);
  const common = faces.filter((_, index) => [main, mathItalic, size1, size2].includes(fonts[index]?.[1] ?? ''));
  await Promise.allSettled(common.map((face) => face.load()));
}

/** Maximum elements of a formula, and maximum elements inside one another: the layout of more could block the page. */
const most = { elements: 10_000, depth: 300 } as const;
/** Maximum size that a formula may give to a rule or a gap, in em. */
const largest = 20;
/** Matches the size of a part that a formula makes or moves by 100 em or more: KaTeX does not limit negative sizes. */
const isEnormous = /(?<![\d.])\d{3,}(?:\.\d+)?em/;

/** Styles inside a formula. Its transparent source covers it: that is what is selected, copied and found. */
const styles = `
:host { position: relative; }
.view { display: inline-flex; max-width: 100%; overflow: auto hidden; white-space: normal; text-indent: 0; }
/* Room for what KaTeX lets hang out: a formula that fits is no scroller, which Tab would stop at. */
.view:not(.block) { padding-inline-end: 2px; padding-block-end: 3px; margin-inline-end: -2px; margin-block-end: -3px; }
.view.block { display: block; }
.view:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
.frame { position: relative; }
.block > .frame { display: block; width: max-content; min-width: 100%; }
.formula { user-select: none; font-size: 1.08em; }
.block > .frame > .formula { display: block; padding: 3px 0; }
.formula .katex-display { margin: 0; }
.view:not(.block) .katex-display, .view:not(.block) .katex-display > .katex { display: inline; }
.spoken { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.source { position: absolute; inset: 0; overflow: clip; color: transparent; }
.source { white-space: pre-wrap; word-break: break-all; }
`;

let sheets: readonly CSSStyleSheet[] | null = null;

/** Loads what formulas need in the page besides this module. Never rejects. */
export async function prepareFormulas(): Promise<void> {
  if (sheets !== null) return;
  sheets = [katexStyles, styles].map((text) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  await addFormulaFonts();
}

/** Shows the formula in place of its source, which stays the element's only text. When it cannot be built, the source
 *  is shown as code. */
export function showFormula(math: HTMLElement): void {
  if (math.shadowRoot !== null || sheets === null) return;
  const written = texOf(math.textContent ?? '');
  // Math without its closing sign: still text.
  if (written === null) return;
  const formula = built(written.tex, written.isDisplay);
  if (typeof formula === 'string') {
    math.classList.add('math-source');
    math.title = formula;
    return;
  }
  math.title = math.textContent?.trim() ?? '';
  const root = math.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [...sheets];
  root.append(viewOf(formula, written.isDisplay && isAlone(math)));
}

/** True when no other text is on the formula's lines. */
function isAlone(math: HTMLElement): boolean {
  return math.classList.contains('math-block') || math.parentElement?.textContent?.trim() === math.textContent?.trim();
}

/** Returns the elements of a formula, or the reason why it cannot be shown. */
function built(tex: string, isDisplay: boolean): HTMLElement | string {
  const formula = document.createElement('span');
  formula.className = 'formula';
  if (!isSmallEnough(tex)) return t('This formula is too large to be shown.');
  let mathMl: DocumentFragment;
  try {
    katex.render(tex, formula, { ...optionsFor(tex, isDisplay), output: 'html' });
    // As text, and without styles: KaTeX would write them as attributes, which the page's policy forbids.
    mathMl = mathMlFragment(katex.renderToString(tex, { ...optionsFor(tex, isDisplay), output: 'mathml' }));
  } catch (error) {
    return t('This formula can’t be shown: {reason}', {
      reason: error instanceof katex.ParseError ? error.rawMessage : t('it is too complex'),
    });
  }
  if (!isLight(formula)) return t('This formula is too large to be shown.');
  sanitizeFormula(formula);
  const spoken = span('spoken');
  mathMl.querySelector('math')?.setAttribute('aria-label', tex);
  spoken.append(mathMl);
  formula.prepend(spoken);
  return formula;
}

function optionsFor(tex: string, displayMode: boolean): KatexOptions {
  return {
    displayMode,
    throwOnError: true,
    errorColor: 'var(--vscode-errorForeground)',
    // Links, images, classes, ids and styles from an answer are not carried out.
    trust: false,
    strict: false,
    macros: {},
    maxExpand: mostExpansions(tex),
    maxSize: largest,
  };
}

/** Checks count, sizes and depth without recursion: a formula may be built deeper than a page can lay out. */
function isLight(formula: HTMLElement): boolean {
  const walker = document.createTreeWalker(formula, NodeFilter.SHOW_ELEMENT);
  let depth = 0;
  for (let count = 0; count <= most.elements && depth <= most.depth; count++) {
    if (walker.currentNode instanceof HTMLElement && isEnormous.test(walker.currentNode.getAttribute('style') ?? ''))
      return false;
    if (walker.firstChild() !== null) depth++;
    else {
      while (walker.nextSibling() === null) {
        if (walker.parentNode() === null) return true;
        depth--;
      }
    }
  }
  return false;
}

function viewOf(formula: HTMLElement, isBlock: boolean): HTMLElement {
  const [view, frame, source] = [span('view'), span('frame'), span('source')];
  view.dir = 'ltr';
  if (isBlock) {
    view.classList.add('block');
    // A wide formula scrolls, also with the keyboard.
    view.tabIndex = 0;
    view.setAttribute('role', 'group');
    view.setAttribute('aria-label', t('Formula'));
  }
  // Screen readers get the formula as MathML.
  source.setAttribute('aria-hidden', 'true');
  source.append(document.createElement('slot'));
  frame.append(formula, source);
  view.append(frame);
  return view;
}

function span(className: string): HTMLElement {
  const element = document.createElement('span');
  element.className = className;
  return element;
}

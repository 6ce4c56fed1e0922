import katex, { type KatexOptions } from 'katex';
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
import katexStyles from 'katex/dist/katex.min.css';
import { t } from '../localization';
import { newPurifier } from './sanitizer';

const mathMlTags = (
  'math semantics annotation menclose mfrac mi mn mo mover mpadded mphantom mroot mrow ms mspace msqrt ' +
  'mstyle msub msubsup msup mtable mtd mtext mtr munder munderover'
).split(' ');
const mathMlAttributes = (
  'accent accentunder columnalign columnlines columnspacing depth display displaystyle encoding fence ' +
  'height largeop linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize ' +
  'minsize notation rowlines rowspacing rspace scriptlevel separator stretchy voffset width'
).split(' ');
const htmlTags = 'span svg path line'.split(' ');
/** The last ones are of SVG: roots, arrows and braces that stretch. */
const htmlAttributes =
  'aria-hidden class style d height preserveAspectRatio stroke-width viewBox width x1 x2 y1 y2'.split(' ');

/** Matches styles that could load something, or leave the place of the formula. */
const harmful = /url|image|expression|attr|fixed|sticky|absolute|z-index|[@\\<]/i;

const always = { ALLOW_ARIA_ATTR: false, ALLOW_DATA_ATTR: false, TRUSTED_TYPES_POLICY: null } as const;

let purifier: ReturnType<typeof newPurifier> | null = null;

/** Second line of defense, which must hold without the first (`trust: false` in formulas.ts). Leaves only what a
 *  formula is made of: no address, id, handler or control. The elements stay the same ones: the page's policy allows
 *  styles set by script, and none that come with markup. */
function sanitizeFormula(formula: HTMLElement): void {
  ready().sanitize(formula, {
    ...always,
    ALLOWED_TAGS: htmlTags,
    ALLOWED_ATTR: htmlAttributes,
    IN_PLACE: true,
  });
}

/** The same for a formula as MathML, for screen readers. */
function mathMlFragment(markup: string): DocumentFragment {
  return ready().sanitize(markup, {
    ...always,
    ALLOWED_TAGS: [...mathMlTags, '#text'],
    ALLOWED_ATTR: mathMlAttributes,
    RETURN_DOM_FRAGMENT: true,
  });
}

function ready(): ReturnType<typeof newPurifier> {
  if (purifier === null) {
    purifier = newPurifier();
    purifier.addHook('uponSanitizeAttribute', (_element, attribute) => {
      if (attribute.attrName === 'style' && harmful.test(attribute.attrValue)) attribute.keepAttr = false;
    });
  }
  return purifier;
}

/** Math as it is written in an answer, without the signs around it. */
interface Tex {
  readonly tex: string;
  /** True for math on lines of its own. */
  readonly isDisplay: boolean;
}

/** Maximum characters of a formula. A longer one keeps its source: building it could block the page. */
const longest = 5000;
/** Maximum groups inside one another. */
const deepest = 60;
/** Maximum times that macros are replaced, and characters that the macros of one formula may produce. */
const mostWork = { expansions: 1000, produced: 20_000 } as const;

const signs: readonly (readonly [open: string, close: string, isDisplay: boolean])[] = [
  ['$$', '$$', true],
  ['\\[', '\\]', true],
  ['\\(', '\\)', false],
  ['$', '$', false],
];

/** Returns the TeX of math with its signs. Null when a sign is missing, or nothing is between them. */
export function texOf(source: string): Tex | null {
  const math = source.trim();
  for (const [open, close, isDisplay] of signs) {
    if (!math.startsWith(open)) continue;
    const tex = math.slice(open.length, -close.length).trim();
    return math.endsWith(close) && math.length > open.length + close.length && tex !== '' ? { tex, isDisplay } : null;
  }
  return null;
}

/** True when a formula is short and flat enough to build without blocking the page. */
export function isSmallEnough(tex: string): boolean {
  if (tex.length > longest) return false;
  let depth = 0;
  for (const { 0: group } of tex.matchAll(/\\[{}]|[{}]|\\(?:begin|left)(?![A-Za-z])|\\(?:end|right)(?![A-Za-z])/g)) {
    if (group === '\\{' || group === '\\}') continue;
    depth += group === '{' || group === '\\begin' || group === '\\left' ? 1 : -1;
    if (depth > deepest) return false;
  }
  return true;
}

/** Returns how many macros may be replaced in a formula. A macro that the formula defines may repeat as much as the
 *  formula is long, so it gets fewer. */
export function mostExpansions(tex: string): number {
  return /\\(?:[egx]?def|(?:future)?let|(?:re)?newcommand|providecommand)(?![A-Za-z])/.test(tex)
    ? Math.min(mostWork.expansions, Math.floor(mostWork.produced / tex.length))
    : mostWork.expansions;
}

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

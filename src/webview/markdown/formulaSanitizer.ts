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
export function sanitizeFormula(formula: HTMLElement): void {
  ready().sanitize(formula, {
    ...always,
    ALLOWED_TAGS: htmlTags,
    ALLOWED_ATTR: htmlAttributes,
    IN_PLACE: true,
  });
}

/** The same for a formula as MathML, for screen readers. */
export function mathMlFragment(markup: string): DocumentFragment {
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

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
const most = { expansions: 1000, produced: 20_000 } as const;

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
    ? Math.min(most.expansions, Math.floor(most.produced / tex.length))
    : most.expansions;
}

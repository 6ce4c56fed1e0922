import type { AccessPath } from '../../transcript/approval';
import { allowRuleProblem, isWholeDisk, kindNamed, parseRule, printRule, type Rule, type RuleKind } from './ruleText';

interface RuleTexts {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

type RuleOf<Kind extends RuleKind> = Extract<Rule, { readonly kind: Kind }>;

/** Parsed rules that apply to one call. */
export class RuleBook {
  private readonly allowed: readonly Rule[];
  private readonly denied: readonly Rule[];
  private readonly unsure: ReadonlySet<RuleKind | 'all'>;

  constructor(
    texts: RuleTexts,
    private readonly files: {
      readonly home: string;
      readonly caseSensitive: boolean;
      readonly guarded?: readonly string[];
    },
  ) {
    this.allowed = texts.allow.flatMap((text) => (allowRuleProblem(text) === null ? (parseRule(text) ?? []) : []));
    this.denied = texts.deny.flatMap((text) => parseRule(text) ?? []);
    this.unsure = new Set(
      texts.deny.filter((text) => parseRule(text) === null).map((text) => kindNamed(text) ?? 'all'),
    );
  }

  /** True when a rule that denies this kind cannot be parsed. Then nothing of this kind is allowed without approval. */
  isUnsure(kind: RuleKind): boolean {
    return this.unsure.has('all') || this.unsure.has(kind);
  }

  /** True when a rule denies reading in so many places that they cannot be hidden from a command. */
  get hasUnboundedReadDenial(): boolean {
    return this.isUnsure('read') || this.denies('read').some(({ pattern }) => isWholeDisk(pattern));
  }

  /** Rule book that allows only this rule. */
  only(rule: string): RuleBook {
    return new RuleBook({ allow: [rule], deny: [] }, this.files);
  }

  /** True when the path is a guarded folder or inside one. */
  guards(path: AccessPath): boolean {
    const compared = (text: string): string =>
      text.replaceAll('\\', '/').replace(/\/+$/, '').normalize('NFC').toLowerCase();
    const place = compared(path.path);
    return (this.files.guarded ?? [])
      .map(compared)
      .some((folder) => place === folder || place.startsWith(`${folder}/`));
  }

  allows<Kind extends RuleKind>(kind: Kind): readonly RuleOf<Kind>[] {
    return this.isUnsure(kind) ? [] : this.allowed.filter((rule): rule is RuleOf<Kind> => rule.kind === kind);
  }

  denies<Kind extends RuleKind>(kind: Kind): readonly RuleOf<Kind>[] {
    return this.denied.filter((rule): rule is RuleOf<Kind> => rule.kind === kind);
  }

  /** `exactly`: only a rule without wildcards counts, so it names this one file. */
  allowsPath(kind: 'edit' | 'read', path: AccessPath, exactly: boolean): boolean {
    return this.allows(kind).some(
      ({ pattern }) => !(exactly && hasWildcard(pattern)) && this.fits(pattern, path, this.files.caseSensitive),
    );
  }

  /** Rule that denies the path; null when none does. Ignores case. Also tries the path without its first segment,
   *  which may be the name of an open folder. */
  denyingPathRule(kind: 'edit' | 'read', path: AccessPath): string | null {
    const others =
      path.isInside && path.shown.includes('/')
        ? [{ ...path, shown: path.shown.slice(path.shown.indexOf('/') + 1) }]
        : [];
    const found = this.denies(kind).find(({ pattern }) =>
      [path, ...others].some((each) => this.fits(pattern, each, false)),
    );
    return found === undefined ? null : printRule(found);
  }

  private fits(pattern: string, path: AccessPath, caseSensitive: boolean): boolean {
    const isFromHome = pattern === '~' || /^~[\\/]/.test(pattern);
    const isAbsolute = isFromHome || /^([\\/]|[A-Za-z]:[\\/])/.test(pattern);
    if (!isAbsolute && !path.isInside) return false;
    const whole = (
      isFromHome ? escapedPattern(this.files.home.replaceAll('\\', '/')) + pattern.slice(1) : pattern
    ).replaceAll('\\', '/');
    return patternExpression((isAbsolute ? whole : whole.replace(/^\.\//, '')).normalize('NFC'), caseSensitive).test(
      (isAbsolute ? path.path.replaceAll('\\', '/') : path.shown).normalize('NFC'),
    );
  }
}

/** Rule pattern for this one file; null when no valid rule can be written. */
export function rulePatternOf(path: AccessPath, home: string): string | null {
  const plain = path.path.replaceAll('\\', '/');
  const fromHome = plain.startsWith(`${home.replaceAll('\\', '/')}/`)
    ? `~${escapedPattern(plain.slice(home.length))}`
    : escapedPattern(plain);
  const pattern = path.isInside ? escapedPattern(path.shown).replace(/^~/, '[~]') : fromHome;
  return parseRule(`edit(${pattern})`) === null ? null : pattern;
}

function escapedPattern(path: string): string {
  return path.replace(/[*?[]/g, '[$&]').replace(/^ | $/g, '[ ]');
}

function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern.replace(/\[.\]/gu, ''));
}

/** `*` matches any name, `?` any character of a name, `**` any names in between, `[x]` the character x itself. */
function patternExpression(pattern: string, caseSensitive: boolean): RegExp {
  const source = pattern.replace(/\[(.)\]|\/\*\*$|\*\*\/|\*\*|\*|\?|[\s\S]/gu, (token, literal: string | undefined) => {
    if (literal !== undefined) return escaped(literal);
    if (token === '/**') return '(/.*)?';
    if (token === '**/') return '(.*/)?';
    if (token === '**') return '.*';
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    return escaped(token);
  });
  return new RegExp(`^${source}$`, caseSensitive ? 'su' : 'sui');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/gu, '\\$&');
}

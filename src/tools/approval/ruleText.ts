import { t } from '../../base/translate';
import { NotUnderstood } from './shell/shellCommand';
import { parseShell } from './shell/shellParser';

/** One rule, as the user writes it in the settings or saves it from an approval card. Meaning: docs/approvals.md. */
export type Rule =
  /** `words` null: not one plain command, so only the exact text matches. `hasMore`: written with ` *`, so any
   *  further arguments match. */
  | { readonly kind: 'run'; readonly text: string; readonly words: readonly string[] | null; readonly hasMore: boolean }
  | { readonly kind: 'edit' | 'read'; readonly pattern: string }
  /** Null: every address. */
  | { readonly kind: 'fetch'; readonly origin: string | null }
  /** Host that sandboxed commands may reach. Null: every host. */
  | { readonly kind: 'connect'; readonly host: string | null }
  /** Null: every server, every tool. */
  | { readonly kind: 'mcp'; readonly server: string | null; readonly tool: string | null }
  | { readonly kind: 'tool'; readonly name: string };

export type RuleKind = Rule['kind'];
const ruleKinds = ['run', 'edit', 'read', 'fetch', 'connect', 'mcp', 'tool'] as const satisfies readonly RuleKind[];

/** Null when the text is not a rule. */
export function parseRule(written: string): Rule | null {
  const found = /^(run|edit|read|fetch|connect|mcp|tool)\((.+)\)$/s.exec(written.trim());
  const content = found?.[2]?.trim();
  if (
    found === null ||
    content === undefined ||
    content === '' ||
    /[\p{Cc}\p{Cf}]/u.test(content.replace(/[\n\t]/g, ''))
  )
    return null;
  switch (found[1]) {
    case 'run':
      return runRule(content);
    case 'edit':
      return /[\n\t]/.test(content) ? null : { kind: 'edit', pattern: content };
    case 'read':
      return /[\n\t]/.test(content) ? null : { kind: 'read', pattern: content };
    case 'fetch':
      return fetchRule(content);
    case 'connect':
      return connectRule(content.toLowerCase());
    case 'mcp':
      return mcpRule(content);
    default:
      return /\s/.test(content) ? null : { kind: 'tool', name: content };
  }
}

/** Inverse of `parseRule`. */
export function printRule(rule: Rule): string {
  switch (rule.kind) {
    case 'run':
      return `run(${rule.text})`;
    case 'edit':
    case 'read':
      return `${rule.kind}(${rule.pattern})`;
    case 'fetch':
      return `fetch(${rule.origin ?? '*'})`;
    case 'connect':
      return `connect(${rule.host ?? '*'})`;
    case 'mcp':
      return rule.server === null
        ? 'mcp(*)'
        : `mcp(${encodedName(rule.server)}/${rule.tool === null ? '*' : encodedName(rule.tool)})`;
    case 'tool':
      return `tool(${rule.name})`;
  }
}

/** Sentence that says why the rule cannot be used to allow something; null when it can. */
export function allowRuleProblem(written: string): string | null {
  const rule = parseRule(written);
  if (rule === null)
    return t(
      '`{rule}` is not a rule. Rules are written as run(npm test), run(npm run *), edit(src/**), read(~/.config/foo/**), fetch(https://example.com), connect(example.com), mcp(server/tool), or tool(name).',
      { rule: written },
    );
  const isEverything =
    (rule.kind === 'run' && rule.hasMore && rule.words?.length === 0) ||
    (rule.kind === 'fetch' && rule.origin === null) ||
    (rule.kind === 'connect' && rule.host === null) ||
    (rule.kind === 'mcp' && rule.server === null) ||
    (rule.kind === 'tool' && rule.name === '*') ||
    ((rule.kind === 'edit' || rule.kind === 'read') && isWholeDisk(rule.pattern));
  return isEverything
    ? t('`{rule}` would allow everything of its kind, so it can only be a deny rule.', { rule: written })
    : null;
}

/** True for a pattern that begins at the root, a drive, or the home folder and does not restrict the names there. */
export function isWholeDisk(pattern: string): boolean {
  return /^(~|[A-Za-z]:)?[\\/]+[^\\/]*[*?]/.test(pattern.replace(/\[.\]/gu, '_'));
}

/** Sentence that says why the rule cannot be used to deny something; null when it can. */
export function denyRuleProblem(written: string): string | null {
  if (parseRule(written) !== null) return null;
  const kind = kindNamed(written);
  return kind === null
    ? t(
        '`{rule}` in `hermes.approvals.deny` is not a valid deny rule. Until you fix it, Hermes asks about everything even if another rule allows it.',
        { rule: written },
      )
    : t(
        '`{rule}` in `hermes.approvals.deny` is not a valid deny rule. Until you fix it, Hermes asks about everything of the kind “{kind}” even if another rule allows it.',
        { rule: written, kind },
      );
}

/** Kind that an invalid rule seems to be meant for; null when unknown. */
export function kindNamed(written: string): RuleKind | null {
  return ruleKinds.find((kind) => new RegExp(`^\\s*${kind}\\b`, 'i').test(written)) ?? null;
}

function runRule(text: string): Rule {
  const hasMore = text === '*' || text.endsWith(' *');
  const plain = hasMore ? text.slice(0, -1).trim() : text;
  if (hasMore && plain === '') return { kind: 'run', text, words: [], hasMore };
  return { kind: 'run', text, words: plainWords(plain), hasMore };
}

/** Words of a single command without shell expansions; null for anything else. */
function plainWords(text: string): readonly string[] | null {
  const script = parseShell(text);
  if (script instanceof NotUnderstood || script.parts.length !== 1) return null;
  const [part] = script.parts;
  if (part === undefined || part.redirects.length > 0 || part.hasExpandedInput || part.source !== text) return null;
  if (part.words.some((word) => word.hasExpansion || word.hasGlob) || part.words.length === 0) return null;
  if (part.assignments.some(({ value }) => value.hasExpansion)) return null;
  return [
    ...part.assignments.map(({ name, value }) => `${name}=${value.text}`),
    ...part.words.map((word) => word.text),
  ];
}

function fetchRule(content: string): Rule | null {
  if (content === '*') return { kind: 'fetch', origin: null };
  try {
    const url = new URL(content);
    const isOrigin =
      (url.protocol === 'http:' || url.protocol === 'https:') &&
      url.username === '' &&
      url.password === '' &&
      url.pathname === '/' &&
      url.search === '' &&
      url.hash === '';
    return isOrigin ? { kind: 'fetch', origin: url.origin } : null;
  } catch {
    return null;
  }
}

/** Name of a host, not an address. The addresses behind the name are checked again on connection. */
export const hostName =
  /^(?=.{1,253}$)(?!\d+(\.\d+)*$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/;

function connectRule(content: string): Rule | null {
  if (content === '*') return { kind: 'connect', host: null };
  return hostName.test(content) ? { kind: 'connect', host: content } : null;
}

function mcpRule(content: string): Rule | null {
  if (content === '*') return { kind: 'mcp', server: null, tool: null };
  const [server = '', tool = '', more] = content.split('/');
  if (
    server === '' ||
    tool === '' ||
    more !== undefined ||
    server.includes('*') ||
    (tool !== '*' && tool.includes('*'))
  )
    return null;
  try {
    return { kind: 'mcp', server: decodeURIComponent(server), tool: tool === '*' ? null : decodeURIComponent(tool) };
  } catch {
    return null;
  }
}

/** Encodes the rule's own special characters, since a name may contain them. */
function encodedName(name: string): string {
  return name.replace(/[%/*\p{Cc}\p{Cf}]|^\s|\s$/gu, (sign) => encodeURIComponent(sign).replace('*', '%2A'));
}

import type { Access, AskReason } from '../../transcript/approval';
import { allowed, asked, deniedByRule, type Finding, strictest } from './finding';
import { type CommandDeps, judgeRun } from './judgeCommand';
import type { RuleBook } from './ruleBook';
import { printRule } from './ruleText';

type RunAccess = Extract<Access, { kind: 'run' }>;

/** Reasons that still need approval inside the sandbox: words that name the user's private files, and rules that
 *  cannot be parsed. */
const stillAsked: readonly AskReason[] = ['outside', 'sensitive', 'dotConfig', 'repositoryInternals', 'rules'];

/** Commands that discard data which neither Git nor a checkpoint can restore. Matched as text, because such a
 *  command may be part of anything. */
const discards = new RegExp(
  [
    String.raw`\bgit\b[^\n;|&]*\b(reset\b[^\n;|&]*--hard|clean\b|checkout\b[^\n;|&]*(\s--\s|\s\.(\s|$)|\s-f|` +
      String.raw`\s--force)|restore\b|stash\s+(drop|clear)|branch\b[^\n;|&]*\s-[a-zA-Z]*D|update-ref\b|` +
      String.raw`reflog\s+(delete|expire)|gc\b|prune\b|filter-branch\b|filter-repo\b|worktree\s+remove)`,
    String.raw`\b(rm|unlink|shred|truncate|rmdir|srm|wipe)\b`,
    String.raw`\bfind\b[^\n;|&]*\s-delete\b`,
    String.raw`\brsync\b[^\n;|&]*\s--delete`,
    String.raw`\bdd\b[^\n;|&]*\bof=`,
  ].join('|'),
);

/** Judges a command together with its sandbox. Inside the sandbox it runs without approval in the mode that allows
 *  edits; outside it always needs approval. */
export function judgeConfined(access: RunAccess, deps: CommandDeps): Finding {
  const { command, folder, shell, confined } = access;
  const found = judgeRun(command, folder, shell, deps);
  if (confined === undefined || found.kind === 'deny') return found;
  if (confined.kind === 'outside')
    return asked(
      [...new Set<AskReason>([...(found.kind === 'ask' ? found.reasons : ['command' as const]), 'unconfined'])],
      null,
    );
  return strictest([
    ...(confined.hasLeftovers === true ? [asked(['leftovers'], null)] : []),
    deps.mode === 'auto' ? unaskedInside(found, command, deps.rules) : found,
    ...confined.hosts.map((host) => judgeHost(host, deps.rules)),
  ]);
}

function unaskedInside(found: Finding, command: string, rules: RuleBook): Finding {
  if (found.kind !== 'ask') return found;
  if (found.reasons.some((reason) => stillAsked.includes(reason))) return found;
  // A command that could not be parsed may do what a rule denies.
  if (rules.isUnsure('run') || (found.reasons.includes('unparsed') && rules.hasDenials)) return found;
  return discards.test(command) ? { ...found, reasons: [...found.reasons, 'discards'] } : allowed;
}

/** Judges whether commands may reach a host. A rule that denies fetching from it denies this too. */
function judgeHost(host: string, rules: RuleBook): Finding {
  const fits = (named: string | null): boolean => named === null || named === host;
  const denying =
    rules.denies('connect').find((rule) => fits(rule.host)) ??
    rules.denies('fetch').find(({ origin }) => fits(origin === null ? null : new URL(origin).hostname));
  if (denying !== undefined) return deniedByRule(printRule(denying));
  return rules.allows('connect').some((rule) => rule.host === host)
    ? allowed
    : asked(['network'], [`connect(${host})`]);
}

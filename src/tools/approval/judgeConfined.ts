import type { Access, AskReason } from '../../transcript/approval';
import { allowed, asked, deniedByRule, type Finding, strictest } from './finding';
import { discardsOf } from './discards';
import { type CommandDeps, judgeRun } from './judgeCommand';
import { sandboxedLookup } from './pathLookup';
import type { RuleBook } from './ruleBook';
import { printRule } from './ruleText';

type RunAccess = Extract<Access, { kind: 'run' }>;

/** Reasons that still need approval inside the sandbox: words that name the user's private files, and rules that
 *  cannot be parsed. */
const stillAsked: readonly AskReason[] = ['outside', 'sensitive', 'dotConfig', 'repositoryInternals', 'rules'];

/** Judges a command together with its sandbox. Inside the sandbox it runs without approval in the mode that allows
 *  edits; outside it always needs approval. */
export function judgeConfined(access: RunAccess, given: Omit<CommandDeps, 'isConfined'>): Finding {
  const { command, folder, shell, confined } = access;
  const isConfined = confined?.kind === 'inside';
  const deps = { ...given, isConfined, lookup: isConfined ? sandboxedLookup(given.lookup) : given.lookup };
  const found = judgeRun(command, folder, shell, deps);
  if (confined === undefined || found.kind === 'deny') return found;
  if (confined.kind === 'outside')
    return asked(
      [...new Set<AskReason>([...(found.kind === 'ask' ? found.reasons : ['command' as const]), 'unconfined'])],
      null,
    );
  return strictest([
    ...(confined.hasLeftovers === true ? [asked(['leftovers'], null)] : []),
    deps.mode === 'auto' ? unaskedInside(found, access, deps) : found,
    ...confined.hosts.map((host) => judgeHost(host, deps.rules)),
  ]);
}

function unaskedInside(found: Finding, { command, folder, confined }: RunAccess, deps: CommandDeps): Finding {
  const { rules, lookup } = deps;
  if (found.kind !== 'ask') return found;
  if (found.reasons.some((reason) => stillAsked.includes(reason))) return found;
  // A command that could not be parsed may do what a rule denies.
  if (rules.isUnsure('run') || (found.reasons.includes('unparsed') && rules.denies('run').length > 0)) return found;
  const discards = discardsOf(command, folder, lookup);
  const isRestored = confined?.kind === 'inside' && confined.isRestorable === true;
  return discards.kind === 'nothing' || (discards.kind === 'files' && isRestored)
    ? allowed
    : { ...found, reasons: [...found.reasons, 'discards'] };
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

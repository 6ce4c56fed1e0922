import type { Access, AccessPath, ApprovalDecision, ApprovalRequest, AskReason } from '../../transcript/approval';
import type { JudgedAccess } from '../tool';
import type { ApprovalPolicy, AskedCall, Verdict } from './approvalPolicy';
import { allowed, asked, deniedByRule, type Finding, strictest } from './finding';
import { judgeFetch, judgeEdit, judgeRead } from './judgeAccess';
import { type PathLookup, sandboxedLookup } from './pathLookup';
import { RuleBook } from './ruleBook';
import { allowRuleProblem, printRule } from './ruleText';
import { effectsOfText } from './shell/commandEffects';
import { invisibleCharacters } from '../../transcript/text/invisibleCharacters';
import { discardsOf } from './discards';
import { type CommandDeps, judgeRun } from './judgeCommand';

type RunAccess = Extract<Access, { kind: 'run' }>;

/** Reasons that still need approval inside the sandbox: words that name the user's private files, and rules that
 *  cannot be parsed. */
const stillAsked: readonly AskReason[] = ['outside', 'sensitive', 'dotConfig', 'repositoryInternals', 'rules'];

/** Judges a command together with its sandbox. Inside the sandbox it runs without approval in the mode that allows
 *  edits; outside it always needs approval. */
function judgeConfined(access: RunAccess, given: Omit<CommandDeps, 'isConfined'>): Finding {
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

export interface RulesPolicyDeps {
  /** Rules that apply everywhere, from the user's settings. */
  allow(): readonly string[];
  /** Rules that apply in this workspace. They are stored outside of it. */
  workspaceAllow(): readonly string[];
  /** Rules that deny. If one cannot be parsed, everything of its kind needs approval. */
  deny(): readonly string[];
  /** On disk when it resolves. */
  remember(rules: readonly string[], scope: 'workspace' | 'user'): Promise<void>;
  isTrusted(): boolean;
  /** True when rules with a star also count for commands without a sandbox. Default: false. */
  matchesPrefixes?(): boolean;
  /** True when the file system is case-sensitive. */
  readonly caseSensitive: boolean;
  readonly lookup: PathLookup;
  /** Absolute folders, with links resolved, in which every change needs approval, whatever is open: those of the
   *  editor and of this extension. */
  guarded?(): readonly string[];
  /** True when the file holds output of a command of this conversation, which may be read without approval. */
  isOwnOutput?(path: string, conversationId: string): boolean;
}

/** Thrown for rules that cannot be saved. Its sentence is for the user. */
class RuleRefused extends Error {
  override readonly name = 'RuleRefused';
}

/** Decides by the rules in docs/approvals.md. From the disk it only resolves paths, through `lookup`. */
export class RulesPolicy implements ApprovalPolicy {
  constructor(private readonly deps: RulesPolicyDeps) {}

  judge(call: AskedCall): Verdict {
    const { asksFor } = call;
    const found = strictest([this.find(call), asksFor === undefined ? allowed : asked([asksFor], null)]);
    return found.kind === 'ask' ? { kind: 'ask', request: requestOf(call, found) } : found;
  }

  /** True when a rule denies reading there. For tools that do not ask for approval. `place`: with links resolved. */
  deniesReading(place: AccessPath): boolean {
    return this.rules([]).denyingPathRule('read', place) !== null;
  }

  async remember(decision: ApprovalDecision): Promise<void> {
    if (decision.kind !== 'allow' || decision.scope === 'once' || decision.scope === 'session') return;
    const problem = decision.rules.map(allowRuleProblem).find((sentence) => sentence !== null);
    if (problem !== undefined) throw new RuleRefused(problem);
    if (decision.rules.length > 0)
      await this.deps.remember(
        decision.rules.map((rule) => rule.trim()),
        decision.scope,
      );
  }

  private find(call: AskedCall): Finding {
    const { access } = call.asked;
    const rules = this.rules(call.sessionRules);
    const found = strictest([deniedTool(call, rules), this.judgeAccess(call, rules)]);
    if (found.kind === 'deny') return found;
    return refusedBySurroundings(access, call, this.deps.isTrusted()) ?? withDoubt(found, access, rules);
  }

  private rules(sessionRules: readonly string[]): RuleBook {
    const { deps } = this;
    return new RuleBook(
      { allow: [...deps.allow(), ...deps.workspaceAllow(), ...sessionRules], deny: deps.deny() },
      { home: deps.lookup.home, caseSensitive: deps.caseSensitive, guarded: deps.guarded?.() ?? [] },
    );
  }

  private judgeAccess({ asked: { access }, mode, conversationId }: AskedCall, rules: RuleBook): Finding {
    const { lookup } = this.deps;
    switch (access.kind) {
      case 'read':
        return strictest(access.paths.map((path) => this.judgeReadPath(path, conversationId, rules)));
      case 'edit':
        return strictest(access.paths.map((path) => judgeEdit(path, mode, rules, lookup.home)));
      case 'run':
        return judgeConfined(access, {
          mode,
          rules,
          lookup,
          matchesPrefixes: this.deps.matchesPrefixes?.() === true,
        });
      case 'fetch':
        return judgeFetch(access.url, rules);
      case 'mcp':
        return judgeMcp(access.server, access.tool, rules);
      case 'editorTool':
        return rules.allows('tool').some(({ name }) => name === access.name)
          ? allowed
          : asked(
              ['extension'],
              [`tool(${access.name})`].filter((rule) => allowRuleProblem(rule) === null),
            );
      case 'agent':
        // Its name for what it does is only a claim: a rule for it would allow anything.
        return asked(['agent'], null);
      case 'plan':
        return asked(['plan'], null);
    }
  }

  /** Allows reading output of this conversation's commands without approval. Exceptions: a rule denies it, or a rule
   *  that denies cannot be parsed. */
  private judgeReadPath(path: AccessPath, conversationId: string | undefined, rules: RuleBook): Finding {
    const found = judgeRead(path, rules, this.deps.lookup.home);
    return found.kind === 'ask' && !rules.isUnsure('read') && this.isOwnOutput(path, conversationId) ? allowed : found;
  }

  private isOwnOutput(path: AccessPath, conversationId: string | undefined): boolean {
    return conversationId !== undefined && this.deps.isOwnOutput?.(path.path, conversationId) === true;
  }
}

/** Adds the reason `rules` while a rule that denies cannot be parsed: the user's allow rules do not count then, and
 *  the card says so. */
function withDoubt(found: Finding, access: JudgedAccess, rules: RuleBook): Finding {
  if (found.kind !== 'ask' || access.kind === 'plan') return found;
  const isUnsure = rules.isUnsure(access.kind === 'editorTool' || access.kind === 'agent' ? 'tool' : access.kind);
  return isUnsure ? asked([...new Set([...found.reasons, 'rules' as const])], found.rules) : found;
}

function judgeMcp(server: string, tool: string, rules: RuleBook): Finding {
  const denying = rules
    .denies('mcp')
    .find((rule) => rule.server === null || (rule.server === server && (rule.tool === null || rule.tool === tool)));
  if (denying !== undefined) return deniedByRule(printRule(denying));
  if (rules.allows('mcp').some((rule) => rule.server === server && (rule.tool === null || rule.tool === tool)))
    return allowed;
  // Always ask: a server's description of its own tools is only a claim.
  return asked(['server'], [printRule({ kind: 'mcp', server, tool })]);
}

/** `tool(name)` denies by the name that the model calls, whatever the tool would do. */
function deniedTool(call: AskedCall, rules: RuleBook): Finding {
  const { access } = call.asked;
  const names = [call.tool, ...(access.kind === 'editorTool' ? [access.name] : [])];
  const denying = rules.denies('tool').find(({ name }) => name === '*' || names.includes(name));
  return denying === undefined ? allowed : deniedByRule(printRule(denying));
}

function refusedBySurroundings(access: JudgedAccess, call: AskedCall, isTrusted: boolean): Finding | null {
  const changes = access.kind !== 'read' && access.kind !== 'fetch' && access.kind !== 'plan';
  if (!isTrusted && (changes || access.kind === 'fetch')) {
    return {
      kind: 'deny',
      sentence:
        'Restricted Mode: this workspace is not trusted, so nothing may be changed, run or fetched. Work with ' +
        'what can be read, and tell the person that they can trust the workspace.',
    };
  }
  if (call.mode === 'plan' && changes && !(access.kind === 'mcp' && access.readOnly)) {
    return { kind: 'deny', sentence: 'Plan mode: only looking is allowed. Present a plan with exit_plan_mode.' };
  }
  // Approval would change the mode, although the user was not working in Plan mode.
  if (call.mode !== 'plan' && access.kind === 'plan')
    return {
      kind: 'deny',
      sentence:
        'This session is not in Plan mode, so there is no plan to approve. Do the work; what needs asking is asked.',
    };
  return null;
}

function requestOf(call: AskedCall, finding: Extract<Finding, { kind: 'ask' }>): ApprovalRequest {
  const { access, preview } = call.asked;
  const risks = access.kind === 'run' && access.shell === 'posix' ? effectsOfText(access.command) : [];
  return {
    tool: call.tool,
    access,
    subject: shownLine(subjectOf(access)) || call.tool,
    reasons: finding.reasons,
    rules: finding.rules ?? [],
    preview: preview ?? null,
    ...(risks.length === 0 ? {} : { risks }),
  };
}

function subjectOf(access: JudgedAccess): string {
  switch (access.kind) {
    case 'read':
    case 'edit':
      return access.paths.map(({ shown }) => shown).join(', ');
    case 'run':
      return access.command.trim();
    case 'fetch':
      return access.url;
    case 'mcp':
      return `${access.server}/${access.tool}`;
    case 'editorTool':
      return access.name;
    case 'agent':
      return access.action;
    case 'plan':
      return 'exit_plan_mode';
  }
}

const maxSubject = 2000;

/** Returns one line in which nothing is hidden: line breaks and invisible characters are written out. */
export function shownLine(text: string): string {
  const line = text
    .replace(/\r?\n/g, ' ⏎ ')
    .replace(/\t/g, ' ')
    .replace(new RegExp(invisibleCharacters.source, 'gu'), (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);
  const characters = [...line];
  return characters.length <= maxSubject
    ? line
    : `${characters.slice(0, maxSubject).join('')} … (${characters.length} characters)`;
}

import type { AccessPath, ApprovalDecision, ApprovalRequest } from '../../transcript/approval';
import type { JudgedAccess } from '../tool';
import type { ApprovalPolicy, AskedCall, Verdict } from './approvalPolicy';
import { allowed, asked, deniedByRule, type Finding, strictest } from './finding';
import { judgeFetch } from './judgeAddress';
import { judgeConfined } from './judgeConfined';
import { judgeEdit, judgeRead } from './judgePath';
import type { PathLookup } from './pathLookup';
import { RuleBook } from './ruleBook';
import { allowRuleProblem, printRule } from './ruleText';
import { effectsOfText } from './shell/commandEffects';
import { invisibleCharacters } from './shell/invisibleCharacters';

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
    const finding = this.find(call);
    if (finding.kind === 'deny') return finding;
    if (call.hookAsks === true) {
      const reasons = finding.kind === 'ask' ? finding.reasons : [];
      return { kind: 'ask', request: requestOf(call, { kind: 'ask', reasons: [...reasons, 'hook'], rules: null }) };
    }
    return finding.kind === 'allow' ? finding : { kind: 'ask', request: requestOf(call, finding) };
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
  const changes =
    access.kind !== 'read' && access.kind !== 'fetch' && access.kind !== 'plan';
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

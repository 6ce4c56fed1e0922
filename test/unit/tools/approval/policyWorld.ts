import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { DiskPathLookup } from '../../../../src/tools/approval/pathLookup';
import { RulesPolicy, type RulesPolicyDeps } from '../../../../src/tools/approval/rulesPolicy';
import type { JudgedAccess } from '../../../../src/tools/tool';
import type { AccessPath, Mode, ShellKind } from '../../../../src/transcript/approval';

export interface Kept {
  readonly rules: readonly string[];
  readonly scope: string;
}

/** A folder with files, links that lead out of it, and a home beside it. `<ws>`, `<home>` and `<out>` stand for them in texts. */
export class PolicyWorld {
  private readonly base = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-policy-')));
  readonly kept: Kept[] = [];
  allow: readonly string[] = [];
  workspaceAllow: readonly string[] = [];
  deny: readonly string[] = [];
  sessionRules: readonly string[] = [];
  isTrusted = true;
  caseSensitive = true;
  matchesPrefixes = false;

  constructor() {
    for (const folder of ['ws/src', 'ws/.git/hooks', 'ws/.vscode', 'home/.ssh', 'home/.config/foo', 'out', 'tmp/job'])
      mkdirSync(path.join(this.base, folder), { recursive: true });
    for (const file of ['ws/src/a.ts', 'ws/README.md', 'ws/.env', 'home/.ssh/id_rsa', 'out/plain.txt'])
      writeFileSync(path.join(this.base, file), 'text');
    symlinkSync(path.join(this.base, 'out'), path.join(this.base, 'ws/link'));
    symlinkSync(path.join(this.base, 'home/.ssh/id_rsa'), path.join(this.base, 'ws/notes.txt'));
    symlinkSync(path.join(this.base, 'out/not-yet'), path.join(this.base, 'ws/dangling'));
    symlinkSync(path.join(this.base, 'ws/.env'), path.join(this.base, 'ws/example.txt'));
    symlinkSync(path.join(this.base, 'ws/src'), path.join(this.base, 'ws/source'));
  }

  get places(): DiskPathLookup {
    return new DiskPathLookup(
      () => [{ name: 'ws', path: path.join(this.base, 'ws') }],
      path.join(this.base, 'home'),
      path.join(this.base, 'tmp'),
    );
  }

  /** Makes a link in the open folder. */
  link(target: string, name: string): void {
    symlinkSync(this.real(target), path.join(this.base, 'ws', name));
  }

  dispose(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  /** "allow", "deny: <sentence>", or "ask <reasons> [<rules>]"; "once" where there is no rule to offer. */
  told(access: JudgedAccess, mode: Mode = 'ask', over: Partial<RulesPolicyDeps> = {}): string {
    const policy = this.policy(over);
    const verdict = policy.judge({
      tool: 'any_tool',
      mode,
      sessionRules: this.sessionRules.map((rule) => this.real(rule)),
      asked: { access },
    });
    if (verdict.kind === 'allow') return 'allow';
    if (verdict.kind === 'deny')
      return this.short(`deny: ${verdict.sentence}`).replace(
        /^deny: The person's rule (.*) denies this\..*$/,
        'denied by $1',
      );
    const { reasons, rules } = verdict.request;
    return this.short(`ask ${reasons.join(' ')} ${rules.length === 0 ? 'once' : `[${rules.join('; ')}]`}`);
  }

  policy(over: Partial<RulesPolicyDeps> = {}): RulesPolicy {
    return new RulesPolicy({
      allow: () => this.allow.map((rule) => this.real(rule)),
      workspaceAllow: () => this.workspaceAllow,
      deny: () => this.deny.map((rule) => this.real(rule)),
      remember: async (rules, scope) => void this.kept.push({ rules, scope }),
      isTrusted: () => this.isTrusted,
      caseSensitive: this.caseSensitive,
      matchesPrefixes: () => this.matchesPrefixes,
      lookup: this.places,
      ...over,
    });
  }

  run(command: string, mode: Mode = 'ask', shell: ShellKind = 'posix', folder = '<ws>'): string {
    return this.told({ kind: 'run', command: this.real(command), folder: this.at(folder), shell }, mode);
  }

  /** The same in the sandbox. `restorable`: a checkpoint can restore the files that its words discard. */
  inside(command: string, mode: Mode = 'auto', restorable = false, hosts: readonly string[] = []): string {
    const confined = { kind: 'inside' as const, hosts, ...(restorable ? { isRestorable: true as const } : {}) };
    return this.told(
      { kind: 'run', command: this.real(command), folder: this.at('<ws>'), shell: 'posix', confined },
      mode,
    );
  }

  read(...files: readonly string[]): string {
    return this.told({ kind: 'read', paths: files.map((file) => this.at(file)) });
  }

  edit(mode: Mode, ...files: readonly string[]): string {
    return this.told({ kind: 'edit', paths: files.map((file) => this.at(file)) }, mode);
  }

  fetch(url: string): string {
    return this.told({ kind: 'fetch', url });
  }

  at(file: string): AccessPath {
    const found = this.places.locate(path.resolve(this.base, 'ws', this.real(file)));
    if (found === null) throw new Error(`${file} leads nowhere`);
    return found;
  }

  real(text: string): string {
    return text
      .replaceAll('<ws>', `${this.base}/ws`)
      .replaceAll('<home>', `${this.base}/home`)
      .replaceAll('<out>', `${this.base}/out`)
      .replaceAll('<tmp>', `${this.base}/tmp`);
  }

  private short(text: string): string {
    return text
      .replaceAll(`${this.base}/ws`, '<ws>')
      .replaceAll(`${this.base}/home`, '<home>')
      .replaceAll(`${this.base}/out`, '<out>')
      .replaceAll(this.base, '<base>');
  }
}

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { DiskPathLookup } from '../../src/tools/approval/pathLookup';
import { RulesPolicy } from '../../src/tools/approval/rulesPolicy';

/** Files of the scratch folder that run the canary as soon as anything runs them, loads them or builds with them. */
const traps: Readonly<Record<string, string>> = {
  evil: '#!/bin/sh\ntouch "$CANARY"\n',
  'elsewhere/Makefile': 'all x test build:;touch "$(CANARY)"\n$(shell touch "$(CANARY)")\n',
  'elsewhere/pre-commit': '#!/bin/sh\ntouch "$CANARY"\n',
  'elsewhere/post-checkout': '#!/bin/sh\ntouch "$CANARY"\n',
  'elsewhere/hooks/post-checkout': '#!/bin/sh\ntouch "$CANARY"\n',
  'elsewhere/config':
    '[core]\n\tfsmonitor = ./evil\n\tpager = ./evil\n\tsshCommand = ./evil\n\thooksPath = elsewhere\n',
  'evil.mk': 'all x test build:;touch "$(CANARY)"\n$(shell touch "$(CANARY)")\n',
};

/** A repository with traps beside its own files, in which commands run for real. A canary tells of a trap that ran, or of another machine that was asked. */
export class StarWorld {
  private readonly base = realpathSync(mkdtempSync(path.join(tmpdir(), 'hermes-star-')));
  private readonly template = path.join(this.base, 'template');
  private readonly folder = path.join(this.base, 'ws');
  private readonly canary = path.join(this.base, 'canary');
  private rule = '';
  private readonly policy: RulesPolicy;

  constructor() {
    for (const each of ['template/src', 'template/elsewhere/hooks', 'home', 'ws', 'empty'])
      mkdirSync(path.join(this.base, each), { recursive: true });
    for (const [name, text] of Object.entries({
      ...traps,
      'README.md': 'a\nb\na\n',
      Makefile: 'all test build x:;@true\n',
      'src/a.ts': 'text\n',
    }))
      writeFileSync(path.join(this.template, name), text);
    for (const name of Object.keys(traps)) chmodSync(path.join(this.template, name), 0o755);
    writeFileSync(path.join(this.base, 'ssh'), traps['evil'] ?? '', { mode: 0o755 });
    writeFileSync(
      path.join(this.base, 'home/.gitconfig'),
      '[user]\n\tname = x\n\temail = x@example.com\n[protocol "ext"]\n\tallow = always\n[protocol "file"]\n\tallow = always\n',
    );
    this.shell(
      'git init -q --template= -b main && git add . && git commit -qm one && git commit -q --allow-empty -m two && git branch feat && git remote add origin ../origin.git && git clone -q --bare . ../origin.git && mkdir -p .git/hooks',
      this.template,
    );
    this.policy = new RulesPolicy({
      allow: () => [this.rule],
      workspaceAllow: () => [],
      deny: () => [],
      remember: async () => undefined,
      isTrusted: () => true,
      caseSensitive: true,
      lookup: new DiskPathLookup(() => [{ name: 'ws', path: this.folder }], path.join(this.base, 'home')),
    });
    this.reset();
  }

  /** Whether the rule alone lets the command run unasked, where edits are not asked for either. */
  allows(rule: string, command: string): boolean {
    this.rule = rule;
    const folder = { path: this.folder, shown: '.', isInside: true };
    return (
      this.policy.judge({
        tool: 'any_tool',
        mode: 'auto',
        sessionRules: [],
        asked: { access: { kind: 'run', command, folder, shell: 'posix' } },
      }).kind === 'allow'
    );
  }

  /** Runs commands, one per line, in a fresh copy of the folder. Returns whether a trap ran, another machine was asked, or a hook was written. */
  springs(commands: string): boolean {
    this.reset();
    this.shell(commands, this.folder);
    return (
      existsSync(this.canary) ||
      ['.git/hooks', '.vscode', '.husky'].some((name) => this.isWritten(path.join(this.folder, name)))
    );
  }

  /** The long flags that the installed Git itself names for a verb, without dashes. */
  longFlags(verb: string): readonly string[] {
    const { stdout } = spawnSync('git', [verb, '--git-completion-helper-all'], {
      cwd: this.template,
      encoding: 'utf8',
    });
    return [
      ...new Set(
        stdout
          .split(/\s+/)
          .filter((word) => /^--[a-z]/.test(word))
          .map((word) => word.slice(2).replace(/=$/, '')),
      ),
    ];
  }

  dispose(): void {
    rmSync(this.base, { recursive: true, force: true });
  }

  private reset(): void {
    rmSync(this.canary, { force: true });
    rmSync(this.folder, { recursive: true, force: true });
    cpSync(this.template, this.folder, { recursive: true });
  }

  private isWritten(folder: string): boolean {
    return existsSync(folder) && (!statSync(folder).isDirectory() || readdirSync(folder).length > 0);
  }

  private shell(command: string, cwd: string): void {
    spawnSync('bash', ['-c', command], {
      cwd,
      timeout: 20_000,
      killSignal: 'SIGKILL',
      stdio: 'ignore',
      env: {
        PATH: process.env['PATH'],
        HOME: path.join(this.base, 'home'),
        CANARY: this.canary,
        GIT_SSH_COMMAND: path.join(this.base, 'ssh'),
        GIT_TERMINAL_PROMPT: '0',
        GIT_EDITOR: 'true',
        GIT_PAGER: 'cat',
        https_proxy: 'http://127.0.0.1:9',
        http_proxy: 'http://127.0.0.1:9',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TEMPLATE_DIR: path.join(this.base, 'empty'),
      },
    });
  }
}

import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as vscode from 'vscode';
import { noAnswer, type HookAnswer, type HookEvent } from '../../../agent/turnHooks';
import type { Clock } from '../../../base/clock';
import { errorMessage } from '../../../base/errorMessage';
import type { Log } from '../../../base/log';
import { quoted, shownList, t } from '../../../base/translate';
import { windowsProgram } from '../../../base/windowsPrograms';
import type { Gateway } from '../../../gateway/conversationGateway';
import type { CompletedTurn } from '../../../gateway/gatewayServices';
import { ServerTrust, type KeptValues } from '../../../host/mcp/serverTrust';
import type { TerminalFeature } from '../../../host/terminal/terminalFeature';
import type { WindowHooks } from '../../../host/window/featurePoints';
import type { ProjectFiles } from '../../../host/workspace/projectFiles';
import type { ServerDecision } from '../../../tools/mcp/serverPlace';
import { visible } from '../../../tools/mcp/serverDefinition';
import { chooseShell, shellInvocation } from '../../../tools/terminal/shell';
import { answerOf, together, type HookEnd } from '../core/hookAnswers';
import { isFor, readHooks, type HookDefinition, type IgnoredReason } from '../core/hookFiles';
import { hookInput } from '../core/hookInput';
import { translatedCall } from '../core/hookNames';
import { runHookProgram } from '../core/hookProcess';
import type { ReportSection } from './readHere';

interface HooksHostDeps {
  readonly project: Pick<ProjectFiles, 'current' | 'ready'>;
  readonly terminal: Pick<TerminalFeature, 'confinement' | 'environment' | 'shell'>;
  readonly gateway: Pick<Gateway, 'intake'>;
  readonly memory: KeptValues;
  /** Folder for files that are moved out of the open folders. */
  readonly storageFolder: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Maximum prompts in a row that Stop hooks may add to a session. */
const mostStops = 8;

/** Hooks of this window: their definitions, the user's trust in each, and their runs. */
export class HooksHost implements WindowHooks {
  private readonly trust: ServerTrust;
  /** Fingerprints that the user was asked about in this window. */
  private readonly asked = new Set<string>();
  /** Prompts of Stop hooks in a row, by session, with the uid of the last one. */
  private readonly stops = new Map<string, { readonly uid: string; readonly count: number }>();

  constructor(private readonly deps: HooksHostDeps) {
    this.trust = new ServerTrust(deps.memory, 'hooks.trusted');
  }

  /** Never rejects. In Restricted Mode no hook runs. */
  async run(event: HookEvent, signal: AbortSignal): Promise<HookAnswer> {
    if (!vscode.workspace.isTrusted) return noAnswer;
    await this.deps.project.ready();
    const call = event.call ?? null;
    const translated = call === null ? null : translatedCall(call.name, call.arguments, absolute);
    const { command, file_path: path, url } = translated?.input ?? {};
    const subject = [command, path, url].find((each) => typeof each === 'string') ?? '';
    const all = this.read().hooks.filter((hook) => hook.event === event.name);
    // Patterns of a hook that is not trusted are not even tried.
    const [trusted, others] = [all.filter((hook) => this.isTrusted(hook)), all.filter((hook) => !this.isTrusted(hook))];
    const hooks = trusted.filter((hook) => translated === null || isFor(hook, translated.names, String(subject)));
    this.askForTrust(others).catch((error: unknown) =>
      this.deps.log.error('The question whether to trust hooks could not be asked', error),
    );
    const answers = await Promise.all(
      hooks.map(async (hook) =>
        answerOf(hook, await this.runOne(hook, hookInput(hook, event, translated, this.folderOf(hook)), signal)),
      ),
    );
    for (const { run } of answers) this.deps.log.info(`Hook ${run.hook} (${run.event}): ${run.outcome} ${run.text}`);
    return together(answers, event);
  }

  /** Runs the Stop hooks. One that objects adds a prompt, which is stored and shown like any other. */
  afterTurn({ surfaceId, sessionId, promptUid }: CompletedTurn): void {
    const before = this.stops.get(sessionId);
    const count = before?.uid === promptUid ? before.count : 0;
    const event = { name: 'Stop', sessionId, mode: 'ask', isAgain: count > 0 } as const;
    const objects = async (): Promise<void> => {
      const { decision, reason, stop, runs } = await this.run(event, new AbortController().signal);
      if (decision !== 'deny' || stop !== null || count >= mostStops) return;
      const uid = randomUUID();
      this.stops.set(sessionId, { uid, count: count + 1 });
      const label = runs
        .filter(({ outcome }) => outcome === 'blocked')
        .map(({ hook }) => hook)
        .join(', ');
      const text = `(A Stop hook of the project or the person does not accept this as the end.)\n${reason}`;
      const parts = [{ kind: 'attachment', label, source: 'hook:Stop', text }] as const;
      await this.deps.gateway.intake.submit(surfaceId, { sessionId, uid, text: '', parts, busy: 'queue' });
    };
    objects().catch((error: unknown) => this.deps.log.error('A Stop hook could not be followed', error));
  }

  /** Lists the files with hooks. Choosing one shows its commands, and asks to trust them or to stop trusting them. */
  async review(): Promise<void> {
    await this.deps.project.ready();
    const all = this.read().hooks;
    const items = [...new Set(all.map(({ file }) => file))].map((file) => {
      const hooks = all.filter((hook) => hook.file === file);
      const description = hooks.every((hook) => this.isTrusted(hook)) ? t('Trusted') : t('Not trusted');
      return { label: file, description, detail: hooks.map(whenAndWhat).join(' · '), hooks };
    });
    const placeHolder = items.length === 0 ? t('No hooks were found.') : t('Choose a file to review its hooks');
    const chosen = await vscode.window.showQuickPick(items, { title: t('Review Hooks'), placeHolder });
    if (chosen !== undefined) await this.reviewFile(chosen.label, chosen.hooks);
  }

  /** The part of the report. */
  get report(): ReportSection {
    const { hooks, ignored } = this.read();
    return {
      title: t('Hooks'),
      about: t('Programs that run at moments of a turn. Each runs only after you trusted exactly its definition.'),
      head: [t('File'), t('Hook'), t('Used')],
      rows: [
        ...hooks.map((hook) => [hook.file, whenAndWhat(hook), this.stateOf(hook)]),
        ...ignored.map(({ file, entry, reason }) => [file, entry, ignoredWords(reason)]),
      ],
    };
  }

  private stateOf(hook: HookDefinition): string {
    if (!this.isTrusted(hook)) return t('Not trusted: it doesn’t run. Review it with Review Hooks…');
    return this.decisionOf(hook).choice === 'outside' ? t('Runs without the sandbox') : t('Runs in the sandbox');
  }

  private read(): ReturnType<typeof readHooks> {
    const read = this.deps.project.current.hooks.map((file) => readHooks(file, process.platform));
    return { hooks: read.flatMap(({ hooks }) => hooks), ignored: read.flatMap(({ ignored }) => ignored) };
  }

  private isTrusted({ fingerprint }: HookDefinition): boolean {
    return this.trust.isTrusted(fingerprint, fingerprint);
  }

  private decisionOf({ fingerprint }: HookDefinition): ServerDecision {
    return this.trust.decision(fingerprint, fingerprint);
  }

  private async reviewFile(file: string, hooks: readonly HookDefinition[]): Promise<void> {
    const { confinement } = this.deps.terminal;
    for (const { fingerprint } of hooks) this.asked.add(fingerprint);
    const inside = t('Trust and Run in the Sandbox');
    const outside = t('Trust and Run Without the Sandbox');
    const forget = t('Stop Trusting');
    const hasSandbox = (await confinement.state()).kind === 'works';
    const choices = [
      ...(hasSandbox ? [inside] : []),
      ...(confinement.isRequired ? [] : [outside]),
      ...(hooks.some((hook) => this.isTrusted(hook)) ? [forget] : []),
    ];
    const detail = [
      t('They run these commands on your machine and get the calls of the agent:'),
      ...hooks.map((hook) => `${visible(whenAndWhat(hook))}${details(hook)}`),
      ...(choices.length === 0
        ? [t('Only hooks in the sandbox may run here (hermes.terminal.sandbox), and there is none.')]
        : []),
      t('Hermes asks again if a definition changes.'),
    ].join('\n\n');
    const question = t('Trust the hooks in {file}?', { file: visible(file) });
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, ...choices);
    if (chosen === undefined) return;
    for (const { fingerprint } of hooks) {
      if (chosen === forget) await this.trust.forget(fingerprint);
      else {
        const isOutside = chosen === outside;
        const choice = isOutside ? 'outside' : 'inside';
        await this.trust.trust(fingerprint, fingerprint, { choice, mayRunOutside: isOutside, hosts: [] });
      }
    }
  }

  /** Asks once per definition and window; no turn waits for the answer. */
  private async askForTrust(hooks: readonly HookDefinition[]): Promise<void> {
    const open = hooks.filter(({ fingerprint }) => !this.asked.has(fingerprint));
    if (open.length === 0) return;
    for (const { fingerprint } of open) this.asked.add(fingerprint);
    const files = [...new Set(open.map(({ file }) => file))];
    const review = t('Review…');
    const sentence = t('Hooks that you haven’t trusted: {files}. They don’t run until you review and trust them.', {
      files: shownList(files.map((file) => quoted(file.replaceAll('](', '] (')))),
    });
    const chosen = await vscode.window.showInformationMessage(sentence, review, t('Not Now'));
    if (chosen !== review) return;
    for (const file of files)
      await this.reviewFile(
        file,
        this.read().hooks.filter((hook) => hook.file === file),
      );
  }

  private folderOf({ folder }: HookDefinition): string {
    return folder ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  }

  private async runOne(hook: HookDefinition, input: string, signal: AbortSignal): Promise<HookEnd> {
    const { terminal, clock, storageFolder } = this.deps;
    const { confinement } = terminal;
    const project = this.folderOf(hook);
    const folder = resolve(project, hook.cwd ?? '.');
    try {
      const environment = { ...(await terminal.environment()), ...hook.env, CLAUDE_PROJECT_DIR: project };
      const shell = hook.isPowershell
        ? chooseShell(windowsProgram('WindowsPowerShell\\v1.0\\powershell.exe'), process.platform, existsSync)
        : terminal.shell();
      const program = { folder, environment, input, timeoutMs: hook.timeoutMs, clock, signal };
      const hasSandbox = (await confinement.state()).kind === 'works';
      if (this.decisionOf(hook).choice === 'outside' && !confinement.isRequired)
        return await runHookProgram({ ...program, invocation: shellInvocation(shell, hook.command) });
      if (!hasSandbox) throw new Error(t('It may only run in the sandbox, and there is none.'));
      const aside = join(storageFolder(), 'taken-out', randomBytes(4).toString('hex'));
      const confined = await confinement.confine(hook.command, shell.path, { hosts: [], folder, aside });
      try {
        const invocation = { program: confined.program, args: confined.args, verbatim: false };
        return await runHookProgram({ ...program, invocation, danger: confined.danger });
      } finally {
        await confined.ended();
      }
    } catch (error) {
      return { exitCode: null, output: '', errors: '', problem: errorMessage(error) };
    }
  }
}

function absolute(path: string): string {
  return resolve(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir(), path);
}

function whenAndWhat({ event, matcher, command }: HookDefinition): string {
  return `${event}${matcher === '' ? '' : ` (${matcher})`}: ${command}`;
}

/** What of a definition is not in its line: a changed variable or folder makes another program of it. */
function details({ cwd, env }: HookDefinition): string {
  const words = [
    ...(cwd === null ? [] : [`cwd=${cwd}`]),
    ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ];
  return words.length === 0 ? '' : ` (${visible(words.join(', '))})`;
}

function ignoredWords(reason: IgnoredReason): string {
  switch (reason) {
    case 'event':
      return t('Not used: Hermes has no such moment');
    case 'type':
      return t('Not used: only commands run');
    case 'platform':
      return t('Not used: it has no command for this system');
    case 'format':
      return t('Not used: its format isn’t valid');
  }
}

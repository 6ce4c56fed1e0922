import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import * as vscode from 'vscode';
import { untilStopped } from '../../../agent/callRunner';
import { noAnswer, type HookAnswer, type HookEvent } from '../../../agent/turnHooks';
import { errorMessage } from '../../../base/errorMessage';
import { quoted, shownList, t } from '../../../base/translate';
import { windowsProgram } from '../../../base/windowsPrograms';
import type { CompletedTurn } from '../../../gateway/gatewayServices';
import { ProgramTrust } from '../../../tools/programTrust';
import type { WindowHooks } from '../../../host/window/featurePoints';
import type { WindowContext } from '../../../host/window/windowContext';
import { AccessPaths } from '../../../tools/accessPaths';
import type { Approval } from '../../../transcript/approval';
import { showInOneLine } from '../../../transcript/text/invisibleCharacters';
import { chooseShell, shellInvocation } from '../../../tools/terminal/shell';
import { answerOf, together, unreadHooks, unreadReason, type HookEnd, type Said } from '../core/hookAnswers';
import { isFor, readHooks, trustMark, type HookDefinition, type IgnoredReason } from '../core/hookFiles';
import { hookInput, translatedCalls, type TranslatedCall } from '../core/hookInput';
import { runHookProgram } from '../core/hookProcess';
import type { ReportSection } from './readHere';

/** A hook, and what the user decided about it. changed: one with the same definition was trusted, and a file that it
 *  names is another one now. */
interface KnownHook {
  readonly hook: HookDefinition;
  readonly mark: string;
  readonly state: 'trusted' | 'changed' | 'new';
}

/** Maximum prompts in a row that Stop hooks may add to a session. */
const mostStops = 8;
/** Milliseconds for SessionEnd hooks: the editor waits only a few seconds for a window that closes. */
const closingMs = 1400;

/** Hooks of this window: their definitions, the user's trust in each, and their runs. */
export class HooksHost implements WindowHooks {
  private readonly trust: ProgramTrust;
  /** Marks that the user was asked about in this window. */
  private readonly reviewed = new Set<string>();
  /** Prompts of Stop hooks in a row, by session, with the uid of the last one. */
  private readonly stops = new Map<string, { readonly uid: string; readonly count: number }>();
  /** Sessions that began or went on in this window. */
  private readonly begun = new Set<string>();

  constructor(private readonly window: WindowContext) {
    this.trust = new ProgramTrust(window.context.workspaceState, 'hooks.trusted');
  }

  /** Never rejects. In Restricted Mode no hook runs. */
  async run(event: HookEvent, signal: AbortSignal): Promise<HookAnswer> {
    if (event.name === 'SessionStart') this.begun.add(event.sessionId);
    if (!vscode.workspace.isTrusted) return noAnswer;
    const read = await untilStopped(signal, this.read()).catch((error: unknown) => errorMessage(error));
    if (typeof read === 'string') return unreadHooks(event, read);
    const all = await this.known(read.hooks.filter((hook) => hook.event === event.name));
    const first = await this.askAll(all, event, signal);
    const answers = [...first.values()].flat();
    const [changed, ...others] = new Set(answers.flatMap((said) => said.arguments ?? []));
    const { call } = event;
    if (call !== undefined && changed !== undefined && others.length === 0) {
      // A guard has to see the input that runs, not the one that another hook replaced.
      const rest = all.filter((known) => first.get(known)?.every((said) => said.arguments === null) !== false);
      const again = await this.askAll(rest, { ...event, call: { ...call, arguments: changed } }, signal);
      const told = answers.filter(({ run }) => run.outcome !== 'passed');
      return together([...told, ...[...again.values()].flat()], event);
    }
    return together(answers, event);
  }

  /** Asks those of the hooks that are for this event. */
  private async askAll(
    all: readonly KnownHook[],
    event: HookEvent,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<KnownHook, readonly Said[]>> {
    const { call, about } = event;
    const calls = call === undefined ? [null] : await translatedCalls(call.name, call.arguments, this.absolute);
    // Patterns of a hook that was never trusted are not even tried.
    const fitting = all.flatMap((known) => {
      const its = calls.filter((one) => known.state !== 'new' && isMeant(known.hook, one ?? about));
      return its.length === 0 ? [] : [{ known, its }];
    });
    const doubtful = [...all.filter(({ state }) => state === 'new'), ...fitting.map(({ known }) => known)];
    this.askForTrust(doubtful.filter(({ state }) => state !== 'trusted')).catch((error: unknown) =>
      this.window.log.error('The question whether to trust hooks could not be asked', error),
    );
    return new Map(
      await Promise.all(
        fitting.map(async ({ known, its }) => [known, await this.ask(known, its, event, signal)] as const),
      ),
    );
  }

  /** Asks a hook about each file of a patch, or once, until it objects. */
  private async ask(
    known: KnownHook,
    calls: readonly (TranslatedCall | null)[],
    event: HookEvent,
    signal: AbortSignal,
  ): Promise<readonly Said[]> {
    const { hook } = known;
    // Otherwise an agent that may edit its script could switch a guard off.
    const changed = noEnd(t('It has changed since you trusted it. Review it with Review Hooks…'));
    const answers: Said[] = [];
    for (const call of calls) {
      const input = hookInput(hook, event, call, this.folderOf(hook));
      const end = known.state === 'changed' ? changed : await this.runOne(known, input, signal);
      const said = answerOf(hook, end, event);
      const { run } = said;
      this.window.log.info(`Hook ${run.hook} (${run.event}): ${run.outcome} ${run.text}`);
      if (answers.length === 0 || run.outcome !== 'passed' || said.context !== '') answers.push(said);
      if (run.outcome === 'blocked') break;
    }
    return answers;
  }

  /** Resolves a path as the tools do. For one that they refuse, it is as written. */
  private readonly absolute = async (path: string): Promise<string> => {
    const { files } = this.window;
    const written = resolve(files.roots()[0]?.path ?? homedir(), path.trim());
    return new AccessPaths(files).resolveShown(path).catch(() => written);
  };

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
      await this.window.gateway.intake.submit(surfaceId, { sessionId, uid, text: '', parts, busy: 'queue' });
    };
    objects().catch((error: unknown) => this.window.log.error('A Stop hook could not be followed', error));
  }

  /** Tells the Notification hooks that the user is asked. Nobody waits for them. */
  asked({ sessionId, request: { tool, access, subject } }: Approval): void {
    const about = access.kind === 'input' ? 'elicitation_dialog' : 'permission_prompt';
    const message = `Hermes needs you to decide: ${tool}: ${subject}`;
    const event = { name: 'Notification', sessionId, mode: 'ask', about, message } as const;
    void this.run(event, new AbortController().signal);
  }

  /** Runs the SessionEnd hooks of the sessions of this window, which closes. Never rejects. */
  async closing(): Promise<void> {
    const stop = new AbortController();
    const cancel = this.window.clock.after(closingMs, () => stop.abort());
    const event = { name: 'SessionEnd', mode: 'ask', about: 'other' } as const;
    await Promise.all([...this.begun].map((sessionId) => this.run({ ...event, sessionId }, stop.signal)));
    cancel();
  }

  /** Lists the files with hooks. Choosing one shows its commands, and asks to trust them or to stop trusting them. */
  async review(): Promise<void> {
    const all = await this.known((await this.read()).hooks);
    const items = [...new Set(all.map(({ hook }) => hook.file))].map((file) => {
      const hooks = all.filter(({ hook }) => hook.file === file);
      const description = hooks.every(({ state }) => state === 'trusted') ? t('Trusted') : t('Not trusted');
      return { label: file, description, detail: hooks.map(({ hook }) => whenAndWhat(hook)).join(' · '), hooks };
    });
    const placeHolder = items.length === 0 ? t('No hooks were found.') : t('Choose a file to review its hooks');
    const chosen = await vscode.window.showQuickPick(items, { title: t('Review Hooks'), placeHolder });
    if (chosen !== undefined) await this.reviewFile(chosen.label, chosen.hooks);
  }

  /** The part of the report. */
  async report(): Promise<ReportSection> {
    const read = await this.read().catch((error: unknown) => errorMessage(error));
    const { hooks: found, ignored } = typeof read === 'string' ? { hooks: [], ignored: [] } : read;
    const hooks = await this.known(found);
    return {
      title: t('Hooks'),
      about: t('Programs that run at moments of a turn. Each runs only after you trusted exactly its definition.'),
      head: [t('File'), t('Hook'), t('Used')],
      rows: [
        ...hooks.map((known) => [known.hook.file, whenAndWhat(known.hook), this.stateOf(known)]),
        ...ignored.map(({ file, entry, reason }) => [file, entry, ignoredWords(reason)]),
        ...(typeof read === 'string' ? [['', '', unreadReason(read)]] : []),
      ],
    };
  }

  private stateOf(known: KnownHook): string {
    if (known.state !== 'trusted') return t('Not trusted: it doesn’t run. Review it with Review Hooks…');
    return this.isOutside(known) ? t('Runs without the sandbox') : t('Runs in the sandbox');
  }

  /** Rejects when the files with hooks can't be read. */
  private async read(): Promise<ReturnType<typeof readHooks>> {
    const read = (await this.window.project.hookFiles()).map((file) => readHooks(file, process.platform));
    return { hooks: read.flatMap(({ hooks }) => hooks), ignored: read.flatMap(({ ignored }) => ignored) };
  }

  /** These hooks, as the user has judged them and the files that their commands name. */
  private known(hooks: readonly HookDefinition[]): Promise<readonly KnownHook[]> {
    return Promise.all(
      hooks.map(async (hook) => {
        const [id, mark] = [hook.fingerprint, await trustMark(hook, this.folderOf(hook))];
        const isTrusted = this.trust.isTrusted(id, mark);
        return { hook, mark, state: isTrusted ? 'trusted' : this.trust.knewAnother(id, mark) ? 'changed' : 'new' };
      }),
    );
  }

  private isOutside({ hook, mark }: KnownHook): boolean {
    return this.trust.decision(hook.fingerprint, mark).choice === 'outside';
  }

  private async reviewFile(file: string, hooks: readonly KnownHook[]): Promise<void> {
    const { confinement } = this.window.terminal;
    for (const { mark } of hooks) this.reviewed.add(mark);
    const inside = t('Trust and Run in the Sandbox');
    const outside = t('Trust and Run Without the Sandbox');
    const forget = t('Stop Trusting');
    const hasSandbox = (await confinement.state()).kind === 'works';
    const choices = [
      ...(hasSandbox ? [inside] : []),
      ...(confinement.isRequired ? [] : [outside]),
      ...(hooks.some(({ state }) => state !== 'new') ? [forget] : []),
    ];
    const detail = [
      t('They run these commands on your machine and get the calls of the agent:'),
      ...hooks.map(({ hook }) => `${showInOneLine(whenAndWhat(hook))}${details(hook)}`),
      ...(choices.length === 0
        ? [t('Only hooks in the sandbox may run here (hermes.terminal.sandbox), and there is none.')]
        : []),
      t('Hermes asks again if a definition changes.'),
    ].join('\n\n');
    const question = t('Trust the hooks in {file}?', { file: showInOneLine(file) });
    const chosen = await vscode.window.showWarningMessage(question, { modal: true, detail }, ...choices);
    if (chosen === undefined) return;
    const isOutside = chosen === outside;
    const decision = { choice: isOutside ? 'outside' : 'inside', mayRunOutside: isOutside, hosts: [] } as const;
    for (const { hook, mark } of hooks) {
      if (chosen === forget) await this.trust.forget(hook.fingerprint);
      // As it was shown: a script that was changed meanwhile is not trusted.
      else await this.trust.trust(hook.fingerprint, mark, decision);
    }
  }

  /** Asks once per definition and window; no turn waits for the answer. */
  private async askForTrust(hooks: readonly KnownHook[]): Promise<void> {
    const open = hooks.filter(({ mark }) => !this.reviewed.has(mark));
    if (open.length === 0) return;
    for (const { mark } of open) this.reviewed.add(mark);
    const files = [...new Set(open.map(({ hook }) => hook.file))];
    const review = t('Review…');
    const sentence = t('Hooks that you haven’t trusted: {files}. They don’t run until you review and trust them.', {
      files: shownList(files.map((file) => quoted(file.replaceAll('](', '] (')))),
    });
    const chosen = await vscode.window.showInformationMessage(sentence, review, t('Not Now'));
    if (chosen !== review) return;
    const { hooks: found } = await this.read();
    for (const file of files) await this.reviewFile(file, await this.known(found.filter((hook) => hook.file === file)));
  }

  private folderOf({ folder }: HookDefinition): string {
    return folder ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir();
  }

  private async runOne(known: KnownHook, input: string, signal: AbortSignal): Promise<HookEnd> {
    const { hook } = known;
    const { terminal, clock, history } = this.window;
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
      if (this.isOutside(known) && !confinement.isRequired)
        return await runHookProgram({ ...program, invocation: shellInvocation(shell, hook.command) });
      if (!hasSandbox) throw new Error(t('It may only run in the sandbox, and there is none.'));
      const aside = join(history.folder, 'taken-out', randomBytes(4).toString('hex'));
      const confined = await confinement.confine(hook.command, shell.path, { hosts: [], folder, aside });
      try {
        const invocation = { program: confined.program, args: confined.args, verbatim: false };
        return await runHookProgram({ ...program, invocation, danger: confined.danger });
      } finally {
        await confined.ended();
      }
    } catch (error) {
      return noEnd(errorMessage(error));
    }
  }
}

function noEnd(problem: string): HookEnd {
  return { exitCode: null, output: '', errors: '', problem };
}

/** `what`: the call, or what the event is about; undefined: the event is about nothing that a matcher could mean. */
function isMeant({ matcher, condition }: HookDefinition, what: TranslatedCall | string | undefined): boolean {
  if (what === undefined) return true;
  return typeof what === 'string'
    ? isFor({ matcher, condition: null }, { names: [what], input: {} })
    : isFor({ matcher, condition }, what);
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
  return words.length === 0 ? '' : ` (${showInOneLine(words.join(', '))})`;
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

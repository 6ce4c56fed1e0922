import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { join, dirname } from 'node:path';
import * as v from 'valibot';
import * as vscode from 'vscode';
import { Emitter, Owner } from '../../base/disposable';
import { t } from '../../base/translate';
import type { BackgroundCommand } from '../../protocol/workProtocol';
import { lookedAt } from '../../tools/approval/shell/readOnlyCommands';
import { NotUnderstood } from '../../tools/approval/shell/shellCommand';
import { parseShell } from '../../tools/approval/shell/shellParser';
import type { CommandCheckpoint } from '../../tools/files/changes/commandCheckpoint';
import type { Confinement } from '../../tools/sandbox/confinement';
import type { WrittenOrders } from '../../tools/sandbox/writtenOrders';
import { commandEnvironment } from '../../tools/terminal/commandEnvironment';
import { duration } from '../../tools/terminal/commandOutputText';
import { LoginEnvironment, type Environment } from '../../tools/terminal/loginEnvironment';
import { endOrphanedCommands } from '../../tools/terminal/orphanedCommands';
import { OutputFolder } from '../../tools/terminal/outputFolder';
import { plainText } from '../../tools/terminal/plainText';
import { RunningCommands, type StartedCommand } from '../../tools/terminal/runningCommands';
import { chooseShell, type Shell } from '../../tools/terminal/shell';
import type { AnyTool } from '../../tools/tool';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import type { SandboxState } from '../../transcript/sandboxState';
import { ownFolders } from '../approvals/guardedFolders';
import { deniedBySettings } from '../approvals/settingsPolicy';
import { registerCommands } from '../common/commands';
import { type SettingsWatcher, hasRepositorysSettings } from '../settings/settingsWatcher';
import { commandTools } from './commandTools';
import { MirrorTerminals } from './mirrorTerminal';
import { OutputRetention, type RetentionWindow } from './outputRetention';
import { notifyRemovedFiles } from './removedFilesNotice';
import { terminalVariables, variablesSetting } from './terminalVariables';

interface CommandItem extends vscode.QuickPickItem {
  readonly started: StartedCommand;
}

/** Lists the running commands of this window. Choosing one shows its terminal; its button stops it. */
class RunningCommandPicker {
  constructor(
    private readonly running: RunningCommands,
    private readonly mirrors: MirrorTerminals,
    private readonly openOutput: (file: string) => Promise<void>,
  ) {}

  async show(): Promise<void> {
    await this.running.refresh(this.running.alive);
    const picker = vscode.window.createQuickPick<CommandItem>();
    const stop: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('debug-stop'),
      tooltip: t('Stop'),
    };
    const output: vscode.QuickInputButton = {
      iconPath: new vscode.ThemeIcon('output'),
      tooltip: t('Open Output'),
    };
    const fill = (): void => {
      picker.items = this.running.alive.map((started) => ({ ...wordsOf(started), buttons: [output, stop], started }));
      picker.placeholder =
        picker.items.length === 0
          ? t('No Hermes commands are running in this window.')
          : t('Choose a command to show its terminal');
    };
    const changes = this.running.onDidChange(fill);
    picker.title = t('Running Commands');
    picker.onDidHide(() => (changes.dispose(), picker.dispose()));
    picker.onDidAccept(() => {
      const [chosen] = picker.selectedItems;
      picker.hide();
      if (chosen !== undefined) this.mirrors.reveal(chosen.started.conversationId);
    });
    picker.onDidTriggerItemButton(({ item, button }) => {
      if (button === stop) void this.running.stop(item.started.process.file.path);
      else void this.openOutput(item.started.process.file.path);
    });
    fill();
    picker.show();
  }
}

function wordsOf({ command, folder, process }: StartedCommand): vscode.QuickPickItem {
  const state =
    process.end === null
      ? t('running for {time}', { time: duration(process.runningMs) })
      : t('ended, but some of its processes are still running');
  return {
    label: oneLine(command),
    description: folder === '.' ? '' : plainText(folder),
    detail: state,
  };
}

function oneLine(command: string): string {
  return plainText(command).replace(/\s+/g, ' ').trim().slice(0, 200);
}

const apiSchema = v.object({ environments: v.object({ getActiveEnvironmentPath: v.function() }) });
const pathSchema = v.object({ path: v.string() });

/** The virtual environment that the Python extension has activated for the workspace. Null: none. Uses that
 *  extension's API, because the variables that extensions give the editor's own terminals cannot be read. */
function activePythonEnvironment(): { readonly folder: string; readonly programs: string } | null {
  const extension = vscode.extensions.getExtension('ms-python.python');
  if (extension?.isActive !== true) return null;
  const api = v.safeParse(apiSchema, extension.exports);
  if (!api.success) return null;
  const { environments } = api.output;
  const active = v.safeParse(
    pathSchema,
    environments.getActiveEnvironmentPath.call(environments, vscode.workspace.workspaceFolders?.[0]?.uri),
  );
  return active.success ? environmentOf(active.output.path) : null;
}

/** `path`: the folder of an environment, or the interpreter in it. */
export function environmentOf(path: string): { readonly folder: string; readonly programs: string } | null {
  const folder = [path, dirname(dirname(path))].find((candidate) => existsSync(join(candidate, 'pyvenv.cfg')));
  if (folder === undefined) return null;
  const programs = [join(folder, 'bin'), join(folder, 'Scripts')].find(existsSync);
  return programs === undefined ? null : { folder, programs };
}

interface TerminalWindow extends RetentionWindow {
  readonly context: vscode.ExtensionContext;
  readonly distFolder: string;
  readonly files: WorkspaceFiles;
  readonly history: RetentionWindow['history'] & { readonly folder: string };
  readonly settings: SettingsWatcher;
  readonly recorder: { readonly checkpoint: CommandCheckpoint };
  readonly writtenOrders: WrittenOrders;
}

/** Milliseconds. Searching all processes of the machine takes a while, so the window starts first. */
const orphansAfterMs = 2000;
/** Milliseconds. Testing the sandbox starts processes. */
const sandboxAfterMs = 3000;
/** Milliseconds between two looks at processes that ended commands left running. */
const leftLookMs = 5000;

/** Commands in this window: the tools that run them, the terminals that show them, and the files that keep their
 *  output. */
export class TerminalFeature extends Owner {
  readonly running = this.lifetime.register(new RunningCommands());
  private readonly outputs: OutputFolder;
  private readonly login: LoginEnvironment;
  private last: StartedCommand | null = null;
  private cancelWatch: (() => void) | null = null;
  /** Shared by commands and MCP servers. */
  readonly confinement: Confinement;
  private readonly sandboxChanges = this.lifetime.register(new Emitter<void>());
  readonly onDidChangeSandbox = this.sandboxChanges.event;
  /** Null: not known yet. */
  sandboxState: SandboxState | null = null;
  readonly tools: readonly AnyTool[];

  constructor(private readonly window: TerminalWindow) {
    super();
    const { context, files, history, settings, writtenOrders, clock, log } = window;
    this.outputs = new OutputFolder(() => join(history.folder, 'outputs'), clock);
    this.login = new LoginEnvironment({ node: process.execPath, own: ownEnvironment(), clock, log });
    const mirrors = this.lifetime.register(new MirrorTerminals(this.running, clock));
    this.lifetime.register(this.running.onDidStart((command) => (this.last = command)));
    const picker = new RunningCommandPicker(this.running, mirrors, (file) => this.openOutput(file));
    this.lifetime.register(registerCommands({ runningCommands: () => picker.show() }, log));
    this.lifetime.register(
      this.running.onDidChange(
        () =>
          void vscode.commands.executeCommand('setContext', 'hermes.commandsRunning', this.running.alive.length > 0),
      ),
    );
    this.lifetime.register(this.running.onDidChange(() => this.watchLeft()));
    this.lifetime.register({ dispose: () => this.cancelWatch?.() });
    const endOrphans = async (): Promise<void> => {
      const count = await endOrphanedCommands(clock);
      if (count > 0)
        log.info(`${count} commands were left running by a window that ended unexpectedly; they were ended.`);
    };
    this.lifetime.register({ dispose: clock.after(orphansAfterMs, () => void endOrphans()) });
    const own = ownFolders(context, context.extensionMode === vscode.ExtensionMode.Production);
    const { sandbox, confinement, tools } = commandTools({
      files,
      sandbox: {
        distFolder: window.distFolder,
        writtenOrders,
        denied: () => deniedBySettings({ settings, files }),
        setting: () => settings.current.sandbox,
        own: () => ({ ...own, kept: [...own.kept, history.folder] }),
        appRoot: vscode.env.appRoot,
        folders: () =>
          (vscode.workspace.workspaceFolders ?? [])
            .filter(({ uri }) => uri.scheme === 'file')
            .map(({ uri }) => uri.fsPath),
        onRemovedFiles: (removed, command) => void notifyRemovedFiles(removed, command, writtenOrders, log),
        environment: () => this.login.of({ path: vscode.env.shell }),
        log,
      },
      shell,
      environment: () => this.environment(),
      isReadOnly: (command) => shell().kind === 'posix' && isReadOnlyCommand(command),
      checkpoint: window.recorder.checkpoint,
      timeoutSeconds: () => settings.current.terminalTimeoutSeconds,
      clock,
      outputs: this.outputs,
      running: this.running,
    });
    this.lifetime.register(sandbox);
    this.confinement = confinement;
    this.tools = tools;
    // Shown below the approval modes. A command that comes earlier runs the test itself.
    this.lifetime.register({ dispose: clock.after(sandboxAfterMs, () => void this.checkSandbox()) });
  }

  /** Checks if this machine and the setting allow to confine commands. */
  async checkSandbox(): Promise<void> {
    this.sandboxState = await this.confinement.state();
    this.sandboxChanges.fire();
  }

  /** Called once the gateway exists: removes outputs when their session is forgotten, and old ones. */
  cleanUp(): void {
    this.lifetime.register(new OutputRetention(this.outputs, this.running, this.window));
  }

  /** True when a path, with all links resolved, is the output of a command of the conversation. Its model may read
   *  that without asking. */
  isOwnOutput(real: string, conversationId: string): boolean {
    return this.outputs.isOwnOutput(real, conversationId);
  }

  /** The last command started in this window, with about `characters` characters of its output. */
  lastOutput(characters: number): { readonly label: string; readonly text: string } | null {
    if (this.last === null) return null;
    const { command, process: run } = this.last;
    const label = command.length > 80 ? `${command.slice(0, 79).toWellFormed()}…` : command;
    return { label: `$ ${label}`, text: run.ends.excerpt(characters, (bytes) => `(${bytes} bytes were left out.)`) };
  }

  /** Opens a command's whole output read-only in an editor. Rejects with a sentence for the user. */
  async openOutput(file: string): Promise<void> {
    const real = await realpath(file).catch(() => null);
    if (real === null)
      throw new Error(
        t('This output is no longer available. Outputs are deleted after 30 days or with their session.'),
      );
    if (!this.outputs.isOwnOutput(real)) throw new Error(t('{file} isn’t the output of a Hermes command.', { file }));
    await openReadOnly(real);
  }

  /** Commands that run beside the turns, and the last ones that ended. */
  get inBackground(): readonly BackgroundCommand[] {
    const now = this.window.clock.now();
    return this.running.beside.map(({ command, process: { isAlive, end, runningMs, file } }) => ({
      file: file.path,
      command: oneLine(command),
      startedAt: now - runningMs / 1000,
      end: isAlive || end === null ? null : { exitCode: end.exitCode, signal: end.signal, ms: end.ms },
    }));
  }

  /** Called when the window is about to close: gives servers and watchers a moment to end on their own. */
  closing(): Promise<void> {
    return this.running.endHandedOver();
  }

  /** Looks regularly for the end of processes that ended commands left running: nothing reports it. */
  private watchLeft(): void {
    this.cancelWatch?.();
    const left = this.running.alive.filter(({ process: { end } }) => end !== null);
    this.cancelWatch =
      left.length === 0 ? null : this.window.clock.after(leftLookMs, () => void this.running.refresh(left));
  }

  /** Shell of commands. */
  readonly shell = shell;

  /** Variables of commands, without keys. */
  async environment(): Promise<Environment> {
    const [login, secrets] = await Promise.all([this.login.of({ path: vscode.env.shell }), this.keys()]);
    const setting = vscode.workspace.getConfiguration().inspect(variablesSetting(process.platform));
    return commandEnvironment({
      login,
      secrets,
      terminal: terminalVariables(
        setting,
        login,
        vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null,
        hasRepositorysSettings(vscode.env.remoteName),
      ),
      python: activePythonEnvironment(),
      platform: process.platform,
    });
  }

  private async keys(): Promise<readonly string[]> {
    const { secrets } = this.window.context;
    const values = await Promise.all((await secrets.keys()).map((name) => secrets.get(name)));
    return values.flatMap((value) => (value === undefined ? [] : [value]));
  }
}

function shell(): Shell {
  return chooseShell(vscode.env.shell, process.platform, existsSync);
}

function ownEnvironment(): Environment {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Opens a file read-only in an editor. Does not use a text document of our own: the editor gives extensions none of
 *  more than 50 MB. */
export async function openReadOnly(path: string): Promise<void> {
  await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(path), { preview: true });
  await vscode.commands.executeCommand('workbench.action.files.setActiveEditorReadonlyInSession');
}

/** True when a command, parsed as a POSIX shell would, certainly changes nothing: every part of it only reads, and
 *  nothing is redirected. A command that cannot be parsed may change anything. */
export function isReadOnlyCommand(command: string): boolean {
  const script = parseShell(command);
  if (script instanceof NotUnderstood || script.parts.length === 0) return false;
  return script.parts.every(({ words, assignments, redirects, hasExpandedInput }) => {
    if (assignments.length > 0 || redirects.length > 0 || hasExpandedInput) return false;
    return words[0]?.text === 'cd' || lookedAt(words) !== null;
  });
}

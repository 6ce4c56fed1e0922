import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import spawn from 'cross-spawn';
import * as v from 'valibot';
import * as vscode from 'vscode';
import { errorMessage } from '../../../base/errorMessage';
import { t } from '../../../base/translate';
import { openPage } from '../../../host/common/editorFeatures';
import { freeName, nameProblem } from '../../../host/models/endpointForm';
import type { ToolServers } from '../../../host/window/featurePoints';
import type { WindowContext } from '../../../host/window/windowContext';
import type { Environment } from '../../../tools/terminal/loginEnvironment';
import {
  readRegistry,
  registeredAgents,
  registryAddress,
  wordsOf,
  type AgentEntry,
  type RegisteredAgent,
} from '../core/agentRegistry';
import { commandOnPath, installedAgents } from '../core/installedAgents';
import { agentEntries, type AgentLaunching, saveAgentEntry } from './agentLaunching';
import { agentsOwnModel, givenServers, type GivenServer, serversKey } from './agentProvider';

/** Where the refreshed registry is kept. */
const registryKey = 'agentRegistry';
const exampleCommand = '/usr/local/bin/my-agent acp';

interface AgentItem extends vscode.QuickPickItem {
  readonly run?: () => Promise<void>;
}

/** Lets the user choose who answers: Hermes, an agent of the settings, one that is installed, one of the registry (with
 *  what would be downloaded), or an own command. */
export class AgentPicker {
  private readonly memory: vscode.Memento;
  /** Folder for what is installed. */
  private readonly folder: string;

  constructor(
    private readonly window: WindowContext,
    private readonly launching: AgentLaunching,
  ) {
    this.memory = window.context.globalState;
    this.folder = join(window.context.globalStorageUri.fsPath, 'agents');
  }

  async choose(): Promise<void> {
    const session = this.shown === null ? null : await this.window.history.store.getSession(this.shown);
    const current = session?.model ?? this.window.settings.current.model;
    const environment = await this.launching.environment();
    const picked = await vscode.window.showQuickPick(this.items(environment, current), {
      title: t('Choose Agent'),
      placeHolder: t('Who answers in this session'),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    await picked?.run?.();
  }

  private get shown(): string | null {
    return this.window.gateway.surfaces.shownSession(this.window.activeChat.surfaceId);
  }

  /** `current`: the model of the shown session, or of the next new one. */
  private items(environment: Environment, current: string | null): AgentItem[] {
    const entries = agentEntries();
    const servers = this.window.servers.current;
    const mark = (name: string): string => (current?.startsWith(`${name}/`) === true ? ` · ${t('selected')}` : '');
    const agents = this.registry();
    const known = new Set(entries.map(({ agent }) => agent));
    const installed = installedAgents(agents, environment).filter(({ agent }) => !known.has(agent.id));
    const found = new Set(installed.flatMap(({ agent, isOwn }) => (isOwn ? [agent.id] : [])));
    const rest = agents.filter((agent) => (known.has(agent.id) ? this.isOlder(entries, agent) : !found.has(agent.id)));
    return [
      {
        label: 'Hermes',
        description: t('a model that you choose'),
        run: () => this.window.editor.pickModel(this.shown),
      },
      ...section(
        t('Your agents'),
        entries.map((entry) => ({
          label: entry.name,
          description: `${[entry.command, ...entry.args].join(' ')}${mark(entry.name)}`,
          run: () => this.select(entry.name),
        })),
      ),
      ...[true, false].flatMap((wanted) =>
        section(
          wanted ? t('Installed') : t('Commands with the same name'),
          installed
            .filter(({ isOwn }) => isOwn === wanted)
            .map(({ agent, path }) => ({
              label: agent.name,
              description: [path, ...agent.args].join(' '),
              run: () => (wanted ? this.add(entryOf(agent, path)) : this.confirm(agent, path)),
            })),
        ),
      ),
      ...section(
        t('Not installed'),
        rest.map((agent) => ({
          label: agent.name,
          description: sourceOf(agent),
          run: () => this.install(agent, environment),
        })),
      ),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: t('Own Command…'), run: () => this.ownCommand() },
      ...(entries.length === 0 || servers === null
        ? []
        : [{ label: t('MCP Servers for Agent…'), run: () => this.chooseServers(servers, entries, current) }]),
      ...(entries.some(({ agent }) => agent !== null)
        ? [{ label: t('Sign In to Agent…'), run: () => signInToAgent(current) }]
        : []),
      { label: t('Refresh Agents…'), description: new URL(registryAddress).host, run: () => this.refresh() },
    ];
  }

  /** The agents that can be chosen: as the user last refreshed them, or as they were tried. */
  private registry(): readonly RegisteredAgent[] {
    try {
      return readRegistry(this.memory.get(registryKey));
    } catch {
      return registeredAgents;
    }
  }

  /** True when an older version of the agent was installed from here. */
  private isOlder(entries: readonly AgentEntry[], agent: RegisteredAgent): boolean {
    const folder = this.folderOf(agent);
    const older = join(this.folder, `${agent.id}-`);
    return (
      folder !== null &&
      entries.some(
        ({ agent: id, command }) => id === agent.id && command.startsWith(older) && !command.startsWith(folder),
      )
    );
  }

  private folderOf({ id, package: source }: RegisteredAgent): string | null {
    return source === null ? null : join(this.folder, `${id}-${source.version}`);
  }

  /** Reads the public registry, because the user asked for it. */
  private async refresh(): Promise<void> {
    try {
      const response = await fetch(registryAddress, { signal: AbortSignal.timeout(15_000), redirect: 'error' });
      if (!response.ok) throw new Error(`HTTP ${response.status}`);
      const listed: unknown = await response.json();
      readRegistry(listed);
      await this.memory.update(registryKey, listed);
    } catch (error) {
      const reason = errorMessage(error);
      return void vscode.window.showErrorMessage(t('The list of agents was not refreshed: {reason}', { reason }));
    }
    await this.choose();
  }

  private async select(name: string): Promise<void> {
    await this.window.gateway.actions.selectModel(this.shown, `${name}/${agentsOwnModel}`);
  }

  private async add(entry: AgentEntry): Promise<void> {
    await saveAgentEntry(entry);
    await this.select(entry.name);
  }

  /** The user says that a command is this agent's: other programs have such names too. */
  private async confirm(agent: RegisteredAgent, path: string): Promise<void> {
    const use = t('Use Command');
    const pressed = await vscode.window.showInformationMessage(
      t('Is this command {agent}?', { agent: agent.name }),
      {
        modal: true,
        detail: [
          t('Only its name is known. It is started as:'),
          [path, ...agent.args].join(' '),
          t('Home page of {agent}: {address}', { agent: agent.name, address: agent.home }),
        ].join('\n\n'),
      },
      use,
    );
    if (pressed === use) await this.add(entryOf(agent, path));
  }

  private async ownCommand(): Promise<void> {
    const line = await vscode.window.showInputBox({
      title: t('Own Command…'),
      prompt: t('Command that starts an agent which speaks the Agent Client Protocol'),
      placeHolder: exampleCommand,
      ignoreFocusOut: true,
    });
    const [command, ...args] = wordsOf(line ?? '');
    if (command === undefined) return;
    const taken = [...agentEntries(), ...this.window.settings.current.providers].map(({ name }) => name);
    const name = await vscode.window.showInputBox({
      title: t('Own Command…'),
      prompt: t('Name of the agent'),
      value: freeName(command.split(/[\\/]/).at(-1) ?? command, taken),
      ignoreFocusOut: true,
      validateInput: (text) => nameProblem(text.trim(), taken),
    });
    if (name !== undefined) await this.add({ name: name.trim(), command, args, env: {}, agent: null });
  }

  /** Lets the user choose which MCP servers an agent gets. Default: none. */
  private async chooseServers(
    servers: ToolServers,
    entries: readonly AgentEntry[],
    current: string | null,
  ): Promise<void> {
    const { memory } = this;
    const agent = await pickEntry(
      entries.map(({ name }) => ({ label: name })),
      current,
      t('MCP Servers for Agent…'),
    );
    if (agent === undefined) return;
    const trusted = await servers.trusted();
    if (trusted.length === 0)
      return void vscode.window.showInformationMessage(
        t('There is no MCP server here that you trust. Add one with “Manage MCP Servers…”.'),
      );
    const before = givenServers(agent.label, memory);
    const given = new Set(before.map(({ id }) => id));
    const picked = await vscode.window.showQuickPick(
      trusted.map(({ id, name, detail }) => ({ id, label: name, description: detail, picked: given.has(id) })),
      {
        title: t('MCP Servers for {agent}', { agent: agent.label }),
        placeHolder: t('The agent starts them itself, without the sandbox, and gets their variables and headers'),
        canPickMany: true,
        ignoreFocusOut: true,
      },
    );
    if (picked === undefined) return;
    const offered = new Set(trusted.map(({ id }) => id));
    // Those of other folders stay.
    const others = before.filter(({ id }) => !offered.has(id));
    const chosen: readonly GivenServer[] = [...others, ...picked.map(({ id, label }) => ({ id, name: label }))];
    await memory.update(serversKey(agent.label), chosen);
    this.window.models.invalidate();
    void vscode.window.showInformationMessage(
      t('{agent} gets these servers when its next session starts.', { agent: agent.label }),
    );
  }

  /** Installs the exact version into a folder of its own, after the user has seen what is downloaded. */
  private async install(agent: RegisteredAgent, environment: Environment): Promise<void> {
    const { package: source } = agent;
    if (source === null) return void (await openPage(agent.home));
    const npm = commandOnPath('npm', environment);
    if (npm === null) {
      void vscode.window.showErrorMessage(
        t('npm was not found, so {agent} cannot be installed.', { agent: agent.name }),
      );
      return;
    }
    const folder = this.folderOf(agent) ?? '';
    const install = t('Install');
    const pressed = await vscode.window.showInformationMessage(
      t('Install {agent}?', { agent: agent.name }),
      {
        modal: true,
        detail: [
          t(
            'npm downloads {package} {version} and what it needs from your npm registry into {folder}. Scripts of the packages run.',
            { package: source.name, version: source.version, folder },
          ),
          // What runs then.
          [source.name, ...agent.args].join(' '),
        ].join('\n\n'),
      },
      install,
    );
    if (pressed !== install) return;
    const problem = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: t('Installing {agent}…', { agent: agent.name }) },
      () => runNpm(npm, `${source.name}@${source.version}`, folder, environment),
    );
    const command = join(folder, 'node_modules', '.bin', await commandOf(agent, source.name, folder));
    if (problem === null) return this.add(entryOf(agent, command));
    void vscode.window.showErrorMessage(
      t('{agent} was not installed: {reason}', { agent: agent.name, reason: problem }),
    );
  }
}

function entryOf(agent: RegisteredAgent, command: string): AgentEntry {
  return { name: agent.name, command, args: [...agent.args], env: {}, agent: agent.id };
}

const manifestSchema = v.object({ bin: v.union([v.string(), v.record(v.string(), v.string())]) });

/** Name of the command in an installed package: the known one, or else the only one. */
async function commandOf({ command }: RegisteredAgent, name: string, folder: string): Promise<string> {
  const file = join(folder, 'node_modules', ...name.split('/'), 'package.json');
  const parsed = v.safeParse(manifestSchema, JSON.parse(await readFile(file, 'utf8').catch(() => '{}')));
  const commands = parsed.success && typeof parsed.output.bin === 'object' ? Object.keys(parsed.output.bin) : [];
  return commands.includes(command) ? command : (commands[0] ?? command);
}

/** Where an agent that is not installed comes from: its package with the version, or its home page. */
function sourceOf({ package: source, home }: RegisteredAgent): string {
  return source === null ? home : `npm: ${source.name} ${source.version}`;
}

function section(label: string, items: readonly AgentItem[]): AgentItem[] {
  return items.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

/** Resolves with the end of what npm said when it failed, and null when all went well. */
async function runNpm(npm: string, what: string, folder: string, environment: Environment): Promise<string | null> {
  await mkdir(folder, { recursive: true });
  return new Promise((resolve) => {
    const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', '--save-exact', what];
    const child = spawn(npm, args, { cwd: folder, env: { ...environment }, windowsHide: true });
    let said = '';
    const hear = (bytes: Buffer): void => void (said = (said + bytes.toString('utf8')).slice(-1500));
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code) => resolve(code === 0 ? null : said.trim()));
  });
}

/** Opens a terminal in which the user signs in to an agent. */
async function signInToAgent(current: string | null): Promise<void> {
  const entries = agentEntries().flatMap((entry) => {
    const agent = registeredAgents.find(({ id }) => id === entry.agent);
    return agent === undefined ? [] : [{ label: entry.name, description: agent.signIn, env: entry.env }];
  });
  const picked = await pickEntry(entries, current, t('Sign In to Agent…'));
  if (picked === undefined) return;
  const terminal = vscode.window.createTerminal({ name: picked.label, env: picked.env });
  terminal.show();
  terminal.sendText(picked.description, false);
}

/** The agent of the shown session, or the one that the user picks. */
async function pickEntry<T extends vscode.QuickPickItem>(
  entries: readonly T[],
  current: string | null,
  title: string,
): Promise<T | undefined> {
  const named = entries.filter(({ label }) => current?.startsWith(`${label}/`) === true);
  if (named.length === 1) return named[0];
  return vscode.window.showQuickPick(entries, { title, placeHolder: t('Choose Agent') });
}

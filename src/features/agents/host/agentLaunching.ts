import { execFile } from 'node:child_process';
import * as v from 'valibot';
import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import { t } from '../../../base/translate';
import { LoginEnvironment, type Environment } from '../../../tools/terminal/loginEnvironment';
import { LaunchProblem } from '../core/agentConnection';
import type { PipedLaunch } from '../../../tools/terminal/pipedProcess';
import { type AgentEntry, type AgentProfile, entrySchema, registeredAgents } from '../core/agentRegistry';
import { commandOnPath } from '../core/installedAgents';

/** Agents of the user's settings. Values that a repository brings along never count: they would run programs. */
export function agentEntries(): readonly AgentEntry[] {
  const value = vscode.workspace.getConfiguration('hermes').inspect('agents')?.globalValue;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]): AgentEntry[] => {
    const parsed = v.safeParse(entrySchema, entry);
    return parsed.success && !name.includes('/') ? [{ name, ...parsed.output }] : [];
  });
}

export async function saveAgentEntry({ name, ...entry }: AgentEntry): Promise<void> {
  const settings = vscode.workspace.getConfiguration('hermes');
  const value: unknown = settings.inspect('agents')?.globalValue;
  await settings.update('agents', { ...(typeof value === 'object' ? value : {}), [name]: entry }, true);
}

/** Variables of the editor's own processes. Agents run on the user's Node, not on the editor's. */
const ofTheEditor = /^(?:ELECTRON_|VSCODE_|NODE_OPTIONS$|HERMES_)/;

/** How agents are started: with the user's own environment, in which their command and their Node are found. */
export class AgentLaunching {
  private readonly login: LoginEnvironment;

  constructor(clock: Clock, log: Log) {
    const own: Environment = Object.fromEntries(
      Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    this.login = new LoginEnvironment({ node: process.execPath, own, clock, log });
  }

  async environment(): Promise<Environment> {
    const all = await this.login.of({ path: process.env['SHELL'] || '/bin/sh' });
    return Object.fromEntries(Object.entries(all).filter(([name]) => !ofTheEditor.test(name)));
  }

  async launch({ id, name }: AgentProfile, folder: string): Promise<PipedLaunch> {
    if (!vscode.workspace.isTrusted)
      throw new LaunchProblem(t('This workspace is not trusted, and agents run programs in it.'));
    const entry = agentEntries().find((known) => known.name === name);
    if (entry === undefined) throw new LaunchProblem(t('It is not in your settings any more (hermes.agents).'));
    const environment = { ...(await this.environment()), ...entry.env };
    const command = /[\\/]/.test(entry.command) ? entry.command : commandOnPath(entry.command, environment);
    if (command === null)
      throw new LaunchProblem(t('Its command was not found: {command}', { command: entry.command }));
    const wanted = registeredAgents.find((agent) => agent.id === id)?.node ?? null;
    if (wanted !== null) await this.requireNode(wanted, environment);
    return { command, args: entry.args, environment, folder };
  }

  /** With an older Node, npm silently installs an older adapter, which then fails in other ways. */
  private async requireNode(wanted: number, environment: Environment): Promise<void> {
    const node = commandOnPath('node', environment);
    const version = node === null ? null : await versionOf(node, environment);
    if (node !== null && version !== null && Number(/^v(\d+)/.exec(version)?.[1]) >= wanted) return;
    throw new LaunchProblem(
      version === null
        ? t('It needs Node {version} or newer, and no Node was found.', { version: String(wanted) })
        : t('It needs Node {version} or newer. Found: {found}', {
            version: String(wanted),
            found: `${node ?? ''} ${version}`,
          }),
    );
  }
}

function versionOf(node: string, environment: Environment): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(node, ['--version'], { env: environment, timeout: 10_000 }, (error, out) =>
      resolve(error === null ? out.trim() : null),
    );
  });
}

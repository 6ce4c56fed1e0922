import * as v from 'valibot';
import { workspace } from 'vscode';
import { programOnPath } from '../../../base/windowsPrograms';
import type { AgentEntry, RegisteredAgent } from '../core/agentRegistry';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const entrySchema = v.object({
  command: v.pipe(v.string(), v.nonEmpty()),
  args: v.optional(v.array(v.string()), []),
  env: v.optional(v.record(v.string(), v.string()), {}),
  agent: v.optional(v.nullable(v.string()), null),
});

/** Agents of the user's settings. Values that a repository brings along never count: they would run programs. */
export function agentEntries(): readonly AgentEntry[] {
  const value = workspace.getConfiguration('hermes').inspect('agents')?.globalValue;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, entry]): AgentEntry[] => {
    const parsed = v.safeParse(entrySchema, entry);
    return parsed.success && !name.includes('/') ? [{ name, ...parsed.output }] : [];
  });
}

export async function saveAgentEntry({ name, ...entry }: AgentEntry): Promise<void> {
  const settings = workspace.getConfiguration('hermes');
  const value: unknown = settings.inspect('agents')?.globalValue;
  await settings.update('agents', { ...(typeof value === 'object' ? value : {}), [name]: entry }, true);
}

/** Absolute path of a command on the PATH; null when there is none. */
export function commandOnPath(command: string, environment: NodeJS.ProcessEnv): string | null {
  if (process.platform === 'win32') return programOnPath(command, environment, isProgram);
  for (const folder of (environment['PATH'] ?? '').split(delimiter)) {
    const file = join(folder, command);
    if (folder !== '' && isProgram(file)) return file;
  }
  return null;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Known agents whose command is installed, with its absolute path. */
export function installedAgents(
  agents: readonly RegisteredAgent[],
  environment: NodeJS.ProcessEnv,
): readonly { readonly agent: RegisteredAgent; readonly path: string }[] {
  return agents.flatMap((agent) => {
    const path = commandOnPath(agent.command, environment);
    return path === null ? [] : [{ agent, path }];
  });
}

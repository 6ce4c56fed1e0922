import * as v from 'valibot';
import { workspace } from 'vscode';
import type { AgentEntry } from '../core/agentRegistry';

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

import * as v from 'valibot';
import type { TerminalVariables } from '../../tools/terminal/commandEnvironment';
import { filledIn } from '../../tools/terminal/commandEnvironment';
import type { Environment } from '../../tools/terminal/loginEnvironment';

const variablesSchema = v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()])));

/** The section of `terminal.integrated.env` that counts on a platform. */
export function variablesSetting(platform: NodeJS.Platform): string {
  return `terminal.integrated.env.${platform === 'win32' ? 'windows' : platform === 'darwin' ? 'osx' : 'linux'}`;
}

/** What the setting says, as far as it can be understood; what cannot is left out. */
export function terminalVariables(
  value: unknown,
  environment: Environment,
  workspaceFolder: string | null,
): TerminalVariables {
  const parsed = v.safeParse(variablesSchema, value);
  if (!parsed.success) return {};
  const entries = Object.entries(parsed.output).map(
    ([name, text]) => [name, text === null ? null : filledIn(String(text), environment, workspaceFolder)] as const,
  );
  return Object.fromEntries(entries.flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

import { isAbsolute, join } from 'node:path';
import type { McpLaunch } from './mcpConnection';
import type { McpServerPlan } from './mcpServer';
import { definitionId, type ServerDefinition, type ServerInput } from './serverDefinition';
import { inheritedEnvironment, readEnvFile } from './serverEnvironment';
import { fillIn, type VariableValues } from './variables';

/** What a definition needs from its surroundings to become something that can be started. */
export interface PlanSurroundings {
  /** As things stand when the server is started; without inputs. */
  readonly values: () => Omit<VariableValues, 'inputs'>;
  /** What the person said, now or before; null where they did not want to. */
  readonly askInput: (input: ServerInput, signal: AbortSignal) => Promise<string | null>;
  /** The content of the definition's file of variables as it was when the definition was trusted; null where there is none. */
  readonly envFileText: string | null;
  readonly isFolder: (path: string) => Promise<boolean>;
}

/** How a definition is started. Everything that cannot be filled in is a sentence, and the server is not started. */
export function serverPlan(
  definition: ServerDefinition,
  fingerprint: string,
  surroundings: PlanSurroundings,
): McpServerPlan {
  return {
    id: definitionId(definition),
    name: definition.name,
    fingerprint,
    launch: async (signal) => {
      const inputs = new Map<string, string>();
      for (const input of definition.inputs) {
        const value = await surroundings.askInput(input, signal);
        if (value === null)
          return {
            kind: 'failed',
            sentence: `The input “${input.id}” was not given. Start it again to be asked again.`,
          };
        inputs.set(input.id, value);
      }
      const secrets = definition.inputs.filter(({ password }) => password).flatMap(({ id }) => inputs.get(id) ?? []);
      try {
        const launch = fillInAll(definition, { ...surroundings.values(), inputs }, surroundings.envFileText);
        if (launch.kind === 'stdio' && launch.folder !== null && !(await surroundings.isFolder(launch.folder)))
          return { kind: 'failed', sentence: `Its folder ${launch.folder} is not there. Check "cwd".` };
        return { kind: 'ready', launch, secrets };
      } catch (error) {
        return { kind: 'failed', sentence: error instanceof Error ? error.message : String(error) };
      }
    },
  };
}

/** Where the file of variables lies; null where there is none. Throws a sentence for a variable that is not known. */
export function envFilePath({ transport }: ServerDefinition, values: Omit<VariableValues, 'inputs'>): string | null {
  if (transport.kind !== 'stdio' || transport.envFile === null) return null;
  return resolved(fillIn(transport.envFile, { ...values, inputs: new Map() }), values.workspaceFolder);
}

function fillInAll({ transport }: ServerDefinition, values: VariableValues, envFileText: string | null): McpLaunch {
  const fill = (text: string): string => fillIn(text, values);
  if (transport.kind !== 'stdio') {
    const headers = Object.fromEntries(Object.entries(transport.headers).map(([name, value]) => [name, fill(value)]));
    return { kind: transport.kind, url: fill(transport.url), headers };
  }
  const environment: Record<string, string> = {
    ...inheritedEnvironment(values.environment),
    ...(envFileText === null ? {} : readEnvFile(envFileText)),
  };
  for (const [name, value] of Object.entries(transport.env)) {
    if (value === null) delete environment[name];
    else environment[name] = fill(value);
  }
  return {
    kind: 'stdio',
    command: fill(transport.command),
    args: transport.args.map(fill),
    environment,
    folder: transport.cwd === null ? values.workspaceFolder : resolved(fill(transport.cwd), values.workspaceFolder),
  };
}

function resolved(path: string, folder: string | null): string {
  return isAbsolute(path) || folder === null ? path : join(folder, path);
}

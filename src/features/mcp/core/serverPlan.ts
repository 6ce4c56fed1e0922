import { isAbsolute, join } from 'node:path';
import { t } from '../../../base/translate';
import { errorMessage } from '../../../base/errorMessage';
import type { HandedServer } from '../../../tools/handedServer';
import type { McpLaunch } from './mcpConnection';
import type { McpServerPlan } from './mcpServer';
import { definitionId, type ServerDefinition, type ServerInput } from './serverDefinition';
import type { ServerPlace } from './serverPlace';
import { filePath, hostsOf, usesNpmCache } from './serverSandbox';
import { parseEnv } from 'node:util';
import { withoutCredentials } from '../../../tools/childEnvironment';

/** Variables that belong to the editor, or would make a program run something else. */
const editorVariables =
  /^(?:VSCODE_|ELECTRON_|CHROME_|HERMES_|NODE_OPTIONS$|GIT_ASKPASS$|SSH_ASKPASS$|APPLICATION_INSIGHTS)/i;
/** Environment of this process for a server, without the editor's own variables and without credentials. A server
 *  that needs a credential gets it from its definition (`"env": { "TOKEN": "${env:TOKEN}" }`), which the user sees
 *  before it starts. */
export function inheritedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(withoutCredentials(environment)).filter(([name]) => !editorVariables.test(name)),
  );
}

/** Variables of an `envFile`, parsed like `node --env-file`. */
function readEnvFile(text: string): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) read[name] = value;
  return read;
}

/** Data from the surroundings that turn a definition into a startable server. */
interface PlanSurroundings {
  /** Values at the time of the start; without inputs. */
  readonly values: () => Omit<VariableValues, 'inputs'>;
  /** Answer of the user, now or earlier; null when the user declined. */
  readonly askInput: (input: ServerInput, signal: AbortSignal) => Promise<string | null>;
  /** Content of the definition's variables file at the time it was trusted; null when there is none. */
  readonly envFileText: string | null;
  readonly isFolder: (path: string) => Promise<boolean>;
  /** Decides where a server that runs a program starts now. */
  readonly place: () => Promise<ServerPlace>;
  /** Hosts that the user added. */
  readonly hosts: readonly string[];
}

/** Start plan of a definition. If a value cannot be filled in, the plan returns a sentence and the server does not
 *  start. */
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
      const place: ServerPlace =
        definition.transport.kind === 'stdio'
          ? await surroundings.place()
          : { kind: 'outside', reason: { kind: 'unwritten' } };
      signal.throwIfAborted();
      if (place.kind === 'refused') return { kind: 'failed', sentence: place.sentence };
      const inputs = new Map<string, string>();
      for (const input of definition.inputs) {
        const value = await surroundings.askInput(input, signal);
        if (value === null)
          return {
            kind: 'failed',
            sentence: t('The input “{input}” was not given. Start it again to be asked again.', { input: input.id }),
          };
        inputs.set(input.id, value);
      }
      const secrets = definition.inputs.filter(({ password }) => password).flatMap(({ id }) => inputs.get(id) ?? []);
      try {
        const values = { ...surroundings.values(), inputs };
        const filledIn = fillInAll(definition, values, surroundings.envFileText);
        const launch = place.kind === 'inside' ? confinedLaunch(definition, filledIn, values, surroundings) : filledIn;
        if (launch.kind === 'stdio' && launch.folder !== null && !(await surroundings.isFolder(launch.folder)))
          return {
            kind: 'failed',
            sentence: t('Its folder {folder} is not there. Check "cwd".', { folder: launch.folder }),
          };
        return { kind: 'ready', launch, secrets };
      } catch (error) {
        return { kind: 'failed', sentence: errorMessage(error) };
      }
    },
  };
}

/** Path of the variables file; null when there is none. Throws a sentence for an unknown variable. */
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
    confined: null,
    folder: transport.cwd === null ? values.workspaceFolder : resolved(fill(transport.cwd), values.workspaceFolder),
  };
}

function confinedLaunch(
  { transport }: ServerDefinition,
  launch: McpLaunch,
  values: VariableValues,
  { hosts, envFileText }: PlanSurroundings,
): McpLaunch {
  if (transport.kind !== 'stdio' || launch.kind !== 'stdio') return launch;
  const { sandbox } = transport;
  const paths = (written: readonly string[]): readonly string[] =>
    written.map((path) => filePath(fillIn(path, values), values.userHome, values.workspaceFolder));
  // Code inside the sandbox must not write npm's unpacked packages, because they also run outside. This is a separate
  // folder, in which writing is allowed.
  const npmCache = usesNpmCache(launch.command) ? join(values.userHome, '.npm', '_cacache', 'hermes') : null;
  // Node's own requests use a proxy only with this variable, and the sandbox has no other way out.
  const needed: Record<string, string> = {
    NODE_USE_ENV_PROXY: '1',
    ...(npmCache === null ? {} : { npm_config_cache: npmCache }),
  };
  const given = { ...(envFileText === null ? {} : readEnvFile(envFileText)), ...transport.env };
  return {
    ...launch,
    environment: {
      ...launch.environment,
      ...Object.fromEntries(Object.entries(needed).filter(([name]) => !(name in given))),
    },
    confined: {
      // Use the command as the user has seen it.
      hosts: [...new Set([...hostsOf(transport.command, sandbox), ...hosts])].sort(),
      denyRead: paths(sandbox.denyRead),
      denyWrite: paths(sandbox.denyWrite),
      folders: npmCache === null ? [] : [npmCache],
    },
  };
}

function resolved(path: string, folder: string | null): string {
  return isAbsolute(path) || folder === null ? path : join(folder, path);
}

/** Values of a definition's variables. */
interface VariableValues {
  /** Folder of the file; for the settings, the first open folder. Null when none is open. */
  readonly workspaceFolder: string | null;
  /** Open folders by their names, for `${workspaceFolder:name}`. */
  readonly folders: ReadonlyMap<string, string>;
  readonly userHome: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly inputs: ReadonlyMap<string, string>;
  readonly separator: string;
}

/** Fills in `${…}` as VS Code does. An environment variable that is not set becomes empty. Throws a sentence for an
 *  unknown variable. */
export function fillIn(text: string, values: VariableValues): string {
  return text.replace(/\$\{([^}]*)\}/g, (_whole, variable: string) => valueOf(variable, values));
}

function valueOf(variable: string, values: VariableValues): string {
  const colon = variable.indexOf(':');
  const [name, argument] = colon === -1 ? [variable, null] : [variable.slice(0, colon), variable.slice(colon + 1)];
  const known = variableValue(name, argument, values);
  if (known !== null) return known;
  if (name.startsWith('workspaceFolder'))
    throw new Error(t('{variable} stands for nothing: there is no such open folder.', { variable: `\${${variable}}` }));
  throw new Error(
    t(
      'The variable {variable} is not known. There are workspaceFolder, workspaceFolderBasename, userHome, pathSeparator, env:NAME and input:ID.',
      { variable: `\${${variable}}` },
    ),
  );
}

function variableValue(
  name: string,
  argument: string | null,
  { workspaceFolder, folders, userHome, environment, inputs, separator }: VariableValues,
): string | null {
  const folder = argument === null ? workspaceFolder : (folders.get(argument) ?? null);
  if (name === 'workspaceFolder') return folder;
  if (name === 'workspaceFolderBasename') return folder?.split(/[\\/]/).findLast((part) => part !== '') ?? null;
  if (name === 'env' && argument !== null) return environment[argument] ?? '';
  if (name === 'input' && argument !== null) return inputs.get(argument) ?? null;
  if (argument !== null) return null;
  if (name === 'userHome') return userHome;
  return name === 'pathSeparator' || name === '/' ? separator : null;
}

/** `folder`: the one in which the other program starts it. Throws a sentence where it would not be the same server. */
export function handedServer(
  name: string,
  launch: McpLaunch,
  {
    folder,
    environment,
  }: { readonly folder: string; readonly environment: Readonly<Record<string, string | undefined>> },
): HandedServer {
  if (launch.kind !== 'stdio') return { name, ...launch };
  if (launch.folder !== null && launch.folder !== folder)
    throw new Error(t('It runs in another folder: {folder}', { folder: launch.folder }));
  const inherited = inheritedEnvironment(environment);
  const own = Object.entries(launch.environment).filter(([key, value]) => inherited[key] !== value);
  return {
    kind: 'stdio',
    name,
    command: launch.command,
    args: launch.args,
    environment: Object.fromEntries(own),
  };
}

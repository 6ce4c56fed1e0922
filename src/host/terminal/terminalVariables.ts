import * as v from 'valibot';
import { dangerousVariables } from '../../tools/approval/judgeCommand';
import { withoutCredentials } from '../../tools/childEnvironment';
import type { TerminalVariables } from '../../tools/terminal/commandEnvironment';
import { filledIn } from '../../tools/terminal/commandEnvironment';
import type { Environment } from '../../tools/terminal/loginEnvironment';

const variablesSchema = v.record(v.string(), v.nullable(v.union([v.string(), v.number(), v.boolean()])));

/** Section of `terminal.integrated.env` for a platform. */
export function variablesSetting(platform: NodeJS.Platform): string {
  return `terminal.integrated.env.${platform === 'win32' ? 'windows' : platform === 'darwin' ? 'osx' : 'linux'}`;
}

/** Result of `WorkspaceConfiguration.inspect` for the setting. */
interface InspectedVariables {
  readonly defaultValue?: unknown;
  readonly globalValue?: unknown;
  readonly workspaceValue?: unknown;
  readonly workspaceFolderValue?: unknown;
}

/** Reads the setting and leaves out invalid values. Values that a repository can bring along, those of the workspace
 *  and of a container, count only for variables that do not decide what a command runs, and are expanded without
 *  credentials. */
export function terminalVariables(
  inspected: InspectedVariables | undefined,
  environment: Environment,
  workspaceFolder: string | null,
  isContainers = false,
): TerminalVariables {
  const { defaultValue, globalValue, workspaceValue, workspaceFolderValue } = inspected ?? {};
  const open = withoutCredentials(environment);
  const own = [defaultValue, isContainers ? undefined : globalValue].flatMap((value) =>
    understood(value, environment, workspaceFolder),
  );
  const brought = [isContainers ? globalValue : undefined, workspaceValue, workspaceFolderValue]
    .flatMap((value) => understood(value, open, workspaceFolder))
    .filter(([name]) => !decidesWhatRuns(name));
  return Object.fromEntries([...own, ...brought]);
}

function understood(
  value: unknown,
  environment: Environment,
  workspaceFolder: string | null,
): readonly (readonly [string, string | null])[] {
  const parsed = v.safeParse(variablesSchema, value);
  if (!parsed.success) return [];
  const entries = Object.entries(parsed.output).map(
    ([name, text]) => [name, text === null ? null : filledIn(String(text), environment, workspaceFolder)] as const,
  );
  return entries.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
}

/** Deciding variables, besides those that an assignment before a command may not set: where Windows and language
 *  runtimes look for programs and code. */
const alsoDeciding =
  /^(?:PATHEXT|COMSPEC|SYSTEMROOT|SYSTEMDRIVE|WINDIR|PSMODULEPATH|PROGRAM(?:FILES|DATA).*|APPDATA|LOCALAPPDATA|USERPROFILE|TMP|TEMP|NODE_.*|TS_NODE_.*|PYTHON.*|VIRTUAL_ENV|CONDA_.*|PERL5.*|RUBY.*|GTK_.*|QT_.*|MALLOC_.*|ASAN_.*|NIX_.*|ASDF_.*|NVM_.*|PYENV_.*|MISE_.*|SUDO_.*|HERMES_.*)$/i;
const deciding = new RegExp(dangerousVariables.source, 'i');

function decidesWhatRuns(name: string): boolean {
  return deciding.test(name) || alsoDeciding.test(name) || !/^\w+$/.test(name);
}

import { withoutCredentials } from '../childEnvironment';
import type { Environment } from './loginEnvironment';

/** Settings of the editor's terminal: a text is set, null takes the variable away. */
export type TerminalVariables = Readonly<Record<string, string | null>>;

export interface EnvironmentParts {
  /** What the person's shell has. */
  readonly login: Environment;
  /** `terminal.integrated.env.*`. */
  readonly terminal: TerminalVariables;
  /** The activated Python environment: its folder and where its programs lie. */
  readonly python: { readonly folder: string; readonly programs: string } | null;
  /** Keys of ours; a variable that holds one is not passed on. */
  readonly secrets: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** Set by the editor for its own processes. With ELECTRON_RUN_AS_NODE the person's `code` would not start, and VSCODE_* holds addresses and
 *  tokens of sockets that lead into the editor. */
const editorsOwn = /^(?:VSCODE_|ELECTRON_)|^(?:CHROME_DESKTOP|GIT_ASKPASS|ORIGINAL_XDG_CURRENT_DESKTOP)$/;

/** Nobody sits in front of a command: nothing may page, open an editor, ask, or draw on a screen. `CI` stays as it is, because programs change
 *  what they do by it. */
const withoutScreen: Environment = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
};

/** The environment of a command. Credentials of the person's shell are not in it: the settings of the editor's terminal may give it one. */
export function commandEnvironment({ login, terminal, python, secrets, platform }: EnvironmentParts): Environment {
  const variables = new Map(Object.entries(withoutCredentials(login)).filter(([name]) => !editorsOwn.test(name)));
  for (const [name, value] of Object.entries(terminal)) {
    const spelled = spelling(variables, name, platform);
    if (value === null) variables.delete(spelled);
    else variables.set(spelled, value);
  }
  // With it `cd src` may lead to another folder than the one that was judged and asked for.
  variables.delete('CDPATH');
  if (python !== null) activate(variables, python, platform);
  for (const [name, value] of Object.entries(withoutScreen)) variables.set(name, value);
  const ours = secrets.filter((secret) => secret.length >= 8);
  return Object.fromEntries([...variables].filter(([, value]) => !ours.some((secret) => value.includes(secret))));
}

/** A value of `terminal.integrated.env.*` with `${env:NAME}` and `${workspaceFolder}` filled in; undefined when it holds another placeholder,
 *  which only the editor itself can fill in. */
export function filledIn(value: string, environment: Environment, workspaceFolder: string | null): string | undefined {
  const filled = value.replace(/\$\{(?:env:([^}]+)|workspaceFolder)\}/g, (_, name: string | undefined) =>
    name === undefined ? (workspaceFolder ?? '') : (environment[name] ?? ''),
  );
  return filled.includes('${') ? undefined : filled;
}

function activate(
  variables: Map<string, string>,
  { folder, programs }: { readonly folder: string; readonly programs: string },
  platform: NodeJS.Platform,
): void {
  const path = spelling(variables, 'PATH', platform);
  const separator = platform === 'win32' ? ';' : ':';
  variables.set('VIRTUAL_ENV', folder);
  variables.set(
    path,
    [
      programs,
      ...(variables.get(path) ?? '').split(separator).filter((entry) => entry !== programs && entry !== ''),
    ].join(separator),
  );
  variables.delete('PYTHONHOME');
}

/** Windows takes PATH and Path for the same. */
function spelling(variables: ReadonlyMap<string, string>, name: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return name;
  return [...variables.keys()].find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;
}

import { withoutCredentials } from '../childEnvironment';
import type { Environment } from './loginEnvironment';

/** Settings of the editor's terminal: a text sets the variable, null removes it. */
export type TerminalVariables = Readonly<Record<string, string | null>>;

interface EnvironmentDeps {
  /** Environment of the user's shell. */
  readonly login: Environment;
  /** `terminal.integrated.env.*`. */
  readonly terminal: TerminalVariables;
  /** Activated Python environment: its folder and the folder of its programs. */
  readonly python: { readonly folder: string; readonly programs: string } | null;
  /** Our own keys; a variable that contains one is not passed on. */
  readonly secrets: readonly string[];
  readonly platform: NodeJS.Platform;
}

/** Variables that the editor sets for its own processes. With ELECTRON_RUN_AS_NODE the user's `code` would not
 *  start, and VSCODE_* holds addresses and tokens of sockets into the editor. */
const editorsOwn = /^(?:VSCODE_|ELECTRON_)|^(?:CHROME_DESKTOP|GIT_ASKPASS|ORIGINAL_XDG_CURRENT_DESKTOP)$/;

/** No user watches a command: it must not open a pager or an editor, ask for input, or control the screen. `CI`
 *  stays unchanged, because programs change their behavior with it. */
const withoutScreen: Environment = {
  TERM: 'dumb',
  PAGER: 'cat',
  GIT_PAGER: 'cat',
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  // It writes outside the folder and connects, for a message that nobody reads.
  npm_config_update_notifier: 'false',
};

/** Environment of a command, without the credentials of the user's shell. The settings of the editor's terminal may
 *  add one. */
export function commandEnvironment({ login, terminal, python, secrets, platform }: EnvironmentDeps): Environment {
  const variables = new Map(Object.entries(withoutCredentials(login)).filter(([name]) => !editorsOwn.test(name)));
  for (const [name, value] of Object.entries(terminal)) {
    const spelled = spelling(variables, name, platform);
    if (value === null) variables.delete(spelled);
    else variables.set(spelled, value);
  }
  // With it, `cd src` may lead to another folder than the approved one.
  variables.delete('CDPATH');
  // Without it, cmd runs `git.bat` of the folder for `git`.
  if (platform === 'win32') variables.set('NoDefaultCurrentDirectoryInExePath', '1');
  if (python !== null) activate(variables, python, platform);
  for (const [name, value] of Object.entries(withoutScreen)) variables.set(name, value);
  const ours = secrets.filter((secret) => secret.length >= 8);
  return Object.fromEntries([...variables].filter(([, value]) => !ours.some((secret) => value.includes(secret))));
}

/** Value of `terminal.integrated.env.*` with `${env:NAME}` and `${workspaceFolder}` filled in. undefined when it
 *  contains another placeholder, which only the editor can fill in. */
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

/** Finds the existing spelling of a name: Windows treats PATH and Path as the same. */
function spelling(variables: ReadonlyMap<string, string>, name: string, platform: NodeJS.Platform): string {
  if (platform !== 'win32') return name;
  return [...variables.keys()].find((known) => known.toLowerCase() === name.toLowerCase()) ?? name;
}

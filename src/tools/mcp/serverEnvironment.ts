import { parseEnv } from 'node:util';
import { withoutCredentials } from '../childEnvironment';

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
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) read[name] = value;
  return read;
}

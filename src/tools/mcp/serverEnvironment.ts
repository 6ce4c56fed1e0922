import { parseEnv } from 'node:util';
import { withoutCredentials } from '../childEnvironment';

/** Variables that belong to the editor, or would have a program run something else than it says. */
const editorVariables =
  /^(?:VSCODE_|ELECTRON_|CHROME_|HERMES_|NODE_OPTIONS$|GIT_ASKPASS$|SSH_ASKPASS$|APPLICATION_INSIGHTS)/i;
/** The environment of this process for a server: without what is the editor's own, and without credentials. A server that needs one is given it by
 *  its definition (`"env": { "TOKEN": "${env:TOKEN}" }`), which the person sees before it starts. */
export function inheritedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(withoutCredentials(environment)).filter(([name]) => !editorVariables.test(name)),
  );
}

/** Variables of an `envFile`, as `node --env-file` reads it. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) read[name] = value;
  return read;
}

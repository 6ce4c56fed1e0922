import { parseEnv } from 'node:util';

/** Variables that belong to the editor, or would have a program run something else than it says. */
const editorVariables =
  /^(?:VSCODE_|ELECTRON_|CHROME_|HERMES_|NODE_OPTIONS$|GIT_ASKPASS$|SSH_ASKPASS$|APPLICATION_INSIGHTS)/i;
/** Names of variables that hold credentials, by the words in them. */
const secretWords =
  /(?:^|_)(?:KEY|APIKEY|TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASS|PASSPHRASE|CREDENTIALS?|AUTH|PAT|COOKIE|DSN)(?:$|_)|API_?KEY|ACCESS_?KEY|CONNECTION_?STRING/i;

/** The environment of this process for a server: without what is the editor's own, and without credentials. A server that needs one is given it by
 *  its definition (`"env": { "TOKEN": "${env:TOKEN}" }`), which the person sees before it starts. */
export function inheritedEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value === undefined || editorVariables.test(name) || (secretWords.test(name) && !harmless.includes(name)))
      continue;
    kept[name] = value;
  }
  return kept;
}

/** Addresses of sockets and the like, whose names have such a word in them. */
const harmless: readonly string[] = ['SSH_AUTH_SOCK', 'XAUTHORITY', 'KEYBOARD_LAYOUT'];

/** Variables of an `envFile`, as `node --env-file` reads it. */
export function readEnvFile(text: string): Readonly<Record<string, string>> {
  const read: Record<string, string> = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) read[name] = value;
  return read;
}

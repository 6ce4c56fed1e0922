import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'jsonc-parser';
import * as v from 'valibot';
import { type HermesSettings, readSettings } from '../../../host/settings/settings';
import { knownKeys } from '../../../models/secrecy/secrecy';
import { isJsonObject } from '../../../transcript/json';
import identity from '../../../../scripts/identity.json';

type Environment = Readonly<Record<string, string | undefined>>;

/** Name of the extension's folders in the editor's storage. */
const extensionFolder = `${identity.publisher}.${identity.name}`;

/** Folder of the editor's user data: settings, and the histories of its windows. */
export function editorData(platform: NodeJS.Platform, environment: Environment, home = homedir()): string {
  if (platform === 'win32') return join(environment['APPDATA'] ?? join(home, 'AppData', 'Roaming'), 'Code');
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'Code');
  return join(environment['XDG_CONFIG_HOME'] || join(home, '.config'), 'Code');
}

/** Settings of the user, over the defaults in the extension's `package.json`. A repository's own are never read. Throws
 *  for a file that is named and does not exist. */
export function userSettings(
  file: string,
  {
    isNamed,
    about,
    warn,
  }: { readonly isNamed: boolean; readonly about: unknown; readonly warn: (text: string) => void },
): HermesSettings {
  if (isNamed && !existsSync(file)) throw new Error(`There is no ${file}.`);
  const read: unknown = existsSync(file) ? parse(readFileSync(file, 'utf8'), [], { allowTrailingComma: true }) : {};
  const values = isJsonObject(read) ? read : {};
  const defaults = defaultsIn(about);
  const { settings, problems } = readSettings({
    get: (name) => values[name] ?? defaults.get(name),
    inspect: (name) => ({ globalValue: values[name], defaultValue: defaults.get(name) }),
  });
  for (const { sentence } of problems) warn(sentence);
  return settings;
}

const aboutSchema = v.object({
  contributes: v.object({
    configuration: v.array(v.object({ properties: v.record(v.string(), v.looseObject({ default: v.unknown() })) })),
  }),
});

function defaultsIn(about: unknown): ReadonlyMap<string, unknown> {
  const { configuration } = v.parse(aboutSchema, about).contributes;
  return new Map(
    configuration.flatMap(({ properties }) =>
      Object.entries(properties).map(([name, property]) => [name, property.default] as const),
    ),
  );
}

/** Where this program keeps sessions that belong to no window. The editor lists it among the other folders. */
export function ownFolder(data: string): string {
  return join(data, 'User', 'globalStorage', extensionFolder, 'empty-windows', 'hermes-agent');
}

/** Folder of the history that a window of the editor keeps for this folder. Null: there is none yet. */
export function windowHistory(data: string, folder: string): string | null {
  const all = join(data, 'User', 'workspaceStorage');
  for (const name of existsSync(all) ? readdirSync(all) : []) {
    const history = join(all, name, extensionFolder);
    if (existsSync(join(history, 'state.db')) && openFolder(join(all, name, 'workspace.json')) === resolve(folder))
      return history;
  }
  return null;
}

function openFolder(file: string): string | null {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return isJsonObject(read) && typeof read['folder'] === 'string' ? resolve(fileURLToPath(read['folder'])) : null;
  } catch {
    // A workspace of several folders, or one on another machine.
    return null;
  }
}

/** Name of the variable with the key of a provider: HERMES_KEY_OPENROUTER. */
export function keyVariable(provider: string): string {
  return `HERMES_KEY_${provider.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}`;
}

/** Usual variables of services, only for the service's own address. */
const usualVariables: Readonly<Record<string, string>> = {
  'https://openrouter.ai': 'OPENROUTER_API_KEY',
  'https://api.anthropic.com': 'ANTHROPIC_API_KEY',
  'https://api.openai.com': 'OPENAI_API_KEY',
  'https://generativelanguage.googleapis.com': 'GEMINI_API_KEY',
  'https://api.groq.com': 'GROQ_API_KEY',
  'https://api.x.ai': 'XAI_API_KEY',
  'https://api.deepseek.com': 'DEEPSEEK_API_KEY',
  'https://api.mistral.ai': 'MISTRAL_API_KEY',
};

/** Key of a provider. The editor's secret storage cannot be read from here. */
export function keyFrom(environment: Environment, provider: string, origin: string): string | undefined {
  const usual = usualVariables[new URL(origin).origin];
  const key = environment[keyVariable(provider)] ?? (usual === undefined ? undefined : environment[usual]);
  if (key === undefined || key.trim() === '') return undefined;
  knownKeys.add(key.trim());
  return key.trim();
}

/** Keys in the environment, which no command of the agent gets. */
export function keysIn(environment: Environment): readonly string[] {
  const usual = Object.values(usualVariables);
  return Object.entries(environment).flatMap(([name, value]) =>
    value !== undefined && (name.startsWith('HERMES_KEY_') || usual.includes(name)) ? [value] : [],
  );
}

import { isAbsolute, join } from 'node:path';
import * as v from 'valibot';
import { hostName } from '../../../tools/approval/ruleText';

/** Sandbox settings of a definition that we support, in VS Code's shape (`sandboxEnabled`, `sandbox`). */
export interface ServerSandbox {
  /** Null: not set. */
  readonly isEnabled: boolean | null;
  /** Hosts that it may reach inside, by name or as `*.example.com`. */
  readonly hosts: readonly string[];
  /** Files that it may not read, and not change. Variables are not filled in. */
  readonly denyRead: readonly string[];
  readonly denyWrite: readonly string[];
  /** Entries of the definition that we do not support. */
  readonly ignored: readonly string[];
}

export const unwrittenSandbox: ServerSandbox = { isEnabled: null, hosts: [], denyRead: [], denyWrite: [], ignored: [] };

const texts = v.optional(v.array(v.string('is not a text'), 'is not a list of texts'), []);

export const sandboxEnabledSchema = v.optional(v.boolean('is neither true nor false'));
export const sandboxSchema = v.optional(
  v.object(
    {
      network: v.optional(v.object({ allowedDomains: texts, deniedDomains: texts }, 'is not an object')),
      filesystem: v.optional(v.object({ allowWrite: texts, denyRead: texts, denyWrite: texts }, 'is not an object')),
    },
    'is not an object',
  ),
);

export function readSandbox(
  isEnabled: boolean | undefined,
  written: v.InferOutput<typeof sandboxSchema>,
): ServerSandbox {
  const allowed = (written?.network?.allowedDomains ?? []).map((domain) => domain.trim().toLowerCase());
  const { allowWrite = [], denyRead = [], denyWrite = [] } = written?.filesystem ?? {};
  const denied = (written?.network?.deniedDomains ?? []).map((domain) => domain.trim().toLowerCase());
  // Leave out denied hosts. The sandbox knows no exceptions, so `*.example.com` is left out entirely when a part of it
  // is denied.
  const isDenied = (host: string): boolean => denied.some((domain) => covers(domain, host) || covers(host, domain));
  return {
    isEnabled: isEnabled ?? null,
    hosts: [...new Set(allowed.filter((host) => isHost(host) && !isDenied(host)))].sort(),
    denyRead: denyRead.filter((path) => !isPattern(path)),
    denyWrite: denyWrite.filter((path) => !isPattern(path)),
    ignored: [
      ...allowed
        .filter((host) => !isHost(host) || (isDenied(host) && !denied.includes(host)))
        .map((host) => `network.allowedDomains: ${host}`),
      ...allowWrite.map((path) => `filesystem.allowWrite: ${path}`),
      ...denyRead.filter(isPattern).map((path) => `filesystem.denyRead: ${path}`),
      ...denyWrite.filter(isPattern).map((path) => `filesystem.denyWrite: ${path}`),
    ],
  };
}

/** Programs that download a package and run it need its registry: without it hardly any of them starts. */
const registries: readonly { readonly programs: readonly string[]; readonly hosts: readonly string[] }[] = [
  { programs: ['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bunx', 'bun'], hosts: ['registry.npmjs.org'] },
  { programs: ['uvx', 'uv', 'pipx'], hosts: ['files.pythonhosted.org', 'pypi.org'] },
];

/** All hosts that a server may reach inside: those it names, and the registry of a program that downloads packages. */
export function hostsOf(command: string, sandbox: ServerSandbox): readonly string[] {
  const program = programOf(command);
  const fetched = registries.filter(({ programs }) => programs.includes(program)).flatMap((registry) => registry.hosts);
  return [...new Set([...fetched, ...sandbox.hosts])].sort();
}

/** True when npm caches the packages for this program. */
export function usesNpmCache(command: string): boolean {
  return ['npx', 'npm'].includes(programOf(command));
}

/** Absolute path from a definition's path: `~/…`, or relative to its folder. */
export function filePath(written: string, home: string, folder: string | null): string {
  if (written === '~' || written.startsWith('~/')) return join(home, written.slice(1));
  return isAbsolute(written) || folder === null ? written : join(folder, written);
}

function programOf(command: string): string {
  return command.split(/[\\/]/).at(-1) ?? command;
}

/** True for a host name or a wildcard for all hosts below a name, either with a port. Not for addresses or this
 *  machine: the sandbox cannot reach them. */
function isHost(written: string): boolean {
  return hostName.test(written.replace(/^\*\./, '').replace(/:[1-9]\d{0,4}$/, ''));
}

function covers(pattern: string, host: string): boolean {
  return pattern === host || (pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
}

/** The library reads paths literally. */
function isPattern(path: string): boolean {
  return /[*?[\]]/.test(path);
}

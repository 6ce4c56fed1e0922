import { createHash } from 'node:crypto';
import { showInOneLine } from '../../../transcript/text/invisibleCharacters';
import { type ServerSandbox, unwrittenSandbox } from './serverSandbox';

/** Place where a server is defined. A folder's file comes from the author of the repository; the settings belong to
 *  the user. */
export type ServerSource =
  | { readonly kind: 'settings' }
  | { readonly kind: 'folder'; readonly folder: string; readonly file: string }
  /** A file of another agent in the user's home. `path`: absolute. */
  | { readonly kind: 'agent'; readonly path: string; readonly file: string };

/** Value that a definition leaves open and the user is asked for. */
export interface ServerInput {
  readonly id: string;
  readonly description: string;
  /** Empty: free text. */
  readonly options: readonly string[];
  readonly default: string | null;
  readonly password: boolean;
}

export type ServerTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** null removes a variable. */
      readonly env: Readonly<Record<string, string | null>>;
      readonly envFile: string | null;
      readonly cwd: string | null;
      readonly sandbox: ServerSandbox;
    }
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** Server as defined, with its variables not filled in. */
export interface ServerDefinition {
  readonly name: string;
  readonly source: ServerSource;
  readonly transport: ServerTransport;
  /** Inputs of its file that the definition names. */
  readonly inputs: readonly ServerInput[];
}

/** Unique id among the servers of one window. */
export function definitionId({ source, name }: ServerDefinition): string {
  const place = source.kind === 'settings' ? [] : [source.kind === 'folder' ? source.folder : source.path];
  return JSON.stringify([source.kind, ...place, name]);
}

/** Hash of exactly this definition. If one word of it or of its variables file changes, the user is asked again. */
export function fingerprint({ name, source, transport, inputs }: ServerDefinition, envFileText: string | null): string {
  // Include the inputs: changed words, a changed default, or a changed password field could make the user reveal
  // something else.
  const asked = inputs.length === 0 ? [] : [sorted(inputs)];
  return createHash('sha256')
    .update(JSON.stringify([name, source, sorted(withoutUnwritten(transport)), envFileText, ...asked]))
    .digest('hex');
}

/** A definition without sandbox settings keeps the fingerprint that was trusted before sandboxes existed. */
function withoutUnwritten(transport: ServerTransport): object {
  if (
    transport.kind !== 'stdio' ||
    JSON.stringify(sorted(transport.sandbox)) !== JSON.stringify(sorted(unwrittenSandbox))
  )
    return transport;
  const { sandbox: _sandbox, ...rest } = transport;
  return rest;
}

/** Command or address in one line: the user decides on it. Includes headers, because they may send a credential from
 *  the environment elsewhere. Control characters and line ends cannot hide a part of it. */
export function commandLine(transport: ServerTransport): string {
  if (transport.kind !== 'stdio') {
    const headers = Object.entries(transport.headers).map(([name, value]) => `${name}: ${value}`);
    return showInOneLine(
      headers.length === 0 ? transport.url : `${transport.url} (with the headers ${headers.join(', ')})`,
    );
  }
  const { command, args, env, envFile, cwd } = transport;
  const variables = Object.entries(env).map(([name, value]) =>
    value === null ? `${name}` : `${name}=${quoted(value)}`,
  );
  const line = [...variables, ...[command, ...args].map(quoted)].join(' ');
  const from = [cwd === null ? null : `in ${cwd}`, envFile === null ? null : `with the variables of ${envFile}`].filter(
    (part) => part !== null,
  );
  return showInOneLine(from.length === 0 ? line : `${line} (${from.join(', ')})`);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

/** Sorts keys, so that the same definition in another order gives the same hash. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}

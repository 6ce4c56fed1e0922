import { createHash } from 'node:crypto';
import { type ServerSandbox, unwrittenSandbox } from './serverSandbox';

/** Where a server was written down. A folder's file comes from whoever wrote the repository; the settings are the person's own. */
export type ServerSource =
  { readonly kind: 'settings' } | { readonly kind: 'folder'; readonly folder: string; readonly file: string };

/** Something a definition leaves open and the person is asked for. */
export interface ServerInput {
  readonly id: string;
  readonly description: string;
  /** Empty: anything may be typed. */
  readonly options: readonly string[];
  readonly default: string | null;
  readonly password: boolean;
}

export type ServerTransport =
  | {
      readonly kind: 'stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** null takes a variable away. */
      readonly env: Readonly<Record<string, string | null>>;
      readonly envFile: string | null;
      readonly cwd: string | null;
      readonly sandbox: ServerSandbox;
    }
  | { readonly kind: 'http' | 'sse'; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** A server as it is written down, its variables not filled in. */
export interface ServerDefinition {
  readonly name: string;
  readonly source: ServerSource;
  readonly transport: ServerTransport;
  /** Those it names, of its file. */
  readonly inputs: readonly ServerInput[];
}

/** Distinguishes the servers of one window. */
export function definitionId({ source, name }: ServerDefinition): string {
  return JSON.stringify(source.kind === 'settings' ? ['settings', name] : ['folder', source.folder, name]);
}

/** Stands for exactly this definition: where one word of it changes, or the content of its file of variables, the person is asked again. */
export function fingerprint({ name, source, transport, inputs }: ServerDefinition, envFileText: string | null): string {
  // What the person is asked for is part of it: words, a default or a password field that changed could make them give something else away.
  const asked = inputs.length === 0 ? [] : [sorted(inputs)];
  return createHash('sha256')
    .update(JSON.stringify([name, source, sorted(withoutUnwritten(transport)), envFileText, ...asked]))
    .digest('hex');
}

/** A definition that says nothing of the sandbox stays the one that was trusted before there was one. */
function withoutUnwritten(transport: ServerTransport): object {
  if (
    transport.kind !== 'stdio' ||
    JSON.stringify(sorted(transport.sandbox)) !== JSON.stringify(sorted(unwrittenSandbox))
  )
    return transport;
  const { sandbox: _sandbox, ...rest } = transport;
  return rest;
}

/** What would be started or reached, in one line: what the person decides on. Headers are part of it: they may carry a credential of the
 *  environment elsewhere. Control characters and line ends cannot hide a part of it. */
export function commandLine(transport: ServerTransport): string {
  if (transport.kind !== 'stdio') {
    const headers = Object.entries(transport.headers).map(([name, value]) => `${name}: ${value}`);
    return visible(headers.length === 0 ? transport.url : `${transport.url} (with the headers ${headers.join(', ')})`);
  }
  const { command, args, env, envFile, cwd } = transport;
  const variables = Object.entries(env).map(([name, value]) =>
    value === null ? `${name}` : `${name}=${quoted(value)}`,
  );
  const line = [...variables, ...[command, ...args].map(quoted)].join(' ');
  const from = [cwd === null ? null : `in ${cwd}`, envFile === null ? null : `with the variables of ${envFile}`].filter(
    (part) => part !== null,
  );
  return visible(from.length === 0 ? line : `${line} (${from.join(', ')})`);
}

function quoted(word: string): string {
  return /^[\w@%+=:,./${}-]+$/.test(word) ? word : JSON.stringify(word);
}

export function visible(text: string): string {
  // Also what reorders text (bidirectional marks) or cannot be seen.
  return text.replace(
    /[\p{Cc}\p{Cf}\u2028\u2029]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Keys in a fixed order: the same definition written in another order is the same. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}

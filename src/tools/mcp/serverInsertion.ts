import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser';
import type { ServerEntry } from './typedServer';

/** taken: it defines a server with this name. unreadable: it is not an object with "servers". */
export type Insertion<T> = { readonly kind: 'inserted'; readonly value: T } | { readonly kind: 'taken' | 'unreadable' };

/** Adds a server to the content of an `mcp.json`. Keeps comments and everything else. */
export function fileWithServer(content: string, name: string, entry: ServerEntry): Insertion<string> {
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, { allowTrailingComma: true, allowEmptyContent: true });
  if (errors.length > 0 || (value !== undefined && !isRecord(value))) return { kind: 'unreadable' };
  if (value === undefined)
    return { kind: 'inserted', value: `${JSON.stringify({ servers: { [name]: entry } }, null, 2)}\n` };
  if (value.servers !== undefined && !isRecord(value.servers)) return { kind: 'unreadable' };
  if (value.servers !== undefined && Object.hasOwn(value.servers, name)) return { kind: 'taken' };
  const indent = /^([ \t]+)\S/m.exec(content)?.[1] ?? '  ';
  const formattingOptions = { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: '\n' };
  return {
    kind: 'inserted',
    value: applyEdits(content, modify(content, ['servers', name], entry, { formattingOptions })),
  };
}

/** Adds a server to the value of the setting, in the shape that it has: with "servers", or only the servers. */
export function settingWithServer(
  value: unknown,
  name: string,
  entry: ServerEntry,
): Insertion<Readonly<Record<string, unknown>>> {
  const added = { [name]: entry };
  if (value === undefined || value === null) return { kind: 'inserted', value: { servers: added } };
  if (!isRecord(value) || (value.servers !== undefined && !isRecord(value.servers))) return { kind: 'unreadable' };
  const isBare = value.servers === undefined && Object.keys(value).some((key) => key !== 'inputs');
  const servers = isBare ? value : (value.servers ?? {});
  if (Object.hasOwn(servers, name)) return { kind: 'taken' };
  return {
    kind: 'inserted',
    value: isBare ? { ...value, ...added } : { ...value, servers: { ...servers, ...added } },
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

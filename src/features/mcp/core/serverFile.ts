import { isJsonObject } from '../../../transcript/json';
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import * as v from 'valibot';
import { t } from '../../../base/translate';
import type { ServerDefinition, ServerInput, ServerSource, ServerTransport } from './serverDefinition';
import { readSandbox, sandboxEnabledSchema, sandboxSchema } from './serverSandbox';

/** Content of a file or setting. `problems` are sentences that name the place and the entry; the affected entries
 *  are left out. */
export interface ServerFile {
  readonly servers: readonly ServerDefinition[];
  readonly problems: readonly string[];
}

const text = v.string('is not a text');
const filled = v.pipe(text, v.nonEmpty('is empty'));
const texts = (what: string) => v.record(text, text, what);

const stdioSchema = v.object({
  type: v.optional(v.literal('stdio')),
  command: filled,
  args: v.optional(v.array(text, 'is not a list of texts'), []),
  env: v.optional(
    v.record(
      text,
      v.nullable(v.union([text, v.number(), v.boolean()], 'is neither a text nor a number')),
      'is not an object of texts',
    ),
    {},
  ),
  envFile: v.optional(text),
  cwd: v.optional(text),
  sandboxEnabled: sandboxEnabledSchema,
  sandbox: sandboxSchema,
});
const remoteSchema = v.object({
  type: v.optional(v.picklist(['http', 'sse'])),
  url: v.pipe(
    filled,
    v.regex(/^(?:https?:\/\/|\$\{)\S*$/, 'is not a web address that begins with http:// or https://'),
  ),
  headers: v.optional(texts('is not an object of texts'), {}),
});
const inputSchema = v.object({
  id: filled,
  type: v.picklist(['promptString', 'pickString'], 'is neither "promptString" nor "pickString"'),
  description: v.optional(text, ''),
  default: v.optional(text),
  password: v.optional(v.boolean('is neither true nor false'), false),
  options: v.optional(
    v.array(
      v.union([
        text,
        v.pipe(
          v.object({ value: text }),
          v.transform(({ value }) => value),
        ),
      ]),
      'is not a list of texts',
    ),
    [],
  ),
});

/** Parses JSON with comments in the shape of VS Code's `mcp.json`. An invalid entry does not affect the others. */
export function readServerFile(content: string, source: ServerSource, where: string): ServerFile {
  const errors: ParseError[] = [];
  const value: unknown = parse(content, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = content.slice(0, first.offset).split('\n').length;
    return {
      servers: [],
      problems: [
        t('{where} cannot be read: {problem} in line {line}. None of its MCP servers is used until it is corrected.', {
          where,
          problem: printParseErrorCode(first.error),
          line,
        }),
      ],
    };
  }
  return readServers(isJsonObject(value) && value.servers === undefined ? asServers(value) : value, source, where);
}

/** Files of Claude, Copilot and Cursor say `mcpServers`, and `${NAME}` or `${NAME:-default}` for the environment.
 *  Copilot says `local` for programs. */
function asServers(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (value.mcpServers === undefined) return value;
  const text = JSON.stringify(value.mcpServers).replace(
    /\$\{([A-Za-z_]\w*)(?::-((?:\\.|[^}"\\])*))?\}/g,
    (whole, name: string, otherwise?: string) => {
      if (/^(?:workspaceFolder|workspaceFolderBasename|userHome|pathSeparator)$/.test(name)) return whole;
      return otherwise === undefined || process.env[name] !== undefined ? `\${env:${name}}` : otherwise;
    },
  );
  const servers: unknown = JSON.parse(text.replaceAll('"type":"local"', '"type":"stdio"'));
  return { servers };
}

/** Reads the servers of Codex's `config.toml`. Never rejects: a file that is not valid TOML is Codex's to report. */
export async function readCodexFile(content: string, source: ServerSource, where: string): Promise<ServerFile> {
  try {
    // Loaded on demand: only users of Codex have such a file.
    const { parse } = await import('smol-toml');
    const { mcp_servers: written } = parse(content);
    const entries = Object.entries(isJsonObject(written) ? written : {}).filter(
      ([, entry]) => isJsonObject(entry) && entry.enabled !== false,
    );
    const servers = Object.fromEntries(entries.map(([name, entry]) => [name, fromCodex(entry)]));
    return readServers({ servers }, source, where);
  } catch {
    return { servers: [], problems: [] };
  }
}

/** Codex names variables of the environment in fields of their own. */
function fromCodex(entry: unknown): unknown {
  if (!isJsonObject(entry)) return entry;
  const { env, env_vars: inherited, bearer_token_env_var: bearer, http_headers: headers, ...rest } = entry;
  const names = Array.isArray(inherited) ? inherited.map((each) => (isJsonObject(each) ? each.name : each)) : [];
  const named = isJsonObject(rest.env_http_headers) ? Object.entries(rest.env_http_headers) : [];
  const variable = (name: unknown): string => `\${env:${String(name)}}`;
  return {
    ...rest,
    env: {
      ...Object.fromEntries(names.map((name) => [String(name), variable(name)])),
      ...(isJsonObject(env) ? env : {}),
    },
    headers: {
      ...(isJsonObject(headers) ? headers : {}),
      ...Object.fromEntries(named.map(([header, name]) => [header, variable(name)])),
      ...(bearer === undefined ? {} : { Authorization: `Bearer ${variable(bearer)}` }),
    },
  };
}

/** Parses the setting: the same shape, or only the servers. */
export function readServerSetting(value: unknown): ServerFile {
  const where = t('The setting `hermes.mcp.servers`');
  const source: ServerSource = { kind: 'settings' };
  return isJsonObject(value) && !isJsonObject(value.servers)
    ? readServers({ servers: value }, source, where)
    : readServers(value, source, where);
}

function readServers(value: unknown, source: ServerSource, where: string): ServerFile {
  if (value === undefined || value === null) return { servers: [], problems: [] };
  if (!isJsonObject(value) || (value.servers !== undefined && !isJsonObject(value.servers)))
    return {
      servers: [],
      problems: [t('{where} is not an object with "servers". It is ignored until it is corrected.', { where })],
    };
  const inputs = readInputs(value.inputs, where);
  const problems = [...inputs.problems];
  const servers: ServerDefinition[] = [];
  for (const [name, entry] of Object.entries(value.servers ?? {})) {
    // VS Code has one `sandbox` entry for all servers of a file.
    const transport = readTransport(
      isJsonObject(entry) && entry.sandbox === undefined && value.sandbox !== undefined
        ? { ...entry, sandbox: value.sandbox }
        : entry,
    );
    const named =
      JSON.stringify(transport)
        .match(/\$\{input:[^}]+\}/g)
        ?.map((variable) => variable.slice('${input:'.length, -1)) ?? [];
    const unknown = named.find((id) => !inputs.known.has(id));
    if (typeof transport === 'string')
      problems.push(
        t('{where}: the MCP server “{server}” is ignored: {reason}.', { where, server: name, reason: transport }),
      );
    else if (unknown !== undefined)
      problems.push(
        t('{where}: the MCP server “{server}” is ignored: there is no input “{input}” under "inputs".', {
          where,
          server: name,
          input: unknown,
        }),
      );
    else
      servers.push({
        name,
        source,
        transport,
        inputs: [...new Set(named)].flatMap((id) => inputs.known.get(id) ?? []),
      });
  }
  return { servers, problems };
}

/** Returns the transport, or a reason why the entry is invalid, as the end of a sentence. */
function readTransport(entry: unknown): ServerTransport | string {
  if (!isJsonObject(entry)) return t('it is not an object');
  if (!['stdio', 'http', 'sse', undefined].some((type) => type === entry.type))
    return t('"type" is none of "stdio", "http" and "sse"');
  if (entry.type === undefined && entry.command === undefined && entry.url === undefined)
    return t('it has neither a "command" nor a "url"');
  if (entry.type === 'stdio' || (entry.type === undefined && entry.command !== undefined)) {
    const parsed = v.safeParse(stdioSchema, entry);
    if (!parsed.success) return issuesOf(parsed.issues);
    const { command, args, env, envFile, cwd, sandboxEnabled, sandbox } = parsed.output;
    const variables = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, value === null ? null : String(value)]),
    );
    return {
      kind: 'stdio',
      command,
      args,
      env: variables,
      envFile: envFile ?? null,
      cwd: cwd ?? null,
      sandbox: readSandbox(sandboxEnabled, sandbox),
    };
  }
  const parsed = v.safeParse(remoteSchema, entry);
  if (!parsed.success) return issuesOf(parsed.issues);
  return { kind: parsed.output.type ?? 'http', url: parsed.output.url, headers: parsed.output.headers };
}

function readInputs(
  value: unknown,
  where: string,
): { readonly known: ReadonlyMap<string, ServerInput>; readonly problems: readonly string[] } {
  if (value === undefined) return { known: new Map(), problems: [] };
  if (!Array.isArray(value)) return { known: new Map(), problems: [t('{where}: "inputs" is not a list.', { where })] };
  const problems: string[] = [];
  const known = new Map<string, ServerInput>();
  for (const [index, entry] of value.entries()) {
    const parsed = v.safeParse(inputSchema, entry);
    if (!parsed.success)
      problems.push(
        t('{where}: entry {number} of "inputs" is ignored: {reason}.', {
          where,
          number: index + 1,
          reason: issuesOf(parsed.issues),
        }),
      );
    else known.set(parsed.output.id, { ...parsed.output, default: parsed.output.default ?? null });
  }
  return { known, problems };
}

function issuesOf(issues: readonly v.BaseIssue<unknown>[]): string {
  return issues
    .map((issue) => {
      const name = v.getDotPath(issue) ?? 'it';
      return issue.message.startsWith('Invalid key')
        ? t('"{name}" is missing', { name })
        : `"${name}" ${issue.message}`;
    })
    .join('; ');
}

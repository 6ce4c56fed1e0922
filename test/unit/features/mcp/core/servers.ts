import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { translations } from '../../../../../src/base/translate';
import type { Disposable } from '../../../../../src/base/disposable';
import { systemClock } from '../../../../../src/base/clock';
import type { Log } from '../../../../../src/base/log';
import { createMcpClient } from '../../../../../src/features/mcp/core/client/index';
import type {
  McpClient,
  McpConnection,
  McpCredentials,
  McpCredentialStore,
  McpLaunch,
} from '../../../../../src/features/mcp/core/mcpConnection';
import type { McpServerPlan, McpSignIn } from '../../../../../src/features/mcp/core/mcpServer';
import { McpServers } from '../../../../../src/features/mcp/core/mcpServers';
import { inheritedEnvironment } from '../../../../../src/features/mcp/core/serverPlan';
import type { AnyTool, ToolCallContext, ToolOutput } from '../../../../../src/tools/tool';
import { aToolCall } from '../../../../support/toolCalls';

const load = createRequire(import.meta.url);

/** The program of one of the reference servers. */
export function referenceServer(name: 'everything' | 'filesystem' | 'memory'): string {
  return join(dirname(load.resolve(`@modelcontextprotocol/server-${name}/package.json`)), 'dist', 'index.js');
}

export function nodeLaunch(program: string, args: readonly string[] = [], env: Record<string, string> = {}): McpLaunch {
  return {
    kind: 'stdio',
    command: process.execPath,
    args: [program, ...args],
    environment: { ...inheritedEnvironment(process.env), ...env },
    folder: null,
    confined: null,
  };
}

export function planFor(name: string, launch: McpLaunch | (() => McpLaunch), fingerprint = 'one'): McpServerPlan {
  return {
    id: name,
    name,
    fingerprint,
    launch: async () => ({ kind: 'ready', launch: typeof launch === 'function' ? launch() : launch, secrets: [] }),
  };
}

export interface ServersInTest extends Disposable {
  readonly servers: McpServers;
  readonly lines: string[];
  tool(name: string): Promise<AnyTool>;
  /** Waits for servers that need longer than a turn would wait, as they may on a busy machine. */
  tools(): Promise<readonly AnyTool[]>;
  close(): Promise<void>;
}

/** A server that offers tools alone. */
export const onlyTools: Pick<McpConnection, 'listOffers' | 'getPrompt' | 'readResource' | 'complete' | 'expand'> = {
  listOffers: async () => ({ kind: 'ok', value: { prompts: [], resources: [], templates: [] } }),
  getPrompt: async () => ({ kind: 'ok', value: [] }),
  readResource: async () => ({ kind: 'ok', value: [] }),
  complete: async () => [],
  expand: () => null,
};

/** The user does not sign in anywhere. */
export const noSignIn: McpSignIn = {
  ask: async () => false,
  openPage: async () => undefined,
  run: async () => ({ kind: 'canceled' }),
};

/** Credentials that are kept in memory, by default none. */
export function credentialsInMemory(kept = new Map<string, McpCredentials>()): McpCredentialStore {
  return {
    read: async (server) => kept.get(server) ?? null,
    write: async (server, value) => void (value === null ? kept.delete(server) : kept.set(server, value)),
    exclusively: async (_server, work) => work(),
  };
}

/** The real client. */
export function testClient(
  credentials: McpCredentialStore = credentialsInMemory(),
  requestMs: number = 30_000,
): McpClient {
  const fetch: typeof globalThis.fetch = (...request) => globalThis.fetch(...request);
  return createMcpClient({ version: '0.0.0', translations: translations(), fetch, credentials, requestMs });
}

/** The real client and real processes. */
export function realServers(
  plans: readonly McpServerPlan[],
  roots: readonly { readonly uri: string; readonly name: string }[] = [],
): ServersInTest {
  const lines: string[] = [];
  const say = (line: string): void => void lines.push(line);
  const log: Log = { trace: say, info: say, warn: say, error: say };
  const { connect } = testClient();
  const servers = new McpServers({
    connect: async () => connect,
    signIn: noSignIn,
    roots: () => roots,
    clock: systemClock,
    log,
  });
  servers.use(plans);
  const tools = async (): Promise<readonly AnyTool[]> => {
    const { signal } = new AbortController();
    await servers.tools(signal);
    await Promise.all(servers.all.map((server) => server.ready(20_000, signal)));
    return servers.tools(signal);
  };
  return {
    servers,
    lines,
    tools,
    tool: async (name) => {
      const found = (await tools()).find((tool) => tool.name === name);
      if (found === undefined)
        throw new Error(
          `no tool ${name}; ${servers.all.map(({ state }) => JSON.stringify(state)).join()}; ${lines.join('\n')}`,
        );
      return found;
    },
    close: () => servers.close(),
    dispose: () => servers.dispose(),
  };
}

export async function runTool(
  tool: AnyTool,
  input: unknown,
  signal: AbortSignal = new AbortController().signal,
  call: Partial<ToolCallContext> = {},
): Promise<ToolOutput> {
  const bound = tool.bind(input);
  if (bound.kind === 'invalid') throw new Error(bound.problems.join('; '));
  return bound.run(signal, aToolCall(call));
}

export async function until(condition: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!condition()) {
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

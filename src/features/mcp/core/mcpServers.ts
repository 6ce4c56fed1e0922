import { t } from '../../../base/translate';
import { Emitter, type Disposable } from '../../../base/disposable';
import type { AnyTool } from '../../../tools/tool';
import { McpServer, type McpServerDeps, type McpServerPlan } from './mcpServer';
import { mcpTool, problemOf } from './mcpTool';
import { createHash } from 'node:crypto';

/** Longest name that every provider accepts. */
const longest = 64;
const markLength = 7;

/** Names of these tools for models: `mcp_<server>_<tool>`, unique, with characters that every provider accepts. A
 *  name that is too long or already taken ends in a hash of the real names. So it is the same in every turn. */
export function toolNames(tools: readonly { readonly server: string; readonly tool: string }[]): readonly string[] {
  const taken = new Set<string>();
  return tools.map(({ server, tool }) => {
    const plain = `mcp_${plainName(server)}_${plainName(tool)}`;
    let name = plain;
    // A server may list a tool twice, or one that is named like the hash of another.
    for (let count = 0; name.length > longest || taken.has(name); count++) {
      const hash = createHash('sha256').update(JSON.stringify([server, tool, ...(count === 0 ? [] : [count])]));
      name = `${plain.slice(0, longest - markLength)}_${hash.digest('hex').slice(0, markLength - 1)}`;
    }
    taken.add(name);
    return name;
  });
}

/** True when a tool of this server could have that name. */
function mayBeToolOf(server: string, name: string): boolean {
  return name.startsWith(`mcp_${plainName(server)}_`.slice(0, longest - markLength));
}

function plainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_-]+/g, '_');
}

/** Milliseconds that a turn waits for servers that start for the first time. */
const turnTimeoutMs = 5000;
/** Milliseconds for servers whose tools the turn is about to call: a call approved before a reload must not fail
 *  because a server is slow. */
const calledTimeoutMs = 30_000;
/** Milliseconds before a later turn retries an unreachable server, so that not every turn does. */
const tryAgainAfterMs = 60_000;

/** Milliseconds for the trial of a new server: its program may be downloaded first. */
const trialTimeoutMs = 120_000;

/** Result of a trial. `lines`: last log lines of the server, secrets masked. */
export type McpTrial =
  | { readonly kind: 'works'; readonly tools: number }
  | { readonly kind: 'failed'; readonly sentence: string; readonly lines: readonly string[] };

/** MCP servers of one window, shared by all its sessions. Allowed servers start when a turn first needs tools. */
export class McpServers implements Disposable {
  private servers: readonly McpServer[] = [];
  private readonly listening = new Map<McpServer, Disposable>();
  private readonly complaints = new Set<string>();
  private readonly changes = new Emitter<void>();
  readonly onDidChange = this.changes.event;

  constructor(private readonly deps: McpServerDeps & { readonly isOff?: (server: string, tool: string) => boolean }) {}

  get all(): readonly McpServer[] {
    return this.servers;
  }

  find(id: string): McpServer | null {
    return this.servers.find(({ plan }) => plan.id === id) ?? null;
  }

  /** Sets the servers that may run. A server with an unchanged definition keeps running; others stop. */
  use(plans: readonly McpServerPlan[]): void {
    const kept = plans.map(
      (plan) =>
        this.servers.find((server) => server.plan.id === plan.id && server.plan.fingerprint === plan.fingerprint) ??
        this.adopt(plan),
    );
    const left = this.servers.filter((server) => !kept.includes(server));
    this.servers = kept;
    for (const server of left) {
      this.listening.get(server)?.dispose();
      this.listening.delete(server);
      server.stop(false).catch(() => server.kill());
    }
    this.changes.fire();
  }

  /** Tools of the running servers, always in the same order. Starts servers that were not started yet and waits for
   *  them briefly; a late server offers its tools to the next turn. `called`: names of tools that the turn calls at
   *  once; waits longer for their servers. Rejects only when aborted. */
  async tools(signal: AbortSignal, called: readonly string[] = []): Promise<readonly AnyTool[]> {
    const now = this.startIdle();
    await Promise.all(
      this.servers.map((server) =>
        server.state.kind === 'starting'
          ? server.ready(server.state.since + timeoutWith(server, called) - now, signal)
          : undefined,
      ),
    );
    signal.throwIfAborted();
    return this.offered();
  }

  /** Starts servers that were not started yet, and waits for none. Returns the time: monotonic milliseconds. */
  startIdle(): number {
    const now = this.deps.clock.monotonicMs();
    for (const server of this.servers) if (mayStart(server, now)) server.start();
    return now;
  }

  /** Starts a server that is not one of them, counts its tools and stops it. Rejects only when aborted. */
  async trial(plan: McpServerPlan, signal: AbortSignal): Promise<McpTrial> {
    const server = new McpServer(plan, this.deps);
    try {
      server.start();
      await server.ready(trialTimeoutMs, signal);
      const wantsSignIn = server.state.kind === 'failed' && server.state.signIn;
      if (wantsSignIn) {
        const signedIn = await server.askToSignIn(signal);
        if (signedIn.kind === 'failed') return { ...signedIn, lines: [] };
        if (signedIn.kind === 'signedIn') await server.ready(trialTimeoutMs, signal);
      }
      const { state, tools, lastLines: lines } = server;
      if (state.kind === 'running') return { kind: 'works', tools: tools.length };
      return {
        kind: 'failed',
        sentence: 'sentence' in state ? state.sentence : t('It did not start in time.'),
        lines,
      };
    } finally {
      await server.stop(false);
    }
  }

  /** Names of servers that a turn stopped waiting for. */
  get late(): readonly string[] {
    const now = this.deps.clock.monotonicMs();
    return this.servers.flatMap(({ state, plan }) =>
      state.kind === 'starting' && now - state.since >= turnTimeoutMs ? [plan.name] : [],
    );
  }

  rootsChanged(): void {
    for (const server of this.servers) server.rootsChanged();
  }

  /** Stops all servers cleanly. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop(false)));
  }

  /** Kills all remaining servers at once. */
  dispose(): void {
    for (const server of this.servers) server.kill();
    for (const listening of this.listening.values()) listening.dispose();
    this.changes.dispose();
  }

  private offered(): readonly AnyTool[] {
    const listed = this.servers.flatMap((server) =>
      [...server.tools]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .flatMap((tool) => {
          if (this.deps.isOff?.(server.plan.id, tool.name) === true) return [];
          const problem = problemOf(tool);
          if (problem !== null)
            this.complain(`The tool ${tool.name} of the MCP server ${server.plan.name} is left out: ${problem}.`);
          return problem === null ? [{ server, tool }] : [];
        }),
    );
    const names = toolNames(listed.map(({ server, tool }) => ({ server: server.plan.name, tool: tool.name })));
    return listed.map(({ server, tool }, index) =>
      mcpTool(names[index] ?? tool.name, server, tool, this.deps.signIn.openPage),
    );
  }

  private complain(sentence: string): void {
    if (this.complaints.has(sentence)) return;
    this.complaints.add(sentence);
    this.deps.log.warn(sentence);
  }

  private adopt(plan: McpServerPlan): McpServer {
    const server = new McpServer(plan, this.deps);
    this.listening.set(
      server,
      server.onDidChange(() => this.changes.fire()),
    );
    return server;
  }
}

function timeoutWith({ plan }: McpServer, called: readonly string[]): number {
  return called.some((name) => mayBeToolOf(plan.name, name)) ? calledTimeoutMs : turnTimeoutMs;
}

function mayStart({ state }: McpServer, now: number): boolean {
  if (state.kind === 'stopped') return !state.byPerson;
  return state.kind === 'failed' && state.again && now - state.at >= tryAgainAfterMs;
}

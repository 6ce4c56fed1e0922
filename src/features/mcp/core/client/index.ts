import { systemClock } from '../../../../base/clock';
import { withinTime } from '../../../../base/pause';
import {
  Client,
  ProtocolError,
  SdkError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
  type JSONRPCMessage,
  type Progress,
} from '@modelcontextprotocol/client';
import { setTranslations, t } from '../../../../base/translate';
import type {
  ConnectMcp,
  CreateMcpClient,
  McpClientDeps,
  McpConnected,
  McpConnection,
  McpConnectionEvents,
  McpLaunch,
  McpRemoteLaunch,
} from '../mcpConnection';
import { readListedTool, readResult, readSchema, sentKey, sentObject } from './contentReading';
import { failureOf, httpStatusOf, wantsSignIn, wordsOf } from './failures';
import { offering } from './offers';
import { noTimeout, OpenCalls } from './openCalls';
import { SignIns } from './signIn';
import { StdioProcess } from './stdioProcess';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../../transcript/json';

type Fit = (sent: JsonObject) => JsonObject;
const fittings: ReadonlyMap<string, Fit> = new Map<string, Fit>([
  ['tools/list', (sent) => fittingList(sent, 'tools', ['name'])],
  ['prompts/list', (sent) => fittingList(sent, 'prompts', ['name'])],
  ['resources/list', (sent) => fittingList(sent, 'resources', ['name', 'uri'])],
  ['resources/templates/list', (sent) => fittingList(sent, 'resourceTemplates', ['name', 'uriTemplate'])],
  ['tools/call', (sent) => fittingAnswer(sent, 'content')],
  ['prompts/get', (sent) => fittingAnswer(sent, 'messages')],
  ['resources/read', (sent) => fittingAnswer(sent, 'contents')],
]);

/** Passes answers of any form on to the library, which refuses a list for one odd tool, and a result for one odd
 *  piece or for the server's own output schema. The library gets an answer that fits; `sentObject` returns what was
 *  sent. */
function tolerant<T extends Transport>(transport: T): T {
  // Some servers send our ids back as text.
  const methods = new Map<string, string>();
  const send = transport.send.bind(transport);
  let listener: Transport['onmessage'];
  const take: NonNullable<Transport['onmessage']> = (message, extra) => listener?.(fitting(message, methods), extra);
  transport.send = (message, options) => {
    for (const each of [message].flat())
      if ('method' in each && 'id' in each && fittings.has(each.method)) methods.set(String(each.id), each.method);
    return send(message, options);
  };
  return Object.defineProperty(transport, 'onmessage', {
    get: () => (listener === undefined ? undefined : take),
    set: (given: Transport['onmessage']) => (listener = given),
  });
}

function fitting(message: JSONRPCMessage, methods: Map<string, string>): JSONRPCMessage {
  if (!('result' in message)) return message;
  const id = String(message.id);
  const fit = fittings.get(methods.get(id) ?? '');
  methods.delete(id);
  const result: unknown = message.result;
  return fit === undefined || !isJsonObject(result) ? message : { ...message, result: fit(result) };
}

/** What the server asks for in between has a form of its own. */
function fittingAnswer(sent: JsonObject, key: string): JsonObject {
  return sent['resultType'] === 'input_required' ? sent : { ...withMeta(sent, sent), [key]: [] };
}

/** Leaves out entries without these texts: a tool without a name cannot be called. */
function fittingList(sent: JsonObject, key: string, needed: readonly string[]): JsonObject {
  const entries = (Array.isArray(sent[key]) ? sent[key] : [])
    .filter(isJsonObject)
    .filter((entry) => needed.every((name) => typeof entry[name] === 'string' && entry[name] !== ''));
  return {
    ...withMeta(sent),
    ...(typeof sent['nextCursor'] === 'string' ? { nextCursor: sent['nextCursor'] } : {}),
    [key]: entries.map((entry) => ({
      ...Object.fromEntries(needed.map((name) => [name, entry[name] ?? null])),
      ...(key === 'tools' ? { inputSchema: fittingSchema(entry['inputSchema']) } : {}),
      ...withMeta({}, entry),
    })),
  };
}

/** The library reads headers from the properties. It has no use for the rest. */
function fittingSchema(schema: JsonValue | undefined): JsonObject {
  const properties = readSchema(schema)?.['properties'];
  return { type: 'object', ...(isJsonObject(properties) ? { properties } : {}) };
}

function withMeta(sent: JsonObject, carried?: JsonObject): JsonObject {
  const { _meta: meta, resultType, ttlMs, cacheScope } = sent;
  return {
    // Revision 2026-07-28 requires these. We keep no list longer than its connection.
    ...(resultType === undefined ? {} : { resultType, ttlMs: ttlMs ?? 0, cacheScope: cacheScope ?? 'private' }),
    _meta: { ...(isJsonObject(meta) ? meta : {}), ...(carried === undefined ? {} : { [sentKey]: carried }) },
  };
}

/** Most pages of a tool list: a server with endless pages must not block a turn. */
const mostPages = 100;

/** Milliseconds for a server to answer a ping. */
const probeMs = 5000;
const lastWordsMs = 1000;
const listenAgainMs = 1000;

type ConnectOptions = Parameters<ConnectMcp>[2];
type Negotiation = 'legacy' | 'auto';
interface Route {
  readonly transport: Transport;
  readonly process: StdioProcess | null;
  /** Null for a program. */
  readonly address: URL | null;
}

/** Implements our port with the official client. */
export const createMcpClient: CreateMcpClient = (deps) => {
  setTranslations(deps.translations);
  const signIns = new SignIns(deps);
  return {
    connect: (launch, events, options) => connect(launch, events, options, { ...deps, signIns }),
    signInHost: (server, signal) => signIns.pageHost(server, signal),
    signIn: (server, ways, signal) => signIns.signIn(server, ways, signal),
  };
};

type ClientParts = McpClientDeps & { readonly signIns: SignIns };

async function connect(
  launch: McpLaunch,
  events: McpConnectionEvents,
  options: ConnectOptions,
  parts: ClientParts,
): Promise<McpConnected> {
  if (launch.kind === 'stdio') {
    // Sending the newer handshake to an older server can end it, so try the newer one only after the older one is
    // refused.
    const first = await attempt(processRoute(launch, events), 'legacy', events, options, parts);
    return first.isRefused === true ? attempt(processRoute(launch, events), 'auto', events, options, parts) : first;
  }
  const address = parseAddress(launch.url);
  if (address === null)
    return {
      kind: 'failed',
      sentence: t('{address} is not a web address.', { address: launch.url }),
      again: false,
      signIn: false,
    };
  const overSse = (): Promise<Attempt> =>
    attempt(remoteRoute(SSEClientTransport, address, launch, parts), 'legacy', events, options, parts);
  if (launch.kind === 'sse') return overSse();
  const route = remoteRoute(StreamableHTTPClientTransport, address, launch, parts);
  const first = await attempt(route, 'auto', events, options, parts);
  if (![400, 404, 405].includes(first.status ?? 0)) return first;
  const second = await overSse();
  return second.kind === 'connected' ? second : first;
}

/** `isRefused`: the program did not take the handshake. `status`: of an answer over HTTP. */
type Attempt = McpConnected & { readonly isRefused?: boolean; readonly status?: number | null };

async function attempt(
  route: Route,
  mode: Negotiation,
  events: McpConnectionEvents,
  { signal, timeoutMs }: ConnectOptions,
  deps: ClientParts,
): Promise<Attempt> {
  const calls = new OpenCalls();
  const client = new Client(
    { name: 'hermes-vscode', version: deps.version },
    {
      capabilities: { roots: { listChanged: true }, elicitation: { form: {}, url: {} } },
      versionNegotiation: { mode },
      listMaxPages: mostPages,
      // Only emit an event; the subscriber reads the list again.
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 200, onChanged: () => events.onToolsChanged() },
        prompts: { autoRefresh: false, debounceMs: 200, onChanged: () => events.onOffersChanged() },
        resources: { autoRefresh: false, debounceMs: 200, onChanged: () => events.onOffersChanged() },
      },
    },
  );
  client.setRequestHandler('roots/list', () => ({ roots: events.roots().map(({ uri, name }) => ({ uri, name })) }));
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    const answered = await calls.ask(params, mcpReq.signal);
    if (answered.action !== 'accept') return { action: answered.action };
    return { action: 'accept', ...(answered.content === undefined ? {} : { content: { ...answered.content } }) };
  });
  client.setNotificationHandler('notifications/resources/updated', ({ params }) =>
    events.onResourceUpdated(params.uri),
  );
  client.setNotificationHandler('notifications/message', ({ params }) =>
    events.onLogLine(`${params.level}: ${typeof params.data === 'string' ? params.data : JSON.stringify(params.data)}`),
  );
  try {
    await client.connect(route.transport, { signal, timeout: timeoutMs });
  } catch (error) {
    const ending = route.process?.ending ?? null;
    await client.close().catch(() => undefined);
    await route.transport.close().catch(() => undefined);
    if (route.address !== null) deps.signIns.note(route.address, error);
    const status = httpStatusOf(error);
    const sentence =
      ending === null ? wordsOf(error) : t('The program ended {how} before it was ready.', { how: ending });
    const isRefused = error instanceof ProtocolError;
    const [again, signIn] = [mayWorkLater(error, status), wantsSignIn(error)];
    return { kind: 'failed', sentence, again, signIn, isRefused, status };
  }
  return { kind: 'connected', connection: connectionOf(client, route, events, { ...deps, calls }) };
}

function connectionOf(
  client: Client,
  { transport, process, address }: Route,
  events: McpConnectionEvents,
  { signIns, calls }: ClientParts & { readonly calls: OpenCalls },
): McpConnection {
  let closing = false;
  client.onclose = () => {
    const ending = process?.ending ?? null;
    if (!closing)
      events.onClosed(
        ending === null ? t('The connection was closed.') : t('The program ended {how}.', { how: ending }),
      );
  };
  let isProbing = false;
  // Revision 2026-07-28 has neither pings nor roots that change, and reports changes of lists in a stream of its own.
  const isModern = client.getProtocolEra() === 'modern';
  followLists(client, events, () => closing).catch(() => undefined);
  // Over HTTP no event reports that a server is gone. A call whose response was being received would wait until its
  // timeout, so ask the server for a sign of life.
  const probe = async (): Promise<void> => {
    if (process !== null || closing || isProbing) return;
    isProbing = true;
    const asked = isModern ? client.discover({ timeout: probeMs }) : client.ping({ timeout: probeMs });
    const failure = await asked.then(
      () => null,
      (error: unknown) => failureOf(error, null),
    );
    // Calls that were just sent fail on their own meanwhile, and know better if the server ran them.
    if (failure?.cause === 'lost') await new Promise((resolve) => setTimeout(resolve, lastWordsMs));
    isProbing = false;
    if (failure?.cause === 'lost' || failure?.cause === 'timeout') await client.close().catch(() => undefined);
  };
  client.onerror = (error) => {
    events.onLogLine(`(connection) ${wordsOf(error)}`);
    // The next call finds out what the probe could not.
    probe().catch(() => undefined);
  };
  const failed = (error: unknown, signal: AbortSignal) => {
    if (signal.aborted) throw signal.reason;
    if (address !== null) signIns.note(address, error);
    return failureOf(error, process?.ending ?? null);
  };
  return {
    listTools: async (signal) => {
      try {
        const { tools } = await client.listTools(undefined, { signal, cacheMode: 'refresh' });
        return { kind: 'ok', value: tools.map((tool) => readListedTool(sentObject(tool))) };
      } catch (error) {
        return failed(error, signal);
      }
    },
    callTool: async (name, args, options) => {
      const { signal: stop, onProgress } = options;
      try {
        const result = await calls.run(options, (signal, heard) => {
          const onprogress = ({ progress, total, message }: Progress): void => {
            heard();
            onProgress(message ?? (total === undefined ? `${progress}` : `${progress} / ${total}`));
          };
          return client.callTool({ name, arguments: { ...args } }, { signal, timeout: noTimeout, onprogress });
        });
        return { kind: 'ok', value: readResult(sentObject(result)) };
      } catch (error) {
        return failed(error, stop);
      }
    },
    ...offering(client, failed),
    rootsChanged: () => {
      if (isModern) return;
      client.sendRootsListChanged().catch((error: unknown) => events.onLogLine(`(connection) ${wordsOf(error)}`));
    },
    close: async () => {
      closing = true;
      if (transport instanceof StreamableHTTPClientTransport) {
        const ended = transport.terminateSession().catch(() => undefined);
        await withinTime(systemClock, 1000, ended);
      }
      await client.close().catch(() => undefined);
    },
    kill: () => {
      closing = true;
      process?.kill();
    },
  };
}

/** Opens the stream of changes again when the server ends it, and takes every list as changed then. */
async function followLists(client: Client, events: McpConnectionEvents, isClosing: () => boolean): Promise<void> {
  let stream = client.autoOpenedSubscription;
  while (stream !== undefined) {
    await stream.closed;
    await new Promise((resolve) => setTimeout(resolve, listenAgainMs));
    if (isClosing()) return;
    stream = await client.listen(stream.honoredFilter);
    events.onToolsChanged();
    events.onOffersChanged();
  }
}

function processRoute(launch: McpLaunch & { readonly kind: 'stdio' }, events: McpConnectionEvents): Route {
  const process = new StdioProcess(launch, (line) => events.onLogLine(line));
  return { transport: tolerant(process), process, address: null };
}

function remoteRoute(
  Remote: typeof StreamableHTTPClientTransport | typeof SSEClientTransport,
  address: URL,
  launch: McpRemoteLaunch,
  { fetch, signIns }: ClientParts,
): Route {
  const authProvider = signIns.providerFor(address, launch);
  const requestInit = { headers: { ...launch.headers } };
  const transport = new Remote(address, {
    fetch,
    requestInit,
    ...(authProvider === undefined ? {} : { authProvider }),
  });
  return { transport: tolerant(transport), process: null, address };
}

function parseAddress(text: string): URL | null {
  const address = URL.canParse(text) ? new URL(text) : null;
  return address !== null && ['http:', 'https:'].includes(address.protocol) ? address : null;
}

/** True when another try may succeed. A missing program, or a server that refuses, gives the same result a second
 *  later. */
function mayWorkLater(error: unknown, status: number | null): boolean {
  if (error instanceof ProtocolError || wantsSignIn(error)) return false;
  if (status !== null) return status === 408 || status === 429 || status >= 500;
  return (
    error instanceof SdkError ||
    !(error instanceof Error && 'syscall' in error && String(error.syscall).startsWith('spawn'))
  );
}

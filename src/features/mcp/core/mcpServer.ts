import { withinTime } from '../../../base/pause';
import { t } from '../../../base/translate';
import type { Clock } from '../../../base/clock';
import { Emitter } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { errorMessage } from '../../../base/errorMessage';
import { maskSecrets, withoutSecrets } from '../../../models/secrecy/secrecy';
import type { JsonObject } from '../../../transcript/json';
import type {
  ConnectMcp,
  McpAnswer,
  McpCallOptions,
  McpConnection,
  McpConnectionEvents,
  McpContent,
  McpLaunch,
  McpListedTool,
  McpOffers,
  McpRemoteLaunch,
  McpResult,
  McpSignedIn,
} from './mcpConnection';

/** Start data of a server. `launch` is called for every start, since variables may have changed. */
export interface McpServerPlan {
  /** Unique among the servers of the window. */
  readonly id: string;
  readonly name: string;
  /** Changes when the definition changes. */
  readonly fingerprint: string;
  /** Fills in missing values, and asks the user if necessary. `secrets` are kept out of the log. */
  readonly launch: (
    signal: AbortSignal,
  ) => Promise<
    | { readonly kind: 'ready'; readonly launch: McpLaunch; readonly secrets: readonly string[] }
    | { readonly kind: 'failed'; readonly sentence: string }
  >;
}

type McpServerState =
  | { readonly kind: 'stopped'; readonly byPerson: boolean }
  /** `since`: monotonic milliseconds. */
  | { readonly kind: 'starting'; readonly since: number }
  | { readonly kind: 'running' }
  /** The connection is lost and will be tried again. */
  | { readonly kind: 'waiting'; readonly attempt: number; readonly sentence: string }
  /** `again`: a later turn may try again. `signIn`: it starts once the user has signed in. `at`: monotonic
   *  milliseconds. */
  | {
      readonly kind: 'failed';
      readonly sentence: string;
      readonly again: boolean;
      readonly signIn: boolean;
      readonly at: number;
    };

export interface McpServerDeps {
  readonly connect: () => Promise<ConnectMcp>;
  readonly signIn: McpSignIn;
  readonly roots: McpConnectionEvents['roots'];
  readonly clock: Clock;
  readonly log: Log;
}

/** Sign-in to a server that is reached over HTTP. */
export interface McpSignIn {
  /** Asks the user whether to sign in now. Rejects only when aborted. */
  ask(server: string, launch: McpRemoteLaunch, signal: AbortSignal): Promise<boolean>;
  /** Opens a web page that the user agreed to. */
  openPage(url: string): Promise<void>;
  /** Signs in through the browser. Rejects only when aborted. */
  run(server: string, launch: McpRemoteLaunch, signal: AbortSignal): Promise<McpSignedIn>;
}

const reconnectDelaysMs = [1000, 2000, 4000, 8000, 16_000] as const;
/** Milliseconds after which a running server counts as stable, and its attempts count from zero again. */
const wellAfterMs = 60_000;
/** Milliseconds. Programs that are downloaded at their first start (npx, uvx, docker) take time. */
const startTimeoutMs = 120_000;
const listTimeoutMs = 30_000;
const mostChanged = 1000;
const nothingOffered: McpOffers = { prompts: [], resources: [], templates: [] };
/** Log lines of a server: kept for its failure, and logged per start. */
const keptLines = 8;
const loggedLines = 500;

/** Life cycle of one server: starts it when needed, reconnects when it is lost, and stops all of its processes. */
export class McpServer {
  private now: McpServerState = { kind: 'stopped', byPerson: false };
  private listed: readonly McpListedTool[] = [];
  private offered = nothingOffered;
  private readonly changedUris = new Set<string>();
  private connection: McpConnection | null = null;
  private lifetime = new AbortController();
  private attempts = 0;
  private startedAt = 0;
  private cancelTimer: () => void = () => undefined;
  private tail: string[] = [];
  private stoppedActions: readonly string[] = [];
  private asking: Promise<McpSignedIn> | null = null;
  /** Masks text that must not be logged, shown, or sent to a model. */
  private mask: (text: string) => string = maskSecrets;
  private readonly changes = new Emitter<void>();
  readonly onDidChange = this.changes.event;

  constructor(
    readonly plan: McpServerPlan,
    private readonly deps: McpServerDeps,
  ) {}

  get state(): McpServerState {
    return this.now;
  }

  /** Tools from the last list. Kept during a reconnect, so that the tool set stays stable. */
  get tools(): readonly McpListedTool[] {
    return this.now.kind === 'running' || this.now.kind === 'waiting' || this.now.kind === 'starting'
      ? this.listed
      : [];
  }

  /** Prompts and resources from the last list. Listed only after the tools: empty until then, and while it is lost. */
  get offers(): McpOffers {
    return this.now.kind === 'running' ? this.offered : nothingOffered;
  }

  /** True when the server has reported a change of the resource since it was last read. */
  hasChanged(uri: string): boolean {
    return this.changedUris.has(uri);
  }

  /** Last log lines of the server, secrets masked. */
  get lastLines(): readonly string[] {
    return this.tail;
  }

  /** Actions that the sandbox blocked since the last start: "connect to example.com". */
  get stoppedBySandbox(): readonly string[] {
    return this.stoppedActions;
  }

  /** Does nothing when it is running or starting. */
  start(): void {
    if (this.now.kind === 'running' || this.now.kind === 'starting') return;
    this.cancelTimer();
    if (this.now.kind !== 'waiting') this.attempts = 0;
    this.begin();
  }

  /** Stops the server and every process of it. */
  async stop(byPerson: boolean): Promise<void> {
    const { connection } = this;
    this.disconnect();
    this.listed = [];
    this.become({ kind: 'stopped', byPerson });
    await connection?.close();
  }

  /** Kills the server at once. */
  kill(): void {
    const { connection } = this;
    this.disconnect();
    connection?.kill();
  }

  rootsChanged(): void {
    this.connection?.rootsChanged();
  }

  /** Resolves when the server is no longer starting, at the latest after `timeoutMs`. Reconnects a lost server at
   *  once. */
  async ready(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (this.now.kind === 'waiting') this.start();
    if (this.now.kind !== 'starting' || timeoutMs <= 0) return;
    let started = (): void => undefined;
    const listening = this.changes.event(() => (this.now.kind === 'starting' ? undefined : started()));
    await withinTime(this.deps.clock, timeoutMs, new Promise<void>((resolve) => (started = resolve)), signal);
    listening.dispose();
    signal.throwIfAborted();
  }

  /** Rejects only when aborted. */
  call(tool: string, args: JsonObject, options: McpCallOptions, timeoutMs: number): Promise<McpAnswer<McpResult>> {
    return this.request((connection) => connection.callTool(tool, args, options), options, timeoutMs);
  }

  /** Rejects only when aborted. */
  readResource(uri: string, signal: AbortSignal, timeoutMs: number): Promise<McpAnswer<readonly McpContent[]>> {
    this.changedUris.delete(uri);
    return this.request((connection) => connection.readResource(uri, signal), { signal }, timeoutMs);
  }

  /** Sends a request as soon as the server runs, at the latest after `timeoutMs`. Rejects only when aborted. Retries
   *  once if the connection was lost and the server certainly did not run it. */
  async request<T>(
    send: (connection: McpConnection) => Promise<McpAnswer<T>>,
    options: Pick<McpCallOptions, 'signal'> & Partial<Pick<McpCallOptions, 'onProgress'>>,
    timeoutMs: number,
  ): Promise<McpAnswer<T>> {
    for (let attempt = 1; ; attempt++) {
      await this.ready(timeoutMs, options.signal);
      const { connection } = this;
      if (this.now.kind !== 'running' || connection === null)
        return { kind: 'failed', cause: 'lost', sentence: this.whyNotRunning(), mayHaveRun: false };
      const answer = await send(connection);
      if (answer.kind === 'ok') return answer;
      const failure = { ...answer, sentence: this.mask(answer.sentence) };
      if (answer.cause === 'signIn' && attempt === 1 && this.connection === connection) {
        options.onProgress?.(t('Waiting for you to sign in…'));
        const outcome = await this.askToSignIn(options.signal);
        if (outcome.kind === 'signedIn') continue;
        const sentence = outcome.kind === 'failed' ? outcome.sentence : answer.sentence;
        this.failed(sentence, false, true);
        await connection.close();
        return { ...failure, sentence: this.mask(sentence) };
      }
      if (answer.cause !== 'lost') return failure;
      this.lost(connection, answer.sentence);
      if (answer.mayHaveRun || attempt > 1) return failure;
    }
  }

  /** Signs in through the browser, and starts the server if it does not run. Rejects only when aborted. */
  signIn(signal: AbortSignal): Promise<McpSignedIn> {
    return this.signInIf(async () => true, signal);
  }

  /** Asks once for all that wait for it whether to sign in, and does. Rejects when the one that asked is aborted. */
  askToSignIn(signal: AbortSignal): Promise<McpSignedIn> {
    const { signIn } = this.deps;
    const wants = (launch: McpRemoteLaunch): Promise<boolean> => signIn.ask(this.plan.name, launch, signal);
    return (this.asking ??= this.signInIf(wants, signal).finally(() => (this.asking = null)));
  }

  private async signInIf(
    wants: (launch: McpRemoteLaunch) => Promise<boolean>,
    signal: AbortSignal,
  ): Promise<McpSignedIn> {
    const planned = await this.plan.launch(signal);
    if (planned.kind === 'failed') return planned;
    if (planned.launch.kind === 'stdio' || !(await wants(planned.launch))) return { kind: 'canceled' };
    const outcome = await this.deps.signIn.run(this.plan.name, planned.launch, signal);
    if (outcome.kind === 'signedIn') this.start();
    return outcome;
  }

  private begin(): void {
    this.lifetime = new AbortController();
    const { signal } = this.lifetime;
    this.startedAt = this.deps.clock.monotonicMs();
    this.offered = nothingOffered;
    this.tail = [];
    this.stoppedActions = [];
    this.become({ kind: 'starting', since: this.startedAt });
    this.run(signal).catch((error: unknown) => (signal.aborted ? undefined : this.failed(errorMessage(error), false)));
  }

  private async run(signal: AbortSignal): Promise<void> {
    const planned = await this.plan.launch(signal);
    signal.throwIfAborted();
    if (planned.kind === 'failed') return this.failed(planned.sentence, false);
    const connect = await this.deps.connect();
    signal.throwIfAborted();
    this.mask = (text) => planned.secrets.reduce((rest, secret) => withoutSecrets(rest, secret), maskSecrets(text));
    const connected = await connect(planned.launch, this.events(signal), { signal, timeoutMs: startTimeoutMs });
    if (connected.kind === 'failed')
      return signal.aborted ? undefined : this.unreachable(connected.sentence, connected.again, connected.signIn);
    const { connection } = connected;
    if (signal.aborted) return connection.close();
    this.connection = connection;
    const answer = await this.list(connection, signal);
    if (signal.aborted) return;
    if (answer.kind === 'failed') {
      this.disconnect();
      connection.close().catch(() => undefined);
      return this.unreachable(
        t('Its tools could not be listed: {reason}', { reason: answer.sentence }),
        answer.cause === 'lost',
        answer.cause === 'signIn',
      );
    }
    this.deps.log.info(`The MCP server ${this.plan.name} is running and offers ${answer.value.length} tools.`);
    this.become({ kind: 'running' });
    await this.listOffers(signal);
  }

  private async listOffers(signal: AbortSignal): Promise<void> {
    const answer = await this.connection?.listOffers(signal);
    if (answer === undefined || signal.aborted) return;
    if (answer.kind === 'failed')
      return this.deps.log.warn(
        `The prompts and resources of the MCP server ${this.plan.name} could not be listed: ${answer.sentence}`,
      );
    this.offered = answer.value;
    this.changes.fire();
  }

  private async list(connection: McpConnection, signal: AbortSignal): Promise<McpAnswer<readonly McpListedTool[]>> {
    const limit = new AbortController();
    const cancel = this.deps.clock.after(listTimeoutMs, () => limit.abort());
    try {
      const answer = await connection.listTools(AbortSignal.any([signal, limit.signal]));
      if (answer.kind === 'ok') this.listed = answer.value;
      return answer;
    } catch (error) {
      if (signal.aborted) throw error;
      return { kind: 'failed', cause: 'timeout', sentence: t('The server did not answer in time.'), mayHaveRun: false };
    } finally {
      cancel();
    }
  }

  private events(signal: AbortSignal): McpConnectionEvents {
    let lines = 0;
    return {
      roots: this.deps.roots,
      onClosed: (how) => (signal.aborted || this.connection === null ? undefined : this.lost(this.connection, how)),
      onToolsChanged: () => {
        this.listAgain(signal).catch((error: unknown) => this.deps.log.warn(errorMessage(error)));
      },
      onOffersChanged: () => {
        this.listOffers(signal).catch(() => undefined);
      },
      onResourceUpdated: (uri) => {
        if (!signal.aborted && this.changedUris.size < mostChanged) this.changedUris.add(uri);
      },
      onStopped: (stopped) => {
        const masked = stopped.map(this.mask);
        this.stoppedActions = [...this.stoppedActions, ...masked];
        this.deps.log.warn(`The sandbox kept the MCP server ${this.plan.name} from this: ${masked.join('; ')}.`);
        this.changes.fire();
      },
      onLogLine: (line) => {
        const masked = this.mask(line);
        this.tail = [...this.tail, masked].slice(-keptLines);
        if (lines++ < loggedLines) this.deps.log.info(`[${this.plan.name}] ${masked}`);
        else if (lines === loggedLines + 1)
          this.deps.log.info(`[${this.plan.name}] writes much; what follows is not logged.`);
      },
    };
  }

  private async listAgain(signal: AbortSignal): Promise<void> {
    const { connection } = this;
    if (connection === null || this.now.kind !== 'running') return;
    const answer = await this.list(connection, signal).catch(() => null);
    if (answer === null || signal.aborted) return;
    if (answer.kind === 'failed')
      this.deps.log.warn(
        `The MCP server ${this.plan.name} has other tools now, which could not be listed: ${answer.sentence}`,
      );
    else this.changes.fire();
  }

  /** Handles the loss of the connection that was used. */
  private lost(connection: McpConnection, sentence: string): void {
    if (this.connection !== connection) return;
    if (this.deps.clock.monotonicMs() - this.startedAt > wellAfterMs) this.attempts = 0;
    this.disconnect();
    connection.close().catch(() => undefined);
    this.unreachable(sentence, true);
  }

  private unreachable(how: string, again: boolean, signIn = false): void {
    const sentence = this.mask(how);
    const delay = again ? reconnectDelaysMs[this.attempts] : undefined;
    if (delay === undefined) return this.failed(sentence, again, signIn);
    this.attempts++;
    this.deps.log.warn(`The MCP server ${this.plan.name} is tried again in ${delay / 1000} s: ${sentence}`);
    this.cancelTimer = this.deps.clock.after(delay, () => this.begin());
    this.become({ kind: 'waiting', attempt: this.attempts, sentence });
  }

  private failed(why: string, again: boolean, signIn = false): void {
    const sentence = this.mask(why);
    this.disconnect();
    this.listed = [];
    this.deps.log.warn(`The MCP server ${this.plan.name} is not running: ${sentence}`);
    this.become({ kind: 'failed', sentence, again, signIn, at: this.deps.clock.monotonicMs() });
  }

  private disconnect(): void {
    this.cancelTimer();
    this.lifetime.abort();
    this.connection = null;
  }

  private whyNotRunning(): string {
    if (this.now.kind === 'failed' || this.now.kind === 'waiting') return this.now.sentence;
    return this.now.kind === 'starting' ? t('It is still being started.') : t('It was stopped.');
  }

  private become(state: McpServerState): void {
    this.now = state;
    this.changes.fire();
  }
}

import { cpSync, renameSync, rmSync } from 'node:fs';
import { Gateway } from '../../src/gateway/conversationGateway';
import type { GatewayServices } from '../../src/gateway/gatewayServices';
import * as path from 'node:path';
import { Agent, type AgentDeps, type TurnAgent } from '../../src/agent/agent';
import type { ContextEngine } from '../../src/agent/compression/contextEngine';
import type { ProjectContext } from '../../src/agent/project/projectContext';
import type { RecordingDeps } from '../../src/agent/recordedTurn';
import { systemPrompt } from '../../src/agent/systemPrompt';
import { type Clock, systemClock } from '../../src/base/clock';
import { idsFrom } from '../../src/base/ids';
import type { Log } from '../../src/base/log';
import type { BusyMode, SubmitReceipt } from '../../src/gateway/gateway';
import type { MemoryProvider } from '../../src/memory/memoryProvider';
import type { ChatModel } from '../../src/models/chatModel';
import { httpChatModel } from '../../src/models/catalog/endpointProvider';
import { createTransports } from '../../src/models/providers/index';
import { loopbackPolicy, type RequestPolicy } from '../../src/models/http/requestRunner';
import type { SqlRow } from '../../src/store/engine/sqlDatabase';
import type { SessionStore } from '../../src/store/session/sessionStore';
import { StoreError } from '../../src/store/storeError';
import { StoreCalls } from '../../src/store/ownership/storeCalls';
import { readOnlyTools } from '../../src/tools/readOnlyTools';
import type { ApprovalPolicy } from '../../src/tools/approval/approvalPolicy';
import type { AnyTool } from '../../src/tools/tool';
import { ToolRegistry } from '../../src/tools/toolRegistry';
import type { Mode } from '../../src/transcript/approval';
import type { Message } from '../../src/transcript/message';
import type { ReasoningEffort } from '../../src/transcript/session';
import { modelInfo } from './builders/chatModel';
import { FolderOnDisk } from './folderOnDisk';
import { memoryOf } from './memoryOf';
import { type ModelServer, startModelServer } from './modelServer';
import { quickFolder } from './quickFolder';
import { RecordingMemory } from './recordingMemory';
import { RecordingSurface } from './recordingSurface';
import { openWorldStore, type WorldStore } from './worldStore';
import { cautiousPolicy } from './cautiousPolicy';

/** What a full disk says. */
export const full = new StoreError('full', 'The disk is full. Free some space.', 'database or disk is full');

export interface WorldOptions {
  readonly protocol?: 'openai' | 'anthropic';
  readonly clock?: Clock;
  /** The model of new sessions; null: none was chosen. */
  readonly defaultModel?: string | null;
  readonly maxIterations?: number;
  /** False: a broken answer is not continued by itself. */
  readonly continuesBroken?: boolean;
  /** The setting `hermes.busyInput`. */
  readonly busyMode?: BusyMode;
  /** Tokens the model says it takes; without it it does not say. */
  readonly contextWindow?: number;
  /** The setting `hermes.compression.model`. */
  readonly summaryModel?: string;
  /** What differs from how requests to this machine are usually made: pauses before a second attempt, patience with silence. */
  readonly policy?: Partial<RequestPolicy>;
  readonly memory?: (log: string[]) => readonly MemoryProvider[];
  /** In place of the compressor that comes along. */
  readonly contextEngine?: ContextEngine;
  /** What the open folder says to agents. */
  readonly project?: () => ProjectContext;
  /** Hooks of the folder and the user. */
  readonly hooks?: AgentDeps['hooks'];
  /** How long a turn waits for recall; two seconds where it is not said. */
  readonly recallTimeoutMs?: number;
  /** Tools beside those that only read. */
  readonly tools?: readonly AnyTool[];
  /** Tools that come and go, asked for every turn. */
  readonly moreTools?: AgentDeps['moreTools'];
  /** The setting `hermes.reasoningEffort`. */
  readonly effort?: ReasoningEffort;
  /** The setting `hermes.mode`. */
  readonly mode?: Mode;
  readonly approvals?: ApprovalPolicy;
  /** The setting `hermes.sessionTitles`. Default: prompt, so that scripts expect no request for a title. */
  readonly sessionTitles?: 'model' | 'prompt';
  /** The setting `hermes.spendingLimit`. Default: none. */
  readonly spendingLimit?: number;
  /** Runs before a prompt opens a turn, as another machine's changes do. */
  readonly beforeTurn?: (conversationId: string) => Promise<void>;
  /** Agents of other makers: gives the one that answers this model, or undefined for our own. */
  readonly hosted?: (model: string, parts: RecordingDeps) => TurnAgent | undefined;
  /** Models that the service has. Default: test-model. */
  readonly models?: readonly string[];
  /** What files for agents ask for. */
  readonly modelOfFile?: GatewayServices['modelOfFile'];
  /** Replaces the model behind the server, where it gives one. */
  readonly openModel?: (ref: string) => Promise<ChatModel> | undefined;
}

/** The whole product but its editor: the real gateway, a real store in a temporary folder, real HTTP to the strict model server, surfaces and
 *  a memory provider that write down what they are told. Behaviour tests use nothing else. */
export class World {
  readonly memoryLog: string[] = [];
  readonly logLines: string[] = [];
  /** What the log has at its finest level. */
  readonly traceLines: string[] = [];
  /** Models that were saved as those of new sessions. */
  readonly savedModels: string[] = [];
  /** In front of the store. */
  calls: StoreCalls<WorldStore>;
  private handle: { readonly calls: StoreCalls<WorldStore>; readonly store: SessionStore } | null = null;
  private surfaces = 0;
  private uids = 0;

  private constructor(
    readonly server: ModelServer,
    readonly home: string,
    private readonly options: WorldOptions,
    private worldStore: WorldStore,
    private current: Gateway | null,
  ) {
    this.calls = this.callsOf(worldStore);
  }

  static async create(options: WorldOptions = {}): Promise<World> {
    const home = quickFolder('hermes-world-');
    const clock = options.clock ?? systemClock;
    const world = new World(
      await startModelServer({ models: options.models ?? ['test-model'] }),
      home,
      options,
      await openWorldStore(path.join(home, 'store'), () => clock.now()),
      null,
    );
    world.current = world.createGateway();
    return world;
  }

  get gateway(): Gateway {
    if (this.current === null) throw new Error('the world is closed');
    return this.current;
  }

  get store(): SessionStore {
    // The same object for a life of the process, as that of a window.
    const { calls, worldStore } = this;
    const close = (): Promise<void> => worldStore.store.close();
    if (this.handle?.calls !== calls) this.handle = { calls, store: { ...calls.operations, close } };
    return this.handle.store;
  }

  /** Makes calls of the store fail, as a full disk would, until the function returned is called. */
  breakStore(error: (method: string) => Error | null): () => void {
    this.worldStore.beforeCall = (method) => {
      const failure = error(method);
      if (failure !== null) throw failure;
    };
    return () => {
      this.worldStore.beforeCall = () => undefined;
    };
  }

  /** Makes these methods of the store fail until the function returned is called. */
  failing(methods: readonly string[], error: Error = full): () => void {
    return this.breakStore((method) => (methods.includes(method) ? error : null));
  }

  /** Makes the next `times` calls of a method do their work and fail all the same. */
  failAfter(method: string, times: number, error: Error): void {
    let left = times;
    this.worldStore.afterCall = (called) => {
      if (called === method && left-- > 0) throw error;
    };
  }

  /** Holds the next call of a method until it is released: before it does its work, or before its caller hears of it. */
  holdCall(method: string, when: 'before' | 'after' = 'before'): { readonly reached: Promise<void>; release(): void } {
    let [reach, release] = [(): void => undefined, (): void => undefined];
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const released = new Promise<void>((resolve) => (release = resolve));
    const { worldStore } = this;
    const wait = when === 'before' ? 'waitBefore' : 'waitAfter';
    worldStore[wait] = (called) => {
      if (called !== method) return null;
      worldStore[wait] = () => null;
      reach();
      return released;
    };
    return { reached, release };
  }

  /** Takes rows away behind the product's back. */
  damageStore(sql: string): void {
    this.worldStore.database.run(sql);
  }

  /** What stands in the file. */
  query(sql: string): readonly SqlRow[] {
    return this.worldStore.database.all(sql);
  }

  /** The folder that is open in the editor. */
  get folder(): string {
    return this.home;
  }

  surface(): RecordingSurface {
    const surface = new RecordingSurface(`surface-${++this.surfaces}`);
    this.gateway.surfaces.attach(surface);
    return surface;
  }

  /** Sends a prompt as the person at this surface would: to the session it shows, or to a new one. */
  send(surface: RecordingSurface, text: string): Promise<SubmitReceipt> {
    return this.gateway.intake.submit(surface.id, {
      sessionId: this.gateway.surfaces.shownSession(surface.id),
      uid: `prompt-${++this.uids}`,
      text,
    });
  }

  /** Sends a prompt and waits until its turn has settled at this surface. */
  async ask(surface: RecordingSurface, text: string): Promise<SubmitReceipt> {
    const receipt = await this.askBeside(surface, text);
    await this.idle();
    return receipt;
  }

  /** The same while turns of other conversations go on. */
  async askBeside(surface: RecordingSurface, text: string): Promise<SubmitReceipt> {
    const count = surface.settled.length + 1;
    const receipt = await this.send(surface, text);
    await surface.untilSettled(count);
    return receipt;
  }

  /** Waits until so many turns have settled at this surface, and none runs any more. */
  async settles(surface: RecordingSurface, count?: number): Promise<void> {
    await surface.untilSettled(count);
    await this.idle();
  }

  /** Resolves when no turn runs. */
  async idle(): Promise<void> {
    while (this.gateway.turns.running().length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** Every stored row of a session, hidden and closing ones included. */
  async rows(sessionId: string): Promise<readonly Message[]> {
    return (await this.store.readTranscript({ sessionId, limit: 10_000, includeHidden: true })).messages;
  }

  /** The rows as one line each: `user: text`, `assistant: text [calls]`, `tool done: text`. */
  async lines(sessionId: string): Promise<readonly string[]> {
    return (await this.rows(sessionId)).map(line);
  }

  /** Ends this window in order and opens the next one on the same store. */
  async reopen(): Promise<void> {
    await this.gateway.shutdown();
    await this.store.close();
    await this.openAgain();
  }

  /** Ends this window as a kill would, in the middle of whatever it does: the next one opens the files as they lay at this moment. */
  async crash(): Promise<void> {
    const [store, asItLay] = [path.join(this.home, 'store'), path.join(this.home, 'as-it-lay')];
    cpSync(store, asItLay, { recursive: true });
    await this.gateway.shutdown();
    await this.store.close();
    rmSync(store, { recursive: true });
    renameSync(asItLay, store);
    await this.openAgain();
  }

  async close(): Promise<void> {
    // Requests that hang would keep a turn from settling.
    await Promise.all([this.gateway.shutdown(), this.server.close()]);
    await this.store.close();
    rmSync(this.home, { recursive: true, force: true });
  }

  private async openAgain(): Promise<void> {
    const clock = this.options.clock ?? systemClock;
    this.worldStore = await openWorldStore(path.join(this.home, 'store'), () => clock.now());
    this.calls = this.callsOf(this.worldStore);
    this.current = this.createGateway();
  }

  private readonly log: Log = {
    trace: (message) => this.traceLines.push(message),
    info: (message) => this.logLines.push(`info ${message}`),
    warn: (message) => this.logLines.push(`warn ${message}`),
    error: (message, error) => this.logLines.push(`error ${message}${error === undefined ? '' : ` ${String(error)}`}`),
  };

  /** Its pauses are over at once. */
  private callsOf(store: WorldStore): StoreCalls<WorldStore> {
    const clock = { after: (_: number, callback: () => void) => systemClock.after(1, callback) };
    const target = {
      open: () => store,
      failed: (_: WorldStore, error: unknown) => error,
      reopened: () => Promise.resolve(true),
    };
    return new StoreCalls(target, clock, this.log);
  }

  /** Another window beside the first: `store` is what it has of the history. */
  createGateway(store: SessionStore = this.store): Gateway {
    const { options, log } = this;
    const clock = options.clock ?? systemClock;
    const ids = idsFrom((count) => crypto.getRandomValues(new Uint8Array(count)));
    const files = new FolderOnDisk([{ name: 'project', path: this.home }]);
    const tools = new ToolRegistry([...readOnlyTools(files, () => false), ...(options.tools ?? [])]);
    return new Gateway({
      store,
      clock,
      ids,
      log,
      createAgent: (model, memory, custom = null) =>
        options.hosted?.(model, { store, clock, ids, log }) ??
        new Agent({
          ...(memory === undefined ? {} : { memory }),
          approvals: options.approvals ?? cautiousPolicy,
          ...(options.project === undefined ? {} : { project: options.project }),
          ...(options.hooks === undefined ? {} : { hooks: options.hooks }),
          ...(options.moreTools === undefined ? {} : { moreTools: options.moreTools }),
          custom,
          store,
          clock,
          ids,
          log,
          tools,
          openModel: () => options.openModel?.(model) ?? Promise.resolve(this.httpModel(model, clock)),
          systemPrompt: (hasTools) => systemPrompt({ roots: files.roots(), platform: 'linux', hasTools }),
          maxIterations: options.maxIterations ?? 90,
          ...(options.continuesBroken === undefined ? {} : { continuesBroken: options.continuesBroken }),
        }),
      agentSignature: (model, custom = null) => JSON.stringify([model, custom]),
      createMemory: ({ isPrivate }) =>
        memoryOf(isPrivate ? [] : (options.memory?.(this.memoryLog) ?? [new RecordingMemory(this.memoryLog)]), {
          clock,
          log,
          isPrivate,
          coreTools: tools.names,
          recallTimeoutMs: () => options.recallTimeoutMs ?? 2000,
        }),
      defaultModel: () => (options.defaultModel === undefined ? 'Local/test-model' : options.defaultModel),
      saveDefaultModel: (ref) => {
        this.savedModels.push(ref);
        return Promise.resolve();
      },
      folder: () => this.home,
      ...(options.contextEngine === undefined ? {} : { contextEngine: options.contextEngine }),
      summaryModel: () => options.summaryModel ?? null,
      ...(options.beforeTurn === undefined ? {} : { beforeTurn: options.beforeTurn }),
      sessionTitles: () => options.sessionTitles ?? 'prompt',
      spendingLimit: () => options.spendingLimit ?? 0,
      ...(options.modelOfFile === undefined ? {} : { modelOfFile: options.modelOfFile }),
      ...(options.mode === undefined ? {} : { defaultMode: () => options.mode ?? 'ask' }),
      ...(options.effort === undefined ? {} : { defaultEffort: () => options.effort ?? 'default' }),
      ...(options.busyMode === undefined ? {} : { busyMode: () => options.busyMode ?? 'queue' }),
    });
  }

  private httpModel(ref: string, clock: Clock): ChatModel {
    const id = ref.slice(ref.indexOf('/') + 1);
    const info = modelInfo({
      id,
      destination: new URL(this.server.url).host,
      contextWindow: this.options.contextWindow ?? null,
      efforts: ['default', 'none', 'low', 'medium', 'high'],
    });
    return httpChatModel(info, {
      loadTransports: () => Promise.resolve(createTransports()),
      settings: {
        protocol: this.options.protocol ?? 'openai',
        baseUrl: this.server.url,
        key: null,
        modelId: id,
        fetch: globalThis.fetch,
      },
      policy: { ...loopbackPolicy, ...this.options.policy },
      clock,
      provider: 'Local',
    });
  }
}

function line(message: Message): string {
  const mark =
    message.visibility.kind === 'shown'
      ? ''
      : message.visibility.kind === 'hidden'
        ? ` (hidden: ${message.visibility.reason})`
        : ` (${message.visibility.kind})`;
  const content = message.parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return part.text;
      case 'thinking':
        return `<${part.text}>`;
      case 'toolCall':
        return `[${part.name} ${part.arguments}]`;
      case 'toolResult':
        return `${part.outcome}: ${part.text}`;
      case 'image':
        return '[image]';
      case 'attachment':
        return `[${part.label}]`;
    }
  });
  return `${message.role}${mark}: ${content.join(' ')}`;
}

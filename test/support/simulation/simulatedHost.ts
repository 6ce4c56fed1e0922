import { Agent } from '../../../src/agent/agent';
import { Gateway } from '../../../src/gateway/conversationGateway';
import type { Clock } from '../../../src/base/clock';
import type { Ids } from '../../../src/base/ids';
import type { Log } from '../../../src/base/log';
import type { MemoryProvider } from '../../../src/memory/memoryProvider';
import type { ChatModel } from '../../../src/models/chatModel';
import type { SqlDatabase } from '../../../src/store/engine/sqlDatabase';
import type { SessionDb } from '../../../src/store/session/sessionDb';
import type { SessionStore } from '../../../src/store/session/sessionStore';
import type { AnyTool } from '../../../src/tools/tool';
import { ToolRegistry } from '../../../src/tools/toolRegistry';
import { memoryOf } from '../memoryOf';
import type { OpenedPlace, Place } from './place';
import { simulatedPolicy } from './simulatedPolicy';
import { SlowStore, type StoreManners } from './slowStore';

/** What outlives a process: time, and the world around it. */
export interface Surroundings {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly manners: StoreManners;
  /** The model as the process of this life reaches it. */
  readonly model: (run: number) => ChatModel;
  readonly memory: (clock: Clock) => MemoryProvider;
  readonly tools: readonly AnyTool[];
  /** A session was compressed just now. */
  readonly published: (database: SqlDatabase) => void;
}

/** Time as one process has it: its timers die with it. */
class ProcessClock implements Clock {
  private isOver = false;

  constructor(private readonly clock: Clock) {}

  now(): number {
    return this.clock.now();
  }

  monotonicMs(): number {
    return this.clock.monotonicMs();
  }

  after(delayMs: number, callback: () => void): () => void {
    return this.clock.after(delayMs, () => {
      if (!this.isOver) callback();
    });
  }

  end(): void {
    this.isOver = true;
  }
}

/** One life of the product's process: the real gateway, agent and store, without an editor. */
export class SimulatedHost {
  private constructor(
    readonly run: number,
    readonly gateway: Gateway,
    readonly store: SessionStore,
    private readonly opened: OpenedPlace,
    private readonly slowStore: SlowStore,
    private readonly clock: ProcessClock,
  ) {}

  static async start(place: Place, run: number, around: Surroundings): Promise<SimulatedHost> {
    const { ids, log } = around;
    const clock = new ProcessClock(around.clock);
    const opened = await place.open(() => clock.now());
    const slowStore = new SlowStore(opened, around.clock, around.manners, (method) => {
      if (method === 'compressSession') around.published(opened.database);
    });
    const { store } = slowStore;
    const model = around.model(run);
    const agentParts = {
      store,
      clock,
      ids,
      log,
      tools: new ToolRegistry(around.tools),
      openModel: () => Promise.resolve(model),
      systemPrompt: () => 'You are simulated.',
      maxIterations: 6,
      approvals: simulatedPolicy,
    };
    const gateway = new Gateway({
      store,
      clock,
      ids,
      log,
      createAgent: () => new Agent(agentParts),
      agentSignature: (ref) => ref,
      createMemory: () => memoryOf([around.memory(clock)], { clock, log }),
      defaultModel: () => 'Simulated/model',
      saveDefaultModel: () => Promise.resolve(),
      folder: () => null,
    });
    return new SimulatedHost(run, gateway, store, opened, slowStore, clock);
  }

  /** The store as it is, to look at. */
  get db(): SessionDb {
    return this.opened.db;
  }

  get database(): SqlDatabase {
    return this.opened.database;
  }

  get changes(): unknown {
    return this.opened.changes;
  }

  /** It has closed the store and given it up. */
  get isReleased(): boolean {
    return this.slowStore.isClosed;
  }

  get isIdle(): boolean {
    return this.slowStore.isIdle;
  }

  get isPerforming(): boolean {
    return this.slowStore.isPerforming;
  }

  /** Calls of the store are performed by another thread. */
  get performsElsewhere(): boolean {
    return this.opened.isElsewhere;
  }

  /** Gives the store up in order, with every call already made. */
  async release(): Promise<void> {
    await this.slowStore.close();
    this.loseLock();
  }

  /** Another process takes it for dead, and its store; it goes on without knowing. */
  loseLock(): void {
    this.opened.loseLock();
  }

  /** Ends it between two instructions. */
  async kill(): Promise<void> {
    this.clock.end();
    this.slowStore.die();
    await this.opened.abandon();
  }
}

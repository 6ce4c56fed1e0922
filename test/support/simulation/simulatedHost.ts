import { Agent } from '../../../src/agent/agent';
import type { Clock } from '../../../src/base/clock';
import type { Ids } from '../../../src/base/ids';
import type { Log } from '../../../src/base/log';
import { ConversationGateway } from '../../../src/gateway/conversationGateway';
import { MemoryManager } from '../../../src/memory/memoryManager';
import type { ChatModel } from '../../../src/models/chatModel';
import type { SimulatedDisk } from '../../../src/store/engine/simulatedDisk';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { openDatabase } from '../../../src/store/open/openDatabase';
import { migrate, schemaVersion } from '../../../src/store/schema/migrations';
import { SessionDb } from '../../../src/store/session/sessionDb';
import type { SettledTurn } from '../../../src/store/sessionStore';
import type { AnyTool } from '../../../src/tools/tool';
import { ToolRegistry } from '../../../src/tools/toolRegistry';
import type { ManualClock } from '../manualClock';
import { testSqlite } from '../sqlite';
import { SlowStore, type StoreManners } from './slowStore';

/** What outlives a process: the disk, time, and the world around it. */
export interface Surroundings {
  readonly clock: ManualClock;
  readonly ids: Ids;
  readonly log: Log;
  readonly manners: StoreManners;
  readonly model: ChatModel;
  readonly tools: readonly AnyTool[];
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

/** One life of the product's process on a simulated disk: the real gateway, agent and store, without an editor. */
export class SimulatedHost {
  private constructor(
    readonly gateway: ConversationGateway,
    readonly db: SessionDb,
    readonly database: SqlJsDatabase,
    readonly recovered: readonly SettledTurn[],
    private readonly slowStore: SlowStore,
    private readonly clock: ProcessClock,
  ) {}

  static async start(disk: SimulatedDisk, around: Surroundings): Promise<SimulatedHost> {
    const { ids, log } = around;
    const clock = new ProcessClock(around.clock);
    const now = (): number => clock.now();
    const { database } = openDatabase({ sqlite: await testSqlite(), fileSystem: disk, folder: '/store', schemaVersion, assertOwned: () => undefined, now });
    migrate(database, { keepCopy: () => undefined });
    const db = new SessionDb({ database, now, fileSizes: () => database.sizes() });
    const recovered = db.recoverTurns();
    const slowStore = new SlowStore(db, around.clock, around.manners, () => database.close());
    const { store } = slowStore;
    const agentParts = {
      store, clock, ids, log, tools: new ToolRegistry(around.tools), openModel: () => Promise.resolve(around.model),
      systemPrompt: () => 'You are simulated.', reasoningEffort: 'default' as const, maxIterations: 6,
    };
    const gateway = new ConversationGateway({
      store, clock, ids, log,
      createAgent: () => new Agent(agentParts),
      agentSignature: (model) => model,
      createMemory: () => new MemoryManager({ clock, log }),
      defaultModel: () => 'Simulated/model',
      saveDefaultModel: () => Promise.resolve(),
      folder: () => null,
    });
    return new SimulatedHost(gateway, db, database, recovered, slowStore, clock);
  }

  /** Ends it between two instructions. */
  kill(): void {
    this.clock.end();
    this.slowStore.die();
    this.database.abandon();
  }
}

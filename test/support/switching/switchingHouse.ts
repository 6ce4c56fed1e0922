import { Agent } from '../../../src/agent/agent';
import { idsFrom } from '../../../src/base/ids';
import { silentLog } from '../../../src/base/log';
import { ConversationGateway } from '../../../src/gateway/conversationGateway';
import type { MemoryProvider } from '../../../src/memory/memoryProvider';
import type { ChatModel, ModelStream, StreamEvent, Terminal } from '../../../src/models/chatModel';
import { completed, modelInfo } from '../builders/chatModel';
import { SimulatedDisk } from '../simulatedDisk';
import type { SqlJsDatabase } from '../../../src/store/engine/sqlJsDatabase';
import { migrate, schemaVersion } from '../../../src/store/schema/migrations';
import { createSessionDb, type SessionDb } from '../../../src/store/session/sessionDb';
import type { SessionStore } from '../../../src/store/sessionStore';
import { perform, promisedOperations } from '../../../src/store/sessionMethods';
import { ToolRegistry } from '../../../src/tools/toolRegistry';
import { ManualClock } from '../manualClock';
import { memoryOf } from '../memoryOf';
import { hangingMemory, legacyMemory, RecordingMemory, throwingMemory } from '../recordingMemory';
import { RecordingSurface } from '../recordingSurface';
import { testSqlite } from '../sqlite';
import { openTestDatabase } from '../testStore';
import { cautiousPolicy } from '../cautiousPolicy';

/** How long each answer is: enough that a few of them can be summarised. */
const answer = (number: number): string =>
  `answer ${number}: ${'the parser reads tokens and builds a tree of nodes. '.repeat(150)}`;

/** Moments in which every call of the slow provider comes to its end: each fourth one takes a second. */
const slowestCallMoments = 28;

/** The gateway and a store on a simulated disk, under a clock that the test moves: memory that takes seconds for every call, with providers beside
 *  it that throw, hang, or know of no switch. A model that answers at once or, in sessions that are held, when it is let go. */
export class SwitchingHouse {
  /** What the recording provider of each agent heard, in the order in which agents were made. */
  readonly notified: string[][] = [];
  readonly clock = new ManualClock();
  private answers = 0;
  private uids = 0;
  private holding: { readonly released: Promise<void>; readonly release: () => void } | null = null;
  private held: (() => void)[] = [];
  private current: ConversationGateway;
  surfaces: readonly RecordingSurface[] = [];

  private constructor(
    readonly db: SessionDb,
    private readonly database: SqlJsDatabase,
    readonly store: SessionStore,
    private readonly ids: ReturnType<typeof idsFrom>,
  ) {
    this.current = this.open();
  }

  static async create(): Promise<SwitchingHouse> {
    const disk = new SimulatedDisk();
    let seed = 1;
    const { database } = openTestDatabase(await testSqlite(), disk, '/store', { schemaVersion });
    migrate(database, { keepCopy: () => undefined });
    let now = (): number => 0;
    const db = createSessionDb({ database, now: () => now(), fileSizes: () => ({ fileBytes: 0, logBytes: 0 }) });
    const store = {
      ...promisedOperations((method, args) => Promise.resolve().then(() => perform(db, method, args))),
      close: () => Promise.resolve(),
    };
    const made = new SwitchingHouse(
      db,
      database,
      store,
      idsFrom((count) => Uint8Array.from({ length: count }, () => (seed = (seed * 48_271) % 2_147_483_647) % 256)),
    );
    now = () => made.clock.now();
    return made;
  }

  get gateway(): ConversationGateway {
    return this.current;
  }

  surface(index: number): RecordingSurface {
    const surface = this.surfaces[index];
    if (surface === undefined) throw new Error(`no surface ${index}`);
    return surface;
  }

  /** Sends a prompt to what the surface shows. With `isHeld` its answer waits until `letGo`. */
  async prompt(surface: RecordingSurface, isHeld: boolean): Promise<string> {
    if (isHeld) this.holdNext();
    const { sessionId } = await this.within(
      this.gateway.submit(surface.id, {
        sessionId: this.gateway.shownSession(surface.id),
        uid: `p${++this.uids}`,
        text: `question ${this.uids}`,
      }),
    );
    if (!isHeld) await this.settled(sessionId);
    else await this.until(() => this.holding === null);
    return sessionId;
  }

  /** Every turn that was asked and answered here, copies in branches left out. */
  completed(): readonly { readonly answer: string; readonly conversationId: string }[] {
    return this.database
      .all(
        "SELECT m.parts, t.conversation_id FROM messages m JOIN turns t ON t.uid = m.turn_uid WHERE t.outcome = 'complete' AND m.role = 'assistant' AND m.carried_from IS NULL AND m.copied_from IS NULL",
      )
      .map((row) => ({
        answer: /answer \d+/.exec(String(row['parts']))?.[0] ?? '',
        conversationId: String(row['conversation_id']),
      }));
  }

  /** Waits until no turn runs in a session. */
  settled(sessionId: string): Promise<void> {
    return this.until(() => this.gateway.runningTurns().every((turn) => turn.sessionId !== sessionId));
  }

  async letAllGo(): Promise<void> {
    for (const release of this.held) release();
    this.held = [];
    await this.until(() => this.gateway.runningTurns().length === 0);
    await this.moments(20);
  }

  /** Ends the window in order and opens the next one on the same store; surfaces show what they showed. */
  async reload(): Promise<void> {
    const shown = this.surfaces.map((surface) => this.gateway.shownSession(surface.id));
    await this.letAllGo();
    await this.close();
    this.current = this.open();
    for (const [index, sessionId] of shown.entries()) {
      if (sessionId !== null)
        await this.within(this.gateway.switchSession(this.surface(index).id, { reason: 'resume', sessionId }));
    }
  }

  async close(): Promise<void> {
    await this.drained();
    await this.within(this.gateway.shutdown());
    await this.moments(20);
  }

  /** Gives the store's memory back: a thousand houses would not fit into one process. */
  dispose(): void {
    this.database.close();
  }

  /** Resolves when memory has nothing left to do, however slow it is. */
  async drained(): Promise<void> {
    const lines = (): number => this.notified.reduce((sum, log) => sum + log.length, 0);
    for (let before = -1; before !== lines();) {
      before = lines();
      await this.moments(slowestCallMoments);
    }
  }

  /** Waits for something of the product's while time goes on. */
  async within<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    await this.until(() => isDone);
    return done;
  }

  private async until(condition: () => boolean): Promise<void> {
    for (let moment = 0; !condition(); moment++) {
      if (moment > 5000) throw new Error('what was waited for never came');
      await this.moments(1);
    }
  }

  private async moments(count: number): Promise<void> {
    for (let moment = 0; moment < count; moment++) await this.clock.advance(moment % 4 === 3 ? 1000 : 1);
  }

  private holdNext(): void {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    this.holding = { released, release };
  }

  private open(): ConversationGateway {
    const { store, clock, ids } = this;
    const gateway = new ConversationGateway({
      store,
      clock,
      ids,
      log: silentLog,
      createAgent: (_model, memory) =>
        new Agent({
          ...(memory === undefined ? {} : { memory }),
          store,
          clock,
          ids,
          log: silentLog,
          tools: new ToolRegistry([]),
          approvals: cautiousPolicy,
          openModel: () => Promise.resolve(this.model()),
          systemPrompt: () => 'You are switched.',
          maxIterations: 4,
        }),
      agentSignature: (model) => model,
      createMemory: () =>
        memoryOf([throwingMemory(), this.recorder(), hangingMemory(), legacyMemory([])], {
          clock,
          log: silentLog,
          recallTimeoutMs: () => 50,
        }),
      defaultModel: () => 'Local/model',
      saveDefaultModel: () => Promise.resolve(),
      folder: () => null,
    });
    this.surfaces = [0, 1].map((index) => new RecordingSurface(`surface-${index}`));
    for (const surface of this.surfaces) gateway.attach(surface);
    return gateway;
  }

  private recorder(): MemoryProvider {
    const log: string[] = [];
    this.notified.push(log);
    return new RecordingMemory(log, {
      pause: (hook) => new Promise((resolve) => this.clock.after(hook === 'end' ? 5000 : 2000, resolve)),
    });
  }

  private model(): ChatModel {
    return { info: modelInfo(), stream: (_request, signal) => this.stream(signal) };
  }

  private stream(signal: AbortSignal): ModelStream {
    const { holding } = this;
    this.holding = null;
    if (holding !== null) this.held.push(holding.release);
    const text = answer(++this.answers);
    const events: StreamEvent[] = [];
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    const answered = Promise.race([holding?.released ?? Promise.resolve(), stopped]).then(() => {
      if (!signal.aborted) events.push({ kind: 'text', text });
    });
    const terminal = answered.then((): Terminal =>
      signal.aborted ? { outcome: 'aborted', usage: null, requestId: null } : completed,
    );
    return { events, terminal, hasEvent: (index) => answered.then(() => events.length > index) };
  }
}

import type { Clock } from '../../base/clock';
import { Emitter } from '../../base/disposable';
import type { Log } from '../../base/log';
import type {
  CompressedSession,
  CompressSession,
  OpenTurn,
  PromptContext,
  SessionStore,
  SpilledRequest,
  SteerTurn,
  TranscriptPage,
  TranscriptQuery,
  WorkCourse,
} from '../sessionStore';
import type { NewApproval } from '../approvalOperations';
import { retryPauseMs } from '../retryPause';
import { isUnknownOutcome, StoreError } from '../storeError';
import type { CallMethod, MethodArguments, MethodName, MethodResults } from '../sessionMethods';
import { contextUse } from '../../transcript/contextUse';
import type { Message } from '../../transcript/message';
import type { Turn } from '../../transcript/turn';
import { LiveTurn } from './liveTurn';
import { withSpilled } from './spilledPage';
import type { SpillHome, TurnSpill } from './turnSpill';

/** Milliseconds before a failed write is tried once more: long enough for a busy disk, too short to notice. */
const secondTryMs = 100;

/** Status of an answer that could not be stored. writing: a spill file keeps it meanwhile · folded: everything is
 *  stored again · kept: the store refused a part, the file stays · otherStore: another file replaced the store, and
 *  the spill does not belong to it. */
export interface SpillStatus {
  readonly turnUid: string;
  readonly sessionId: string;
  readonly state: 'writing' | 'folded' | 'kept' | 'otherStore';
  readonly path: string;
  readonly cause: StoreError;
  /** True when the answer has ended. */
  readonly isOver: boolean;
}

type SpilledResult = MethodResults[SpilledRequest['method']];
type PromisedTable = { readonly [M in MethodName]: (...args: MethodArguments[M]) => Promise<MethodResults[M]> };

/** Wraps the store so that a running turn continues while the store cannot be written. The turn's writes then go to
 *  a spill file, and its reads come from there. The spill is folded into the store, once and in order, as soon as
 *  the store can be written. Other turns are refused meanwhile. If no spill can be written either, the turn's writes
 *  fail, and it shows nothing more. */
export class SpillingStore {
  private readonly live = new Map<string, LiveTurn>();
  /** Turns that await approval, by approval id: keeps their known rows for the case that they continue here. */
  private readonly waiting = new Map<string, LiveTurn>();
  private readonly lastStatuses = new Map<string, SpillStatus>();
  private readonly changes = new Emitter<void>();
  private readonly table: PromisedTable;
  readonly store: SessionStore;
  private folding: Promise<void> | null = null;
  private cancelRetry: (() => void) | null = null;
  private attempts = 0;
  private closed = false;
  readonly onDidChange = this.changes.event;

  constructor(
    private readonly inner: SessionStore,
    private readonly home: SpillHome,
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly uid: () => string,
  ) {
    this.table = inner;
    this.store = { ...inner, ...this.own(inner) };
  }

  get statuses(): readonly SpillStatus[] {
    return [...this.lastStatuses.values()];
  }

  /** Turns that this process runs or has not yet written to the store: no other code may settle them. */
  get liveTurns(): readonly string[] {
    return [...this.live.keys()];
  }

  /** Folds spills into the store now. Resolves after the attempt. */
  tryAgain(): Promise<void> {
    this.folding ??= this.foldAll().finally(() => {
      this.folding = null;
    });
    return this.folding;
  }

  /** The calls that concern running turns, and writes that are tried once more; the others go to the store as they
   *  are. */
  private own(inner: SessionStore): Partial<SessionStore> {
    return {
      createSession: (...args) => this.twice(() => inner.createSession(...args)),
      endSession: (...args) => this.twice(() => inner.endSession(...args)),
      branchSession: (...args) => this.twice(() => inner.branchSession(...args)),
      openTurn: (...args) => this.openTurn(...args),
      appendChunks: (...args) => this.write<'appendChunks'>(args[0].turnUid, { method: 'appendChunks', args }),
      putMessages: (...args) => this.write<'putMessages'>(this.turnOf(args[0]), { method: 'putMessages', args }),
      repairTranscript: (...args) =>
        this.write<'repairTranscript'>(this.liveIn(args[0])?.turn.uid, { method: 'repairTranscript', args }),
      addUsage: (...args) => this.write<'addUsage'>(args[0], { method: 'addUsage', args }),
      settleTurn: (...args) => this.settleTurn(...args),
      steerTurn: (...args) => this.steerTurn(...args),
      requestApproval: (...args) => this.requestApproval(...args),
      decideApproval: (...args) => this.decideApproval(...args),
      compressSession: (...args) => this.compressSession(...args),
      activeMessages: (...args) => this.activeMessages(...args),
      getMessage: (...args) => this.getMessage(...args),
      getTurn: (...args) => this.getTurn(...args),
      openTurnOf: (...args) => this.openTurnOf(...args),
      readTranscript: (...args) => this.readTranscript(...args),
      promptContext: (...args) => this.promptContext(...args),
      close: () => this.close(),
    };
  }

  private async openTurn(input: OpenTurn, ...course: WorkCourse): ReturnType<SessionStore['openTurn']> {
    if (this.blocking !== null) await this.tryAgain();
    if (this.blocking !== null) throw this.blocking;
    this.forget(({ state }) => state === 'folded');
    const opened = await this.twice(() => this.inner.openTurn(input, ...course));
    if (opened.turn.state === 'running' && !this.live.has(opened.turn.uid)) {
      this.live.set(opened.turn.uid, new LiveTurn(opened.turn, this.inner, this.home, this.uid));
    }
    return opened;
  }

  /** The error for opening another turn while one is spilled: it could not be stored, and the user learns this
   *  before its prompt leaves the composer. */
  private get blocking(): StoreError | null {
    const spilled = [...this.live.values()].find(({ spill }) => spill !== null);
    return spilled?.cause ?? null;
  }

  private async write<M extends SpilledRequest['method']>(
    turnUid: string | undefined,
    request: SpilledRequest & { readonly method: M },
  ): Promise<MethodResults[M]> {
    const live = turnUid === undefined ? undefined : this.live.get(turnUid);
    if (live === undefined) return (await this.twice(() => this.perform(request))) as MethodResults[M];
    return (await live.inOrder(() => this.writeOf(live, request))) as MethodResults[M];
  }

  private async writeOf(live: LiveTurn, request: SpilledRequest): Promise<SpilledResult> {
    // Every folder has failed too: only the store itself is left, and the spilled requests must be written first.
    if (live.spill !== null && !live.spill.isOpen && !(await this.fold(live)) && live.cause !== null) throw live.cause;
    const result = live.spill === null ? await this.writeOrSpill(live, request) : await live.spill.write(request);
    if (request.method === 'settleTurn') this.settled(live);
    if (live.settled && live.spill === null) this.live.delete(live.turn.uid);
    return result;
  }

  private settled(live: LiveTurn): void {
    live.settled = true;
    if (live.spill !== null && live.cause !== null && this.lastStatuses.get(live.turn.uid)?.state === 'writing')
      this.notify(live, 'writing', live.spill.path, live.cause);
  }

  private async writeOrSpill(live: LiveTurn, request: SpilledRequest): Promise<SpilledResult> {
    try {
      return await this.writeToStore(live, request);
    } catch (error) {
      if (!(error instanceof StoreError) || !isUnknownOutcome(error) || this.closed) throw error;
      return this.spill(live, request, error);
    }
  }

  /** Retries a write once when its outcome is unknown. Every write here may be repeated: it is then done, or
   *  returns what was already done. No caller retries at once. */
  private async twice<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write();
    } catch (error) {
      if (!(error instanceof StoreError) || !isUnknownOutcome(error)) throw error;
      await new Promise<void>((resolve) => this.clock.after(secondTryMs, resolve));
      return write();
    }
  }

  private async writeToStore(live: LiveTurn, request: SpilledRequest): Promise<SpilledResult> {
    const result = await this.twice(() => this.perform(request));
    if (request.method === 'appendChunks') live.memory.chunksStored(request.args[0]);
    if (request.method === 'putMessages') live.memory.rowsStored(result as readonly Message[]);
    if (request.method === 'addUsage') live.memory.usageAdded(request.args[1]);
    return result;
  }

  private async spill(live: LiveTurn, request: SpilledRequest, cause: StoreError): Promise<SpilledResult> {
    const spill = await live.newSpill(request);
    if (spill === null) throw cause;
    try {
      const result = await spill.write(request);
      live.spill = spill;
      live.cause = cause;
      this.notify(live, 'writing', spill.path, cause);
      this.log.error(
        `The store cannot be written (${cause.causeClass}): ${cause.technical}. Turn ${live.turn.uid} is kept in ` +
          `${spill.path} meanwhile.`,
      );
      this.retryLater();
      return result;
    } catch (error) {
      if (error instanceof StoreError && !isUnknownOutcome(error)) throw error;
      this.log.error(
        `No spill file can be written either: ${error instanceof StoreError ? error.technical : String(error)}`,
      );
      throw cause;
    }
  }

  /** While its turn is spilled, a queued prompt stays queued, because the queue is in the store. It becomes a
   *  separate turn afterwards. */
  private async steerTurn(input: SteerTurn): Promise<Message | null> {
    const live = this.live.get(input.turnUid);
    if (live === undefined) return this.twice(() => this.inner.steerTurn(input));
    return live.inOrder(async () => {
      if (live.spill !== null) return null;
      const row = await this.twice(() => this.inner.steerTurn(input));
      if (row !== null) live.memory.rowsStored([row]);
      return row;
    });
  }

  /** Refuses approvals while the turn is spilled: the decision must be in the store. */
  private async requestApproval(input: NewApproval): ReturnType<SessionStore['requestApproval']> {
    const live = this.live.get(input.turnUid);
    if (live === undefined) return this.twice(() => this.inner.requestApproval(input));
    return live.inOrder(async () => {
      if (live.spill !== null && !(await this.fold(live)) && live.cause !== null) throw live.cause;
      const asked = await this.twice(() => this.inner.requestApproval(input));
      // No process runs it until it is decided, possibly in another window.
      if (asked.turn.state === 'waiting') {
        this.live.delete(input.turnUid);
        this.waiting.set(input.id, live);
      }
      return asked;
    });
  }

  private async decideApproval(...args: MethodArguments['decideApproval']): ReturnType<SessionStore['decideApproval']> {
    const decided = await this.twice(() => this.inner.decideApproval(...args));
    const { turn } = decided;
    if (turn.state === 'running' && !this.live.has(turn.uid))
      this.live.set(turn.uid, this.waiting.get(args[0]) ?? new LiveTurn(turn, this.inner, this.home, this.uid));
    this.waiting.delete(args[0]);
    return decided;
  }

  private settleTurn(input: MethodArguments['settleTurn'][0]): Promise<MethodResults['settleTurn']> {
    for (const [id, { turn }] of this.waiting) if (turn.uid === input.turnUid) this.waiting.delete(id);
    return this.write<'settleTurn'>(input.turnUid, { method: 'settleTurn', args: [input] });
  }

  private async compressSession(input: CompressSession): Promise<CompressedSession> {
    const live = this.liveIn(input.parentId);
    if (live !== undefined && live.spill !== null && live.cause !== null) throw live.cause;
    const compressed = await this.twice(() => this.inner.compressSession(input));
    live?.memory.addSession(compressed.session.id, Promise.resolve(compressed.session));
    return compressed;
  }

  // Reading

  private async activeMessages(sessionId: string): Promise<readonly Message[]> {
    const live = this.liveIn(sessionId);
    if (live === undefined) return this.inner.activeMessages(sessionId);
    if (live.isSpilled(sessionId) && live.spill !== null)
      return this.readSpilled(
        live,
        (spill) => spill.read('activeMessages', [sessionId]),
        () => this.activeMessages(sessionId),
      );
    const take = live.memory.beginReading(sessionId);
    try {
      const rows = await this.inner.activeMessages(sessionId);
      take(rows);
      return rows;
    } catch (error) {
      const known = error instanceof StoreError && isUnknownOutcome(error) ? live.memory.rowsOf(sessionId) : null;
      if (known === null) throw error;
      return known;
    }
  }

  private async getMessage(uid: string): Promise<Message | null> {
    for (const live of this.live.values()) {
      const message = await this.readSpilled(
        live,
        (spill) => spill.read('getMessage', [uid]),
        () => Promise.resolve(null),
      );
      if (message?.turnUid === live.turn.uid) return message;
    }
    return this.inner.getMessage(uid);
  }

  private async getTurn(uid: string): Promise<Turn | null> {
    const live = this.live.get(uid);
    return this.readSpilled(
      live,
      (spill) => spill.read('getTurn', [uid]),
      () => this.inner.getTurn(uid),
    );
  }

  private async openTurnOf(sessionId: string): Promise<Turn | null> {
    const live = this.liveIn(sessionId);
    return this.readSpilled(
      live,
      (spill, { sessionId: id }) => spill.read('openTurnOf', [id]),
      () => this.inner.openTurnOf(sessionId),
    );
  }

  private async readTranscript(query: TranscriptQuery): Promise<TranscriptPage> {
    return this.readSpilled(
      this.liveIn(query.sessionId),
      async (spill, turn) => {
        const stored = await this.inner.readTranscript(query).catch(() => null);
        if (stored === null) return spill.read('readTranscript', [{ ...query, sessionId: turn.sessionId }]);
        const all = await spill.read('readTranscript', [
          {
            sessionId: turn.sessionId,
            limit: Number.MAX_SAFE_INTEGER,
            ...(query.includeHidden === true ? { includeHidden: true } : {}),
          },
        ]);
        const current = (await spill.read('getTurn', [turn.uid])) ?? turn;
        return withSpilled(
          stored,
          query,
          all.messages.filter((row) => row.turnUid === turn.uid),
          current,
        );
      },
      () => this.inner.readTranscript(query),
    );
  }

  /** While a turn is spilled, or was when the read began, the database may lack rows that the spill holds. */
  private async promptContext(sessionId: string | null, promptUid: string | null): Promise<PromptContext> {
    const wasSpilling = this.isSpilling;
    const context = await this.inner.promptContext(sessionId, promptUid);
    if (!wasSpilling && !this.isSpilling) return context;
    const { session } = context;
    return {
      ...context,
      message: promptUid === null ? null : await this.getMessage(promptUid),
      openTurn: session === null ? null : await this.openTurnOf(session.id),
      historyTokens: session === null ? null : contextUse(await this.activeMessages(session.id)).tokens,
    };
  }

  private get isSpilling(): boolean {
    return [...this.live.values()].some(({ spill }) => spill?.isOpen === true);
  }

  /** Reads from the spill. If no spill is open, or it was closed during the read because the store now has
   *  everything, reads from the store. */
  private async readSpilled<T>(
    live: LiveTurn | undefined,
    read: (spill: TurnSpill, turn: Turn) => Promise<T>,
    fromStore: () => Promise<T>,
  ): Promise<T> {
    const spill = live?.spill;
    if (live === undefined || spill?.isOpen !== true) return fromStore();
    try {
      return await read(spill, live.turn);
    } catch (error) {
      if (spill.isOpen) throw error;
      return fromStore();
    }
  }

  // Folding spills into the store

  private async foldAll(): Promise<void> {
    const spilled = [...this.live.values()].filter(({ spill }) => spill !== null);
    await Promise.all(spilled.map((live) => live.inOrder(() => this.fold(live))));
    if (this.blocking === null) this.attempts = 0;
    else if (!this.closed) this.retryLater();
  }

  /** True when the turn's spill is in the store, or belongs to another store. A turn that still runs continues in
   *  the store. */
  private async fold(live: LiveTurn): Promise<boolean> {
    const { spill, cause } = live;
    if (spill === null || cause === null) return true;
    try {
      const result = await this.inner.foldSpill(spill.content);
      if (result.kind === 'otherStore') return await this.keepForeign(live, cause);
      for (const reason of result.refused)
        this.log.error(`Not everything of turn ${live.turn.uid} could be given back to the store: ${reason}`);
      await this.rememberSpilled(live);
      const { path } = spill;
      live.spill = null;
      const kept = await spill.finish(result.refused.length === 0);
      if (live.settled) this.live.delete(live.turn.uid);
      this.notify(live, kept === null ? 'folded' : 'kept', kept ?? path, cause);
      this.log.info(`What was kept in ${path} is in the store.`);
      return true;
    } catch (error) {
      this.log.warn(
        `The store still cannot take what is kept in ${spill.path}: ` +
          `${error instanceof StoreError ? error.technical : String(error)}`,
      );
      return false;
    }
  }

  private async rememberSpilled({ spill, memory, settled }: LiveTurn): Promise<void> {
    if (settled || spill?.isOpen !== true) return;
    for (const sessionId of memory.sessionIds)
      memory.beginReading(sessionId)(await spill.read('activeMessages', [sessionId]));
  }

  /** Another file replaced the store. The turn may end in its spill; the file stays for the store it belongs to. */
  private async keepForeign(live: LiveTurn, cause: StoreError): Promise<boolean> {
    const path = live.spill?.path ?? '';
    this.notify(live, 'otherStore', path, cause);
    if (!live.settled) return false;
    await live.spill?.close();
    live.spill = null;
    this.live.delete(live.turn.uid);
    return true;
  }

  private retryLater(): void {
    this.cancelRetry?.();
    this.cancelRetry = this.clock.after(retryPauseMs(this.attempts++), () => void this.tryAgain());
  }

  private async close(): Promise<void> {
    if (!this.closed && this.blocking !== null) await this.tryAgain();
    this.closed = true;
    this.cancelRetry?.();
    // Remaining spills are in their files, where the next opening finds them.
    await Promise.all([...this.live.values()].map(({ spill }) => spill?.close()));
    await this.inner.close();
  }

  private perform(request: SpilledRequest): Promise<SpilledResult> {
    const call: CallMethod = (method, args) => this.table[method](...args);
    return call(request.method, request.args);
  }

  private liveIn(sessionId: string): LiveTurn | undefined {
    return [...this.live.values()].find(({ memory }) => memory.has(sessionId));
  }

  private turnOf(rows: readonly { readonly turnUid: string | null }[]): string | undefined {
    return rows.find(({ turnUid }) => turnUid !== null && this.live.has(turnUid))?.turnUid ?? undefined;
  }

  private notify({ turn, settled }: LiveTurn, state: SpillStatus['state'], path: string, cause: StoreError): void {
    this.lastStatuses.set(turn.uid, {
      turnUid: turn.uid,
      sessionId: turn.sessionId,
      state,
      path,
      cause,
      isOver: settled,
    });
    this.changes.fire();
  }

  private forget(what: (status: SpillStatus) => boolean): void {
    const gone = [...this.lastStatuses.values()].filter(what);
    for (const { turnUid } of gone) this.lastStatuses.delete(turnUid);
    if (gone.length > 0) this.changes.fire();
  }
}

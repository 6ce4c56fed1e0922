import { parsedAs } from '../transcript/json';
import { t } from '../base/translate';
import { errorMessage } from '../base/errorMessage';
import type { TurnAgent } from '../agent/agent';
import { contextOf, Summarizer } from '../agent/compression/summarizer';
import type { NoHandoff, ContextEngine } from '../agent/compression/contextEngine';
import { contextUse, type SessionContextUse } from '../transcript/contextUse';
import type { ShortenRequest } from '../agent/liveRun';
import type { ChatModel } from '../models/chatModel';
import { ModelError } from '../models/modelProvider';
import type { HandoffTokens } from '../transcript/handoff';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { TurnActivity } from '../transcript/turnEvent';
import { type CompressionTask, CompressionJob, type Published } from './compressionJob';
import { type CompressionReport, GatewayError } from './gateway';
import * as v from 'valibot';
import type { GatewayParts } from './conversationGateway';

const stored = v.object({ system: v.number(), tools: v.number(), memory: v.number() });

/** Estimated tokens that every request carries besides the history. */
type RequestFrame = Readonly<v.InferOutput<typeof stored>>;

/** Estimates the tokens that requests carry besides the history. The tool list (MCP servers start with a turn) and
 *  memory's texts are known only after a turn has gathered them. Until the next such turn, also after a restart, the
 *  values of the last request are the best estimate. Kept as a small value in the store for each model. */
class RequestFrames {
  private readonly kept = new Map<string, string>();

  constructor(private readonly parts: GatewayParts) {}

  /** Throws `StoreError` when the last values cannot be read. */
  async of(ref: string, isPrivate: boolean, agent: TurnAgent, model: ChatModel): Promise<RequestFrame> {
    const key = `request-frame/${isPrivate ? 'private' : 'usual'}/${ref}`;
    const frame = agent.overhead(model);
    if (!agent.hasGatheredTools) return (await this.lastSent(key)) ?? frame;
    await this.keep(key, JSON.stringify(frame));
    return frame;
  }

  private async lastSent(key: string): Promise<RequestFrame | null> {
    return parsedAs(stored, this.kept.get(key) ?? (await this.parts.store.getMeta(key)));
  }

  private async keep(key: string, frame: string): Promise<void> {
    if (this.kept.get(key) === frame) return;
    this.kept.set(key, frame);
    try {
      await this.parts.store.setMeta(key, frame);
    } catch (error) {
      this.parts.log.warn(`What requests carry beside the history could not be saved: ${errorMessage(error)}`);
    }
  }
}
type CompressingActivity = TurnActivity & { readonly kind: 'compressing' };

interface CompressionRequest {
  readonly focus: string | null;
  readonly isForced: boolean;
}

interface RunningCompression {
  readonly activity: CompressingActivity;
  readonly controller: AbortController;
  readonly end: Promise<unknown>;
}

/** Tokens. A smaller history is not examined further: no model has so small a context that it would matter. */
const smallHistory = 2000;

/** Decides when conversations are compressed, and by which model. Between two turns at most one compression runs per
 *  conversation. While it runs, the conversation's slot counts as taken, so prompts queue. During a turn, the turn
 *  holds the slot. */
export class CompressionScheduler {
  private readonly running = new Map<string, RunningCompression>();
  private readonly agents = new Map<string, { readonly signature: string; readonly agent: TurnAgent }>();
  private readonly engine: ContextEngine;
  private readonly work: CompressionJob;
  private readonly frames: RequestFrames;
  private readonly closing = new AbortController();

  constructor(private readonly parts: GatewayParts) {
    this.engine = parts.contextEngine ?? new Summarizer(parts);
    this.frames = new RequestFrames(parts);
    this.work = new CompressionJob(parts, this.engine);
  }

  /** Summarizes the earlier part of a session, which then continues with more room. The user sees one session.
   *  Prompts sent meanwhile are queued. Rejects with `busy` while a turn runs, and with `notCompressed` and the
   *  reason when nothing was changed. */
  async compress(sessionId: string, focus: string | null): Promise<CompressionReport> {
    const { store, sessions, surfaces, slots, queue } = this.parts;
    slots.refuseWhenClosing();
    const found = await sessions.tipOf(sessionId);
    const waiting = (await store.queue(found.id)).length;
    // Wrapped in an object, so that the sequence is left when the compression has begun, not when it has ended.
    const begin = (session: Session) => Promise.resolve({ end: this.begin(session, { focus, isForced: true }) });
    const { end } = await slots.whileIdle(found.id, begin);
    const report = await end;
    // Starts prompts that were sent during the compression. Prompts that waited before it keep waiting for the user.
    if (waiting === 0) void queue.startNextInBackground(found, surfaces.surfaceOf(report.sessionId), true);
    return report;
  }

  /** Returns the agent that serves a session now, with its memory, for this model. Null when none does. */
  servingAgent(sessionId: string, model: string): TurnAgent | null {
    const { agents, agentSignature, createAgent } = this.parts;
    const served = agents.serving(sessionId);
    if (served === null) return null;
    const { memory, custom } = served;
    return served.agentFor(agentSignature(model, custom), () => createAgent(model, memory, custom));
  }

  isRunning(conversationId: string): boolean {
    return this.running.has(conversationId);
  }

  /** Returns the activity that a surface shows for a compression between two turns. */
  activityIn(conversationId: string): CompressingActivity | null {
    return this.running.get(conversationId)?.activity ?? null;
  }

  /** Returns true when the history must be compressed before the next prompt is sent. Reads the rows only when the
   *  stored token count suggests it. Never rejects: an unknown size must not delay a prompt. */
  async isDue(session: Session, tokens: number | null): Promise<boolean> {
    if (!isWorthChecking(tokens)) return false;
    try {
      const agent = this.agentOf(this.modelOf(session));
      if (agent.reportedContext !== undefined) return false;
      const model = await agent.openModel(this.closing.signal);
      if (!this.engine.mayBeDue(tokens, contextOf(model))) return false;
      return await this.isNearlyFull(session, await this.parts.store.activeMessages(session.id), model);
    } catch (error) {
      this.parts.log.warn(`Whether session ${session.id} must be compressed is not known: ${errorMessage(error)}`);
      return false;
    }
  }

  /** Estimates the tokens that `compress` would save. Null when there is nothing to compress. */
  async preview(sessionId: string): Promise<HandoffTokens | null> {
    const session = await this.parts.sessions.tipOf(sessionId);
    const rows = await this.parts.store.activeMessages(session.id);
    return this.engine.preview(rows, contextOf(await this.openModel(session, new AbortController().signal)));
  }

  /** Returns how full the model's context is for a session. Omits values that the model cannot report. Reads the stored
   *  rows, so call it after a turn, not for every event of one. Throws `StoreError` when they cannot be read. */
  async contextUse(sessionId: string): Promise<SessionContextUse> {
    const { store, sessions } = this.parts;
    const session = await sessions.tipOf(sessionId);
    const [rows, texts] = await Promise.all([store.activeMessages(session.id), store.apiContents(session.id)]);
    const use = contextUse(rows, new Map(texts.map(({ messageUid, text }) => [messageUid, text])));
    try {
      const ref = this.modelOf(session);
      const agent = this.servingAgent(session.id, ref) ?? this.agentOf(ref);
      const reported = (await agent.reportedContext?.(session.conversationId)) ?? null;
      if (reported !== null) return { tokens: reported.used, counted: true, window: reported.size, parts: null };
      const model = await agent.openModel(new AbortController().signal);
      const frame = await this.frames.of(ref, session.private, agent, model);
      const beside = frame.system + frame.tools + frame.memory;
      // A token count from the service already includes these overhead tokens.
      const tokens = use.counted ? use.tokens : use.tokens + beside;
      return {
        tokens,
        counted: use.counted,
        window: contextOf(model),
        parts: { ...frame, messages: Math.max(0, tokens - beside) },
      };
    } catch {
      return { ...use, window: null, parts: null };
    }
  }

  /** Takes the conversation's slot at once. The caller has checked, inside the conversation's sequence, that it is
   *  free. Rejects with a `GatewayError` when nothing was changed. */
  begin(session: Session, request: CompressionRequest): Promise<CompressionReport> {
    const { conversationId } = session;
    const controller = new AbortController();
    const activity: CompressingActivity = { kind: 'compressing', startedAt: this.parts.clock.now() };
    let shownIn = session.id;
    const end = this.betweenTurns(session, request, controller.signal)
      .then((report) => {
        shownIn = report.sessionId;
        return report;
      })
      .finally(() => {
        this.running.delete(conversationId);
        this.notify(shownIn, null);
      });
    this.running.set(conversationId, { activity, controller, end });
    this.notify(session.id, activity);
    return end;
  }

  /** Shortens the history of a running turn. Null when nothing was changed. Throws `StoreError` when it is unknown
   *  which session the turn's rows belong to now. */
  async shortenHistory(
    session: Session,
    turnUid: string,
    { cause, model, rows, begins, signal }: ShortenRequest,
  ): Promise<Session | null> {
    const { store, log } = this.parts;
    try {
      if (cause === 'nearlyFull' && !(await this.isNearlyFull(session, rows, model))) return null;
      // A model that refuses a history accepts less than that history, whatever limit it reports.
      const contextWindow =
        cause === 'refused' ? Math.min(contextOf(model) ?? Infinity, contextUse(rows).tokens) : contextOf(model);
      if (this.engine.preview(rows, contextWindow) === null) return null;
      begins();
      const done = await this.attempt(
        { session, turnUid, contextWindow, focus: null, isForced: cause === 'refused', signal },
        model,
      );
      if (done.kind !== 'published') {
        log.info(`Session ${session.id} was not compressed inside turn ${turnUid}: ${done.sentence}`);
        return null;
      }
      this.rolledOver(session, done.child);
      return done.child;
    } catch (error) {
      if ((await store.conversationTip(session.id)) !== session.id) throw error;
      log.warn(`Session ${session.id} was not compressed inside turn ${turnUid}: ${errorMessage(error)}`);
      return null;
    }
  }

  /** Resolves when the compression has ended. A compression that is already being published is still published. */
  async stop(conversationId: string): Promise<void> {
    const run = this.running.get(conversationId);
    run?.controller.abort();
    // The caller of `begin` gets the outcome. This method only waits for the end.
    await run?.end.catch(() => undefined);
  }

  /** Resolves when every compression between turns has ended. */
  async ended(): Promise<void> {
    await Promise.allSettled([...this.running.values()].map(({ end }) => end));
  }

  async shutdown(): Promise<void> {
    this.closing.abort();
    await Promise.all([...this.running.keys()].map((conversationId) => this.stop(conversationId)));
  }

  private async betweenTurns(
    session: Session,
    { focus, isForced }: CompressionRequest,
    signal: AbortSignal,
  ): Promise<CompressionReport> {
    const model = await this.openModel(session, signal);
    const done = await this.attempt(
      { session, turnUid: null, contextWindow: contextOf(model), focus, isForced, signal },
      model,
    );
    if (done.kind !== 'published') throw new GatewayError('notCompressed', done.sentence);
    const { child, tokens, madeBy } = done;
    this.rolledOver(session, child);
    return { sessionId: child.id, tokens, madeBy };
  }

  /** Uses the model from the setting, or the session's own model when that one is of no use. */
  private async attempt(task: Omit<CompressionTask, 'model'>, own: ChatModel): Promise<Published | NoHandoff> {
    const summariser = await this.summariser(own, task.signal);
    const done = await this.work.compress({ ...task, model: summariser });
    if (done.kind !== 'unavailable' || summariser === own) return done;
    this.reportUnused(summariser.info.ref, own, done.sentence);
    return this.work.compress({ ...task, model: own, isForced: true });
  }

  private async isNearlyFull(
    { conversationId }: Session,
    rows: readonly Message[],
    model: ChatModel,
  ): Promise<boolean> {
    return isWorthChecking(contextUse(rows).tokens) && this.work.isDue({ conversationId, rows }, contextOf(model));
  }

  /** Returns the model that writes the summary of a session that `own` answers. Rejects with the reason of a stop. */
  private async summariser(own: ChatModel, signal: AbortSignal): Promise<ChatModel> {
    const ref = this.parts.summaryModel?.() ?? null;
    if (ref === null || ref === own.info.ref) return own;
    try {
      return await this.agentOf(ref).openModel(signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ModelError)) throw error;
      this.reportUnused(ref, own, error.message);
      return own;
    }
  }

  private reportUnused(ref: string, own: ChatModel, why: string): void {
    this.parts.log.warn(
      `The model ${ref} of the setting hermes.compression.model cannot be used, so ${own.info.ref} writes the ` +
        `summary: ${why}`,
    );
  }

  /** Everything that showed or served `parent` continues with `child`. */
  private rolledOver(parent: Session, child: Session): void {
    this.parts.runner.movedTo(child);
    this.parts.switching.rolledOver(parent, child);
  }

  private notify(sessionId: string, activity: CompressingActivity | null): void {
    this.parts.surfaces.notifyAll({ kind: 'compressing', sessionId, activity });
  }

  private modelOf(session: Session): string {
    const ref = session.model ?? this.parts.defaultModel();
    if (ref === null)
      throw new GatewayError(
        'noModel',
        t('No model is chosen yet, so Hermes can’t compress this session. Choose a model first.'),
      );
    return ref;
  }

  private async openModel(session: Session, signal: AbortSignal): Promise<ChatModel> {
    return this.agentOf(this.modelOf(session)).openModel(signal);
  }

  private agentOf(ref: string): TurnAgent {
    const signature = this.parts.agentSignature(ref);
    const known = this.agents.get(ref);
    if (known?.signature === signature) return known.agent;
    const agent = this.parts.createAgent(ref);
    this.agents.set(ref, { signature, agent });
    return agent;
  }
}

function isWorthChecking(tokens: number | null): tokens is number {
  return tokens !== null && tokens >= smallHistory;
}

import type { Agent } from '../agent/agent';
import { contextOf } from '../agent/compression/compressor';
import type { ContextEngine } from '../agent/compression/contextEngine';
import { contextUse } from '../agent/compression/contextUse';
import { protectedHead } from '../agent/compression/handoffText';
import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { SessionStore } from '../store/sessionStore';
import type { HandoffTokens } from '../transcript/handoff';
import type { Session } from '../transcript/session';
import { type CompressionReport, GatewayError, type SessionContextUse } from './gateway';

interface CompressionParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly engine: ContextEngine;
  readonly createAgent: (model: string) => Agent;
  readonly agentSignature: (model: string) => string;
  readonly defaultModel: () => string | null;
  /** The conversation goes on in `child`; everything that showed `parent` shows it now. */
  readonly rolledOver: (parent: Session, child: Session) => void;
}

export interface CompressionRequest {
  readonly focus: string | null;
  readonly isForced: boolean;
}

/** Below this a history is not looked at more closely: no model is so small that it would matter. */
const smallHistory = 2000;

/** Compressions under way, at most one per conversation. While one runs its conversation's slot counts as taken, so prompts queue. */
export class Compressions {
  private readonly running = new Map<string, { readonly controller: AbortController; readonly end: Promise<unknown> }>();
  private cached: { readonly signature: string; readonly agent: Agent } | null = null;

  constructor(private readonly parts: CompressionParts) {}

  isRunning(conversationId: string): boolean {
    return this.running.has(conversationId);
  }

  /** Whether the history must be compressed before the next prompt is sent. Never rejects: what cannot be known does not hold a prompt up. */
  async isDue(session: Session): Promise<boolean> {
    try {
      const rows = await this.parts.store.activeMessages(session.id);
      const use = contextUse(rows);
      if (!use.counted || use.tokens < smallHistory) return false;
      const model = await this.openModel(session, new AbortController().signal);
      return this.parts.engine.isDue({ conversationId: session.conversationId, rows }, contextOf(model));
    } catch (error) {
      this.parts.log.warn(`Whether session ${session.id} must be compressed is not known: ${error instanceof Error ? error.message : String(error)}`);
      return false;
    }
  }

  async preview(session: Session): Promise<HandoffTokens | null> {
    const rows = await this.parts.store.activeMessages(session.id);
    return this.parts.engine.preview(rows, contextOf(await this.openModel(session, new AbortController().signal)));
  }

  /** How full the context is. Rejects with a `StoreError`; what the model cannot say is left out. */
  async contextUse(session: Session): Promise<SessionContextUse> {
    const rows = await this.parts.store.activeMessages(session.id);
    const use = contextUse(rows);
    try {
      const agent = this.agentOf(session);
      const model = await agent.openModel(new AbortController().signal);
      const { system, tools } = agent.overhead(model);
      // A count of the service contains the frame already.
      const tokens = use.counted ? use.tokens : use.tokens + system + tools;
      return { tokens, counted: use.counted, window: contextOf(model), parts: { system, tools, messages: Math.max(0, tokens - system - tools) } };
    } catch {
      return { ...use, window: null, parts: null };
    }
  }

  /** Takes the conversation's slot at once. The caller has made sure, inside the conversation's sequence, that it is free. Rejects with a
   *  `GatewayError` when nothing was changed. */
  begin(session: Session, request: CompressionRequest): Promise<CompressionReport> {
    const { conversationId } = session;
    const controller = new AbortController();
    const end = this.work(session, request, controller.signal).finally(() => this.running.delete(conversationId));
    this.running.set(conversationId, { controller, end });
    return end;
  }

  /** Resolves when it has ended; one that is being published is published. */
  async stop(conversationId: string): Promise<void> {
    const run = this.running.get(conversationId);
    run?.controller.abort();
    // How it ended is told to whoever began it; here only that it has ended counts.
    await run?.end.catch(() => undefined);
  }

  async shutdown(): Promise<void> {
    await Promise.all([...this.running.keys()].map((conversationId) => this.stop(conversationId)));
  }

  private async work(session: Session, { focus, isForced }: CompressionRequest, signal: AbortSignal): Promise<CompressionReport> {
    const { store, clock, ids, engine } = this.parts;
    const { conversationId } = session;
    const rows = await store.activeMessages(session.id);
    const head = (await store.readTranscript({ sessionId: session.id, after: -1, limit: protectedHead })).messages;
    const model = await this.openModel(session, signal);
    const made = await engine.compress({ conversationId, rows, head }, { model, focus, isForced, signal });
    if (made.kind !== 'handoff') throw new GatewayError('notCompressed', made.sentence);
    if (signal.aborted) throw new GatewayError('notCompressed', 'Compressing was stopped. Nothing was changed.');
    const now = clock.now();
    const { session: child } = await store.compressSession({
      parentId: session.id,
      childId: ids.sessionId(now),
      handoff: made.text,
      summarisedUpTo: made.summarisedUpTo,
      tokens: made.tokens,
      now,
    });
    engine.rolledOver({ conversationId, fromSessionId: session.id, toSessionId: child.id, tokens: made.tokens });
    this.parts.rolledOver(session, child);
    return { sessionId: child.id, tokens: made.tokens, madeBy: made.madeBy };
  }

  private openModel(session: Session, signal: AbortSignal) {
    return this.agentOf(session).openModel(signal);
  }

  private agentOf(session: Session): Agent {
    const ref = session.model ?? this.parts.defaultModel();
    if (ref === null) throw new GatewayError('noModel', 'No model is chosen yet, so nothing can be summarised. Choose a model first.');
    const signature = this.parts.agentSignature(ref);
    if (this.cached?.signature !== signature) this.cached = { signature, agent: this.parts.createAgent(ref) };
    return this.cached.agent;
  }
}

import { t } from '../base/translate';
import type { ContextEngine, ContextHistory, HandoffRequest, NoHandoff } from '../agent/compression/contextEngine';
import { protectedHead } from '../agent/compression/handoffText';
import { errorMessage } from '../base/errorMessage';
import type { CompressSession } from '../store/requests';
import type { HandoffTokens } from '../transcript/handoff';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Usage } from '../transcript/usage';
import type { GatewayParts } from './conversationGateway';
import { resultWithin } from '../base/pause';

export interface Published {
  readonly kind: 'published';
  readonly child: Session;
  readonly tokens: HandoffTokens;
  readonly madeBy: 'summary' | 'plain';
}

export interface CompressionTask extends Omit<HandoffRequest, 'memoryNotes' | 'spent'> {
  readonly session: Session;
  /** The open turn that compresses its own history. Null between turns. */
  readonly turnUid: string | null;
}

/** Milliseconds to wait for other services' texts about the rows. Each service has a tighter limit in its own
 *  manager. */
const memoryNotesTimeoutMs = 8000;

/** One compression, from reading the history to publishing the next segment. */
export class CompressionJob {
  constructor(
    private readonly parts: GatewayParts,
    private readonly engine: ContextEngine,
  ) {}

  /** Throws `StoreError`. The conversation then continues at its tip. */
  async compress(task: CompressionTask): Promise<Published | NoHandoff> {
    const { engine } = this;
    const { store } = this.parts;
    const { session, signal } = task;
    const { conversationId } = session;
    const [rows, memo, { messages: head }] = await Promise.all([
      store.activeMessages(session.id),
      this.memoOf(conversationId),
      store.readTranscript({ sessionId: session.id, after: -1, limit: protectedHead }),
    ]);
    const memoryNotes = (summarised: readonly Message[]): Promise<string> =>
      this.memoryNotesFor(summarised, session, signal);
    const payer = task.turnUid ?? rows.findLast(({ turnUid }) => turnUid !== null)?.turnUid ?? null;
    const spent = (usage: Usage): Promise<void> => this.count(usage, payer);
    const made = await engine.compress({ conversationId, rows, head, memo }, { ...task, memoryNotes, spent });
    if (made.memo !== memo) await this.keepMemo(conversationId, made.memo);
    if (made.kind !== 'handoff') return made;
    if (signal.aborted) return { kind: 'stopped', sentence: t('Compression was stopped. Nothing was changed.') };
    const now = this.parts.clock.now();
    const child = await this.publish({
      parentId: session.id,
      childId: this.parts.ids.sessionId(now),
      handoff: made.text,
      summarisedUpTo: made.summarisedUpTo,
      tokens: made.tokens,
      now,
      ...(task.turnUid === null ? {} : { turnUid: task.turnUid }),
      ...(made.prompt === null ? {} : { prompt: made.prompt }),
    });
    engine.rolledOver({ conversationId, fromSessionId: session.id, toSessionId: child.id, tokens: made.tokens });
    return { kind: 'published', child, tokens: made.tokens, madeBy: made.madeBy };
  }

  /** Counts a request toward the open turn, or toward the last one between two turns. */
  private async count(usage: Usage, turnUid: string | null): Promise<void> {
    if (turnUid === null) return;
    try {
      await this.parts.store.addUsage(turnUid, usage);
    } catch (error) {
      this.parts.log.warn(`The cost of a summary could not be saved: ${errorMessage(error)}`);
    }
  }

  /** True when a compression is due. Takes earlier attempts into account (the memo). */
  async isDue(history: Omit<ContextHistory, 'head' | 'memo'>, contextWindow: number | null): Promise<boolean> {
    return this.engine.isDue({ ...history, memo: await this.memoOf(history.conversationId) }, contextWindow);
  }

  /** After a failed commit the child may stand all the same: the tip of the conversation says where things are. */
  private async publish(input: CompressSession): Promise<Session> {
    const { store } = this.parts;
    try {
      return (await store.compressSession(input)).session;
    } catch (error) {
      const child =
        (await store.conversationTip(input.parentId)) === input.childId ? await store.getSession(input.childId) : null;
      if (child === null) throw error;
      return child;
    }
  }

  /** Never rejects and never takes long: texts from other services must not delay a compression. */
  private async memoryNotesFor(rows: readonly Message[], session: Session, signal: AbortSignal): Promise<string> {
    const { agents, clock, log } = this.parts;
    const late = new AbortController();
    const either = AbortSignal.any([signal, late.signal]);
    const work = agents.serving(session.id)?.memory.beforeCompression(rows, either);
    if (work === undefined) return '';
    let why = 'it took too long or was stopped';
    const notes = await resultWithin(clock, memoryNotesTimeoutMs, work, null, signal).catch((error: unknown) => {
      why = errorMessage(error);
      return null;
    });
    if (notes !== null) return notes;
    late.abort();
    log.warn(`Session ${session.id} is compressed without what memory has to say of it: ${why}`);
    return '';
  }

  private async memoOf(conversationId: string): Promise<string | null> {
    const memo = await this.parts.store.getMeta(memoKey(conversationId));
    return memo === '' ? null : memo;
  }

  private async keepMemo(conversationId: string, memo: string | null): Promise<void> {
    try {
      await this.parts.store.setMeta(memoKey(conversationId), memo ?? '');
    } catch (error) {
      this.parts.log.warn(
        `How compressing conversation ${conversationId} went could not be saved: ${errorMessage(error)}`,
      );
    }
  }
}

function memoKey(conversationId: string): string {
  return `compression:${conversationId}`;
}

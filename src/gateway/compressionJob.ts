import { t } from '../base/translate';
import type { ContextEngine, ContextHistory, HandoffRequest, NoHandoff } from '../agent/compression/contextEngine';
import { protectedHead } from '../agent/compression/handoffText';
import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import { errorMessage } from '../base/errorMessage';
import type { SessionStore } from '../store/session/sessionStore';
import type { CompressSession } from '../store/requests';
import type { HandoffTokens } from '../transcript/handoff';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Usage } from '../transcript/usage';

export interface CompressionJobDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly engine: ContextEngine;
  /** Collects text from other services about the rows that will be summarized. Empty: no text. */
  readonly beforeCompression?: (rows: readonly Message[], signal: AbortSignal, sessionId: string) => Promise<string>;
}

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
  constructor(private readonly deps: CompressionJobDeps) {}

  /** Throws `StoreError`. The conversation then continues at its tip. */
  async compress(task: CompressionTask): Promise<Published | NoHandoff> {
    const { store, engine } = this.deps;
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
    const now = this.deps.clock.now();
    const child = await this.publish({
      parentId: session.id,
      childId: this.deps.ids.sessionId(now),
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
      await this.deps.store.addUsage(turnUid, usage);
    } catch (error) {
      this.deps.log.warn(`The cost of a summary could not be saved: ${errorMessage(error)}`);
    }
  }

  /** True when a compression is due. Takes earlier attempts into account (the memo). */
  async isDue(history: Omit<ContextHistory, 'head' | 'memo'>, contextWindow: number | null): Promise<boolean> {
    return this.deps.engine.isDue({ ...history, memo: await this.memoOf(history.conversationId) }, contextWindow);
  }

  /** After a failed commit the child may stand all the same: the tip of the conversation says where things are. */
  private async publish(input: CompressSession): Promise<Session> {
    const { store } = this.deps;
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
    const { clock, log, beforeCompression } = this.deps;
    if (beforeCompression === undefined) return '';
    const timeout = new AbortController();
    const out = new Promise<never>((_resolve, reject) =>
      timeout.signal.addEventListener('abort', () => reject(new Error('it took too long or was stopped')), {
        once: true,
      }),
    );
    const either = AbortSignal.any([signal, timeout.signal]);
    const cancel = clock.after(memoryNotesTimeoutMs, () => timeout.abort());
    const stop = (): void => timeout.abort();
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([beforeCompression(rows, either, session.id), out]);
    } catch (error) {
      log.warn(`Session ${session.id} is compressed without what memory has to say of it: ${errorMessage(error)}`);
      return '';
    } finally {
      cancel();
      signal.removeEventListener('abort', stop);
    }
  }

  private async memoOf(conversationId: string): Promise<string | null> {
    const memo = await this.deps.store.getMeta(memoKey(conversationId));
    return memo === '' ? null : memo;
  }

  private async keepMemo(conversationId: string, memo: string | null): Promise<void> {
    try {
      await this.deps.store.setMeta(memoKey(conversationId), memo ?? '');
    } catch (error) {
      this.deps.log.warn(
        `How compressing conversation ${conversationId} went could not be saved: ${errorMessage(error)}`,
      );
    }
  }
}

function memoKey(conversationId: string): string {
  return `compression:${conversationId}`;
}

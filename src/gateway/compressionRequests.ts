import { t } from '../base/translate';
import type { HandoffTokens } from '../transcript/handoff';
import type { Session } from '../transcript/session';
import type { CompressionRequest, CompressionScheduler } from './compressionScheduler';
import { type CompressionReport, GatewayError, type SessionContextUse } from './gateway';
import type { GatewayServices } from './gatewayServices';
import type { SessionDirectory } from './sessionDirectory';
import type { SurfaceRegistry } from './surfaceRegistry';
import type { TurnSlots } from './turnSlots';
import type { PromptQueue } from './promptQueue';

/** Compression that the user requests between two turns, and questions about the context. */
export class CompressionRequests {
  constructor(
    private readonly parts: Pick<GatewayServices, 'store'> & {
      readonly sessions: SessionDirectory;
      readonly surfaces: SurfaceRegistry;
      readonly slots: TurnSlots;
      readonly queue: PromptQueue;
      readonly compressionScheduler: CompressionScheduler;
    },
  ) {}

  /** Summarizes the earlier part of a session, which then continues with more room. The user sees one session.
   *  Prompts sent meanwhile are queued. Rejects with `busy` while a turn runs, and with `notCompressed` and the
   *  reason when nothing was changed. */
  async compress(sessionId: string, focus: string | null): Promise<CompressionReport> {
    const { store, sessions, surfaces, slots, queue } = this.parts;
    slots.refuseWhenClosing();
    const found = await sessions.tipOf(sessionId);
    const waiting = (await store.queue(found.id)).length;
    const report = await this.begin(found, { focus, isForced: true });
    // Starts prompts that were sent during the compression. Prompts that waited before it keep waiting for the user.
    if (waiting === 0) void queue.startNextInBackground(found, surfaces.surfaceOf(report.sessionId), true);
    return report;
  }

  /** Resolves when no compression runs between turns. */
  ended(): Promise<void> {
    return this.parts.compressionScheduler.ended();
  }

  /** Estimates the tokens that `compress` would save. Null when there is nothing to compress. */
  async preview(sessionId: string): Promise<HandoffTokens | null> {
    return this.parts.compressionScheduler.preview(await this.parts.sessions.tipOf(sessionId));
  }

  /** Returns how full the model's context is for a session. Reads the stored rows, so call it after a turn, not for
   *  every event of one. */
  async contextUse(sessionId: string): Promise<SessionContextUse> {
    return this.parts.compressionScheduler.contextUse(await this.parts.sessions.tipOf(sessionId));
  }

  private async begin(found: Session, request: CompressionRequest): Promise<CompressionReport> {
    const { slots, sessions, compressionScheduler } = this.parts;
    // Wrapped in an object, so that the sequence is left when the compression has begun, not when it has ended.
    const { end } = await slots.inSequence(found.conversationId, async () => {
      const session = await sessions.tipOf(found.id);
      if (await slots.isBusy(session))
        throw new GatewayError('busy', t('Hermes is answering in this session. Stop it first, or wait.'));
      return { end: compressionScheduler.begin(session, request) };
    });
    return end;
  }
}

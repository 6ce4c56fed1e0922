import { t } from '../base/translate';
import type { Session } from '../transcript/session';
import { GatewayError, type SubmitReceipt } from './gateway';
import { earlierPrompt } from './earlierPrompt';
import type { GatewayServices } from './gatewayServices';
import type { SessionDirectory } from './sessionDirectory';
import type { TurnSlots } from './turnSlots';
import type { SurfaceRegistry } from './surfaceRegistry';
import type { ModelChoices } from './modelChoices';
import type { SpendingLimit } from './spending';

/** Continues the last answer of a session where it stopped. The new turn's first row is not written by the user. */
export class AnswerContinuation {
  constructor(
    private readonly parts: Pick<GatewayServices, 'store' | 'ids'> & {
      readonly sessions: SessionDirectory;
      readonly slots: TurnSlots;
      readonly surfaces: SurfaceRegistry;
      readonly modelChoices: ModelChoices;
      readonly spending: SpendingLimit;
    },
  ) {}

  /** In a turn whose first row is not a prompt from the user (`isContinuation`). Rejects when another turn follows that
   *  one or runs. */
  async continueTurn(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    const { store, ids, sessions, slots, surfaces, modelChoices } = this.parts;
    await modelChoices.settled(surfaces.shownSession(surfaceId));
    slots.refuseWhenClosing();
    const turn = await store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', t('This turn no longer exists, so it can’t be continued.'));
    const found = await sessions.tipOf(turn.sessionId);
    return slots.inSequence(found.conversationId, async () => {
      await slots.prepare(found.conversationId);
      const session = await sessions.tipOf(found.id);
      if (await slots.isBusy(session))
        throw new GatewayError('busy', t('Hermes is answering in this session. Stop it first, or wait.'));
      await this.refuseUnlessLast(turnUid, session);
      if (turn.state === 'settled' && turn.stopReason === 'spendingLimit')
        await this.parts.spending.allowMore(session.id);
      const continuation = { asked: await earlierPrompt(store, session.id, 1) };
      const opened = await slots.open(surfaceId, session, {
        prompt: { uid: ids.uid(), text: '' },
        continuation,
        reason: 'resume',
      });
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    });
  }

  /** Throws `GatewayError` unless this turn's rows are last: a model can continue only the end of the messages that
   *  it gets. */
  private async refuseUnlessLast(turnUid: string, session: Session): Promise<void> {
    const rows = await this.parts.store.activeMessages(session.id);
    if (rows.at(-1)?.turnUid !== turnUid)
      throw new GatewayError('invalid', t('Only the last answer of a session can be continued.'));
  }
}

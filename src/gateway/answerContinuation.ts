import { t } from '../base/translate';
import type { Session } from '../transcript/session';
import { GatewayError, type SubmitReceipt } from './gateway';
import { earlierPrompt } from './earlierPrompt';
import type { GatewayParts } from './conversationGateway';

/** Continues the last answer of a session where it stopped. The new turn's first row is not written by the user. */
export class AnswerContinuation {
  constructor(private readonly parts: GatewayParts) {}

  /** In a turn whose first row is not a prompt from the user (`isContinuation`). Rejects when another turn follows that
   *  one or runs. */
  async continueTurn(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    const { store, ids, slots, surfaces, modelChoices, spending } = this.parts;
    await modelChoices.settled(surfaces.shownSession(surfaceId));
    slots.refuseWhenClosing();
    const turn = await store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', t('This turn no longer exists, so it can’t be continued.'));
    const continued = async (session: Session): Promise<SubmitReceipt> => {
      await this.refuseUnlessLast(turnUid, session);
      if (turn.state === 'settled' && turn.stopReason === 'spendingLimit') await spending.allowMore(session.id);
      const continuation = { asked: await earlierPrompt(store, session.id, 1) };
      const opened = await slots.open(surfaceId, session, {
        prompt: { uid: ids.uid(), text: '' },
        continuation,
        reason: 'resume',
      });
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    };
    return slots.whileIdle(turn.sessionId, continued, { opensTurn: true });
  }

  /** Throws `GatewayError` unless this turn's rows are last: a model can continue only the end of the messages that
   *  it gets. */
  private async refuseUnlessLast(turnUid: string, session: Session): Promise<void> {
    const rows = await this.parts.store.activeMessages(session.id);
    if (rows.at(-1)?.turnUid !== turnUid)
      throw new GatewayError('invalid', t('Only the last answer of a session can be continued.'));
  }
}

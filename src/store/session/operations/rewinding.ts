import { t } from '../../../base/translate';
import type { RewindSession, RewoundSession } from '../../conversations';
import { isContinuation } from '../../../transcript/continuation';
import { sentParts } from '../../../transcript/draftPart';
import { answerText, type Message } from '../../../transcript/message';
import type { HiddenRange } from '../tables/activeRows';
import type { BatchedWork } from '../tables/inBatches';
import { busy, refused } from '../tables/refusal';
import type { HidingState } from './rangeHiding';
import { StorePart } from '../tables/storePart';
import type { StoreOperations } from './storeOperations';

/** Hides a prompt and everything after it, batch by batch. */
export class Rewinding extends StorePart<StoreOperations> {
  rewinding(input: RewindSession): BatchedWork<HidingState<Message>, RewoundSession> {
    return this.store.ranges.hiding<Message, RewoundSession>(
      () => this.begin(input),
      (prompt, hidden) => {
        this.sessions.touch(prompt.sessionId, input.now);
        return {
          hidden,
          draft: isContinuation(prompt) ? '' : answerText(prompt.parts),
          draftParts: sentParts(prompt.parts),
        };
      },
    );
  }

  private begin({ sessionId, to }: RewindSession): { readonly begun: Message; readonly range: HiddenRange } {
    const { conversationId } = this.sessions.require(sessionId);
    const open = this.turns.openOf(conversationId);
    if (open !== null) throw busy(t('Hermes is answering in this session. Stop it first.'), open);
    const tip = this.sessions.tip(sessionId);
    this.store.ranges.settle(tip);
    const prompt = this.store.rows.inSegment(tip, to);
    if (prompt?.role !== 'user' || prompt.visibility.kind !== 'shown') {
      throw refused(
        t('This message is no longer in the open session. Nothing was changed.'),
        `message ${to} is no prompt shown in session ${tip}`,
      );
    }
    if (prompt.turnUid !== null && this.store.rows.startOfTurn(tip, prompt.turnUid) !== prompt.position) {
      throw refused(
        t('This was sent while Hermes was answering. Rewind to the prompt of that answer.'),
        `message ${to} is inside turn ${prompt.turnUid}`,
      );
    }
    // Rows hidden with a turn that was lost would count as damage.
    const version = prompt.turnUid === null || this.turns.find(prompt.turnUid) === null ? null : prompt.turnUid;
    return { begun: prompt, range: { sessionId: tip, from: prompt.position, reason: 'rewound', version } };
  }
}

import type { Ids } from '../base/ids';
import type { SessionStore } from '../store/sessionStore';
import { answerText, type Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import { isSteering } from '../transcript/steering';
import type { Turn } from '../transcript/turn';
import { GatewayError, type SubmitReceipt } from './gateway';
import type { SessionDirectory } from './sessionDirectory';
import type { TurnSlots } from './turnSlots';

interface VersionParts {
  readonly store: SessionStore;
  readonly ids: Ids;
  readonly sessions: SessionDirectory;
  readonly slots: TurnSlots;
}

/** Asks prompts again. What was answered before is hidden, never deleted. */
export class PromptVersions {
  constructor(private readonly parts: VersionParts) {}

  async retry(surfaceId: string, turnUid: string): Promise<SubmitReceipt> {
    const { store, ids, sessions, slots } = this.parts;
    slots.refuseWhenClosing();
    const turn = await store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', 'This turn is no longer stored, so it cannot be sent again.');
    const found = await sessions.tipOf(turn.sessionId);
    return slots.inSequence(found.conversationId, async () => {
      const session = await sessions.tipOf(found.id);
      if (await slots.isBusy(session)) throw new GatewayError('busy', 'Another answer is being written in this session. Stop it first, or wait.');
      // Behind a compression the summary is the newest row; no more than a few can follow each other.
      const page = await store.readTranscript({ sessionId: session.id, limit: 10 });
      const last = page.messages.findLast((message) => message.visibility.kind !== 'handoff');
      const prompt = await store.getMessage(turn.userMessageUid);
      if (!endsWithTurn(last, turn, prompt)) throw new GatewayError('invalid', 'Only the last prompt of a session can be sent again.');
      if (prompt?.role !== 'user') throw new GatewayError('notFound', 'The prompt of this turn is no longer stored, so it cannot be sent again.');
      const text = [prompt, ...(await this.steeringOf(turn, session))].map(({ parts }) => answerText(parts)).join('\n\n');
      const opened = await slots.open(surfaceId, session, { prompt: { uid: ids.uid(), text }, reason: 'resume', supersedes: turn.uid });
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    });
  }

  /** What the person told a turn while it ran: asked again, the model is told it with the prompt. */
  private async steeringOf(turn: Turn, session: Session): Promise<readonly Message[]> {
    const rows = await this.parts.store.activeMessages(session.id);
    return rows.filter((row, index) => row.turnUid === turn.uid && isSteering(rows, index));
  }
}

/** Whether the last row shown is of this turn, or the earlier prompt that a repair joined the turn's prompt to. */
function endsWithTurn(last: Message | undefined, turn: Turn, prompt: Message | null): boolean {
  if (last === undefined) return false;
  const absorbedInto = prompt?.visibility.kind === 'hidden' ? prompt.visibility.absorbedInto : null;
  return last.turnUid === turn.uid || last.uid === absorbedInto;
}

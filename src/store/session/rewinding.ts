import type { RewindSession, RewoundSession } from '../conversations';
import { isContinuation } from '../../transcript/continuation';
import { sentParts } from '../../transcript/draftPart';
import { answerText } from '../../transcript/message';
import type { ActiveRows } from './activeRows';
import type { MessageTable } from './messageTable';
import { busy, refused } from './refusal';
import type { SessionTable } from './sessionTable';
import type { TurnTable } from './turnTable';

/** Takes a prompt and everything behind it back. Runs inside its caller's transaction. */
export class Rewinding {
  constructor(
    private readonly sessions: SessionTable,
    private readonly messages: MessageTable,
    private readonly turns: TurnTable,
    private readonly rows: ActiveRows,
  ) {}

  rewind({ sessionId, to, now }: RewindSession): RewoundSession {
    const { conversationId } = this.sessions.require(sessionId);
    const open = this.turns.openOf(conversationId);
    if (open !== null) throw busy('This session is still answering. Stop it before you rewind it.', open);
    const tip = this.sessions.tip(sessionId);
    const prompt = this.rows.inSegment(tip, to);
    if (prompt?.role !== 'user' || prompt.visibility.kind !== 'shown') {
      throw refused(
        'This prompt is not part of the open session any more. Nothing was changed.',
        `message ${to} is no prompt shown in session ${tip}`,
      );
    }
    if (prompt.turnUid !== null && this.rows.startOfTurn(tip, prompt.turnUid) !== prompt.position) {
      throw refused(
        'This was said while an answer was being written. Rewind to the prompt that answer belongs to.',
        `message ${to} is inside turn ${prompt.turnUid}`,
      );
    }
    const hidden = this.rows.hideFrom(tip, prompt.position, 'rewound', null);
    this.rows.recountTurns(conversationId);
    this.sessions.touch(tip, now);
    const messages = hidden.flatMap((uid) => this.messages.find(uid)?.message ?? []);
    return {
      messages,
      draft: isContinuation(prompt) ? '' : answerText(prompt.parts),
      draftParts: sentParts(prompt.parts),
      turns: new Set(messages.flatMap(({ turnUid }) => turnUid ?? [])).size,
    };
  }
}

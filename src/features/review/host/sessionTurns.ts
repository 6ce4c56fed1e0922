import type { SessionStore } from '../../../store/session/sessionStore';
import { answerText } from '../../../transcript/message';

const pageSize = 200;

/** Turn of a session with the prompt that began it. */
export interface PromptedTurn {
  readonly uid: string;
  readonly sessionId: string;
  /** Text of the prompt; empty when it has none. */
  readonly prompt: string;
}

/** Shown turns of a session, the oldest first. Includes the segments before a compression. */
export async function turnsOf(
  store: Pick<SessionStore, 'readTranscript'>,
  sessionId: string,
): Promise<readonly PromptedTurn[]> {
  const turns = new Map<string, PromptedTurn>();
  for (let before: number | undefined; ;) {
    const page = await store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    });
    for (const turn of page.turns.toReversed()) {
      const prompt = page.messages.find(({ role, turnUid }) => role === 'user' && turnUid === turn.uid);
      const known = turns.get(turn.uid);
      if (known === undefined || prompt !== undefined)
        turns.set(turn.uid, {
          uid: turn.uid,
          sessionId: turn.sessionId,
          prompt: prompt === undefined ? (known?.prompt ?? '') : answerText(prompt.parts),
        });
    }
    before = page.messages[0]?.position;
    if (before === undefined || !page.hasEarlier) return [...turns.values()].toReversed();
  }
}

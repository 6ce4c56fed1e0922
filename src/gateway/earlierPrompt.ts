import type { SessionStore } from '../store/session/sessionStore';
import { isContinuation } from '../transcript/continuation';
import type { Message } from '../transcript/message';

const pageSize = 100;

/** Returns the prompt that began the newest `turns` turns of a conversation, as it is shown. Steering during a turn
 *  counts as part of its prompt. Returns the very first prompt when there are fewer turns, and null when there is
 *  none. */
export async function earlierPrompt(store: SessionStore, sessionId: string, turns: number): Promise<Message | null> {
  let found: Message | null = null;
  let left = Math.max(1, Math.floor(turns));
  let before: number | undefined;
  for (;;) {
    const page = await store.readTranscript({
      sessionId,
      limit: pageSize,
      ...(before === undefined ? {} : { before }),
    });
    const began = new Map(page.turns.map((turn) => [turn.uid, turn.userMessageUid]));
    for (const message of page.messages.toReversed()) {
      const isPrompt =
        message.role === 'user' &&
        message.visibility.kind === 'shown' &&
        !isContinuation(message) &&
        (message.turnUid === null || began.get(message.turnUid) === message.uid);
      if (!isPrompt) continue;
      found = message;
      if (--left === 0) return found;
    }
    const first = page.messages[0];
    if (!page.hasEarlier || first === undefined) return found;
    before = first.position;
  }
}

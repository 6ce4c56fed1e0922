import type { SessionStore } from '../../store/sessionStore';
import type { Message } from '../../transcript/message';

/** Returns the row itself, or the row of an earlier segment that it repeats: the transcript contains that one. Null:
 *  it is not stored. */
export async function originalRow(sessions: Pick<SessionStore, 'getMessage'>, uid: string): Promise<Message | null> {
  let message = await sessions.getMessage(uid);
  const passed = new Set([uid]);
  while (message !== null && message.carriedFrom !== null && !passed.has(message.carriedFrom)) {
    passed.add(message.carriedFrom);
    message = await sessions.getMessage(message.carriedFrom);
  }
  return message;
}

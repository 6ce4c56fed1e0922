import type { Message } from './message';

/** The uid of the row that begins a segment made by compression. Derived from the session, so that a segment has one. */
export function handoffUid(sessionId: string): string {
  return `${sessionId}/handoff`;
}

/** Whether a row is a segment's handoff: a summary written for the model, which no prompt may be mixed with. */
export function isHandoff(message: Pick<Message, 'uid' | 'sessionId'>): boolean {
  return message.uid === handoffUid(message.sessionId);
}

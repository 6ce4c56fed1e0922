import { createHash } from 'node:crypto';
import type { RetainItem } from './hindsightApi';
import type { TurnText } from './ports';

export const conversationContext = 'conversation between Hermes, a coding agent, and the person it works for';

/** Returns the turns as a JSON array of messages: in this format a server keeps speakers apart and joins appended
 *  text. */
function contentOf(turns: readonly TurnText[]): string {
  return JSON.stringify(
    turns.flatMap(({ prompt, answer, startedAt, settledAt }) => [
      { role: 'user', content: `User: ${prompt}`, timestamp: isoTime(startedAt) },
      { role: 'assistant', content: `Assistant: ${answer}`, timestamp: isoTime(settledAt) },
    ]),
  );
}

export function turnsItem(
  request: {
    readonly sessionId: string;
    readonly parentSessionId: string | null;
    readonly documentId: string;
    readonly turns: readonly TurnText[];
  } & Pick<RetainItem, 'mode' | 'operationId'>,
): RetainItem {
  const { sessionId, parentSessionId, documentId, turns, mode, operationId } = request;
  return {
    documentId,
    mode,
    operationId,
    content: contentOf(turns),
    context: conversationContext,
    timestamp: turns[0] === undefined ? null : isoTime(turns[0].startedAt),
    tags: [sessionTag(sessionId), ...(parentSessionId === null ? [] : [`parent:${parentSessionId}`])],
    metadata: { session_id: sessionId, source: 'hermes-vscode', turn_count: String(turns.length) },
  };
}

export function sessionTag(sessionId: string): string {
  return `session:${sessionId}`;
}

/** Returns a UUID derived from the identity of a write, so that a repeated request is the same operation. */
export function operationIdOf(...parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest();
  // Version 8 (custom) and the variant bits of RFC 9562.
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

/** `20261120T080000123Z`: part of a document's id, so that it cannot be confused with an earlier document. */
export function startStamp(now: number): string {
  return isoTime(now).replace(/[-:.]/g, '');
}

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString();
}

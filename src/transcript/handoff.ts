import * as v from 'valibot';
import type { Message } from './message';
import type { Part, TextPart } from './part';

/** Uid of the row that begins a segment made by compression. Derived from the session, so that a segment has only
 *  one. */
export function handoffUid(sessionId: string): string {
  return `${sessionId}/handoff`;
}

/** True when a row is a segment's handoff: a summary written for the model, which no prompt may be joined to. */
export function isHandoff(message: Pick<Message, 'uid' | 'sessionId'>): boolean {
  return message.uid === handoffUid(message.sessionId);
}

/** Tokens of the history before and after a compression. */
export interface HandoffTokens {
  readonly before: number;
  readonly after: number;
}

const savedTokens = v.object({ before: v.number(), after: v.number() });

export function handoffPart(text: string, tokens: HandoffTokens | undefined): TextPart {
  return {
    kind: 'text',
    text,
    ...(tokens === undefined ? {} : { metadata: { compression: { before: tokens.before, after: tokens.after } } }),
  };
}

/** Token counts stored in a handoff; null when it has none. */
export function handoffTokens({ parts }: { readonly parts: readonly Part[] }): HandoffTokens | null {
  const part = parts[0];
  const parsed = v.safeParse(savedTokens, part?.kind === 'text' ? part.metadata?.['compression'] : undefined);
  return parsed.success ? parsed.output : null;
}

import * as v from 'valibot';
import type { Message } from './message';
import type { Part, TextPart } from './part';

/** The uid of the row that begins a segment made by compression. Derived from the session, so that a segment has one. */
export function handoffUid(sessionId: string): string {
  return `${sessionId}/handoff`;
}

/** Whether a row is a segment's handoff: a summary written for the model, which no prompt may be mixed with. */
export function isHandoff(message: Pick<Message, 'uid' | 'sessionId'>): boolean {
  return message.uid === handoffUid(message.sessionId);
}

/** What the history took before a compression and behind it. */
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

/** What a handoff says it saved; null where it does not say. */
export function handoffTokens({ parts }: { readonly parts: readonly Part[] }): HandoffTokens | null {
  const part = parts[0];
  const told = v.safeParse(savedTokens, part?.kind === 'text' ? part.metadata?.['compression'] : undefined);
  return told.success ? told.output : null;
}

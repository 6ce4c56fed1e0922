import type { Role } from './message';
import type { Part, TextPart } from './part';

/** What the model is sent when the person chose Continue. No person wrote it: a surface shows a line in its place, and it counts as no prompt. */
const continuationText =
  '(The person chose “Continue”. Go on with your previous answer exactly where it stopped: repeat nothing of it, and say nothing about the interruption.)';

/** The whole of a row that asks for the rest of the answer ahead of it. */
export function continuationPart(): TextPart {
  return { kind: 'text', text: continuationText, metadata: { action: 'continue' } };
}

/** Whether a row was made by choosing Continue, and not written by a person. */
export function isContinuation({ role, parts }: { readonly role: Role; readonly parts: readonly Part[] }): boolean {
  const part = parts[0];
  return role === 'user' && part?.kind === 'text' && part.metadata?.['action'] === 'continue';
}

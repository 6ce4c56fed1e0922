import type { Role } from './message';
import type { Part, TextPart } from './part';

/** Text that the model gets when the user chose Continue. The user did not write it: a surface shows a line in its
 *  place, and it does not count as a prompt. */
const continuationText =
  '(The person chose “Continue”. Go on with your previous answer exactly where it stopped: repeat nothing of it, ' +
  'and say nothing about the interruption.)';

/** Only part of a row that asks for the rest of the answer before it. */
export function continuationPart(): TextPart {
  return { kind: 'text', text: continuationText, metadata: { action: 'continue' } };
}

/** True when choosing Continue created the row, so the user did not write it. */
export function isContinuation({ role, parts }: { readonly role: Role; readonly parts: readonly Part[] }): boolean {
  const part = parts[0];
  return role === 'user' && part?.kind === 'text' && part.metadata?.['action'] === 'continue';
}

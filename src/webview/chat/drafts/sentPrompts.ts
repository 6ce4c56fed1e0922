import { draftAfter, type DraftOnItsWay, type DraftPart } from '../../../protocol/transcriptTypes';
import { isSamePart } from './draftParts';

/** Prompt sent from the composer of `key`, with its text there, and not known to be on disk. */
export interface SentPrompt extends DraftOnItsWay {
  readonly key: string;
  /** Key of that composer when the prompt was sent. */
  readonly keyThen: string;
  readonly parts: readonly DraftPart[];
}

/** Returns the fields of a prompt being sent that the host receives. */
export function asGiven({ uid, text, parts }: SentPrompt): DraftOnItsWay {
  return parts.length === 0 ? { uid, text } : { uid, text, parts };
}

/** Returns the host's draft without the prompts at its beginning that are still being sent. */
export function draftAfterSent(
  sent: readonly SentPrompt[],
  text: string,
  parts: readonly DraftPart[],
): { readonly text: string; readonly parts: readonly DraftPart[] } {
  let left = { text, parts };
  for (const prompt of sent) {
    const rest = draftAfter(left.text, prompt.text);
    const areAhead =
      prompt.parts.length <= left.parts.length &&
      prompt.parts.every((part, index) => isSamePart(part, left.parts[index] ?? part));
    if (rest !== null && areAhead)
      left = { text: rest, parts: prompt.parts.length === 0 ? left.parts : left.parts.slice(prompt.parts.length) };
  }
  return left;
}

import { draftBehind, type DraftOnItsWay, type DraftPart } from '../../../protocol/transcriptTypes';
import { isSamePart } from './draftParts';

/** A prompt that was sent from the composer of `key`, as it read there, and is not known to be on disk. */
export interface SentPrompt extends DraftOnItsWay {
  readonly key: string;
  /** The key that composer had when the prompt was sent. */
  readonly keyThen: string;
  readonly parts: readonly DraftPart[];
}

/** What the host is given of a prompt on its way. */
export function asGiven({ uid, text, parts }: SentPrompt): DraftOnItsWay {
  return parts.length === 0 ? { uid, text } : { uid, text, parts };
}

/** The host's draft without the prompts that it begins with and that are on their way. */
export function behindSent(
  sent: readonly SentPrompt[],
  text: string,
  parts: readonly DraftPart[],
): { readonly text: string; readonly parts: readonly DraftPart[] } {
  let left = { text, parts };
  for (const prompt of sent) {
    const rest = draftBehind(left.text, prompt.text);
    const areAhead =
      prompt.parts.length <= left.parts.length &&
      prompt.parts.every((part, index) => isSamePart(part, left.parts[index] ?? part));
    if (rest !== null && areAhead)
      left = { text: rest, parts: prompt.parts.length === 0 ? left.parts : left.parts.slice(prompt.parts.length) };
  }
  return left;
}

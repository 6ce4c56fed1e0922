import { sameCall } from './callIds';
import { answerText, type AssistantMessage, type UserMessage } from './message';
import type { AssistantPart, TextPart, ThinkingPart, ToolCallPart } from './part';
import { addUsage } from './usage';

type Answer = Omit<AssistantMessage, 'position'>;

const betweenPrompts = '\n\n';

/** Appends the text of `second` to `first`. A blank side yields the other; returns `first` itself when nothing
 *  changes. */
export function joinPrompts(first: UserMessage, second: UserMessage): UserMessage {
  const before = answerText(first.parts);
  const after = answerText(second.parts);
  if (after.trim() === '') return first;
  return withText(first, before.trim() === '' ? after : `${before}${betweenPrompts}${after}`);
}

/** Removes the text that `joinPrompts` appended. Null when `joined` no longer ends with that text. */
export function separatePrompts(joined: UserMessage, absorbed: UserMessage): UserMessage | null {
  const whole = answerText(joined.parts);
  const added = answerText(absorbed.parts);
  if (added.trim() === '') return joined;
  if (whole === added) return withText(joined, '');
  return whole.endsWith(betweenPrompts + added)
    ? withText(joined, whole.slice(0, -(betweenPrompts.length + added.length)))
    : null;
}

function withText(message: UserMessage, text: string): UserMessage {
  return { ...message, parts: [{ kind: 'text', text }] };
}

/** Joins `first` and `second` into one answer: text and thinking in order, then the calls of both, each once. Every
 *  delivered part of `first` is still the beginning of one of the result's parts. */
export function joinAnswers<A extends Answer>(first: A, second: A): A {
  const firstIsEmpty = first.parts.every((part) => part.kind !== 'toolCall' && isBlank(part));
  const model = firstIsEmpty ? second.model : first.model;
  // One row has one model, and a signature may go back only to its own model.
  const secondParts = second.model === model ? second.parts : second.parts.map(withoutMetadata);
  const texts = [...textPartsIn(first.parts), ...textPartsIn(secondParts)];
  const seam =
    isAnswered(first) && isAnswered(second) ? first.parts.findLast((part) => part.kind === 'text') : undefined;
  return {
    ...first,
    model,
    parts: [
      ...texts.map((part) => (part === seam && !part.text.endsWith('\n') ? { ...part, text: `${part.text}\n` } : part)),
      ...callsIn(first.parts),
      ...callsIn(secondParts).filter(
        ({ callId }) => !callsIn(first.parts).some((call) => sameCall(call.callId, callId)),
      ),
    ],
    lastSeq: firstIsEmpty ? second.lastSeq : first.lastSeq,
    finishReason: second.finishReason ?? first.finishReason,
    usage:
      first.usage === null || second.usage === null
        ? (first.usage ?? second.usage)
        : addUsage(first.usage, second.usage),
  };
}

/** Calls among the parts, in order. */
export function callsIn(parts: readonly AssistantPart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.kind === 'toolCall');
}

function textPartsIn(parts: readonly AssistantPart[]): readonly (TextPart | ThinkingPart)[] {
  return parts.filter((part) => part.kind !== 'toolCall').filter((part) => !isBlank(part));
}

/** True for a part without content. A part with only metadata (redacted or encrypted reasoning) has content: its
 *  provider needs it back. */
function isBlank(part: TextPart | ThinkingPart): boolean {
  return part.text === '' && part.metadata === undefined;
}

function isAnswered(message: Answer): boolean {
  return answerText(message.parts).trim() !== '';
}

function withoutMetadata(part: AssistantPart): AssistantPart {
  const { metadata: _metadata, ...rest } = part;
  return rest;
}

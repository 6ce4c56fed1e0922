import { sameCall } from './callIds';
import { answerText, type AssistantMessage, type UserMessage } from './message';
import type { AssistantPart, TextPart, ThinkingPart, ToolCallPart } from './part';
import { addUsage } from './usage';

const betweenPrompts = '\n\n';

/** `first` with the text of `second` behind it. A blank side yields the other; `first` itself when nothing changes. */
export function joinPrompts(first: UserMessage, second: UserMessage): UserMessage {
  const before = answerText(first.parts);
  const after = answerText(second.parts);
  if (after.trim() === '') return first;
  return withText(first, before.trim() === '' ? after : `${before}${betweenPrompts}${after}`);
}

/** `joined` without the text that `joinPrompts` put behind it, or null when it does not end with that text any more. */
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

/** `first` with the answer of `second` behind it, as one answer: what was said and thought in order, then the calls of both, each once. Every
 *  delivered part of `first` is still the beginning of one of its parts. */
export function joinAnswers(first: AssistantMessage, second: AssistantMessage): AssistantMessage {
  const firstIsEmpty = first.parts.every((part) => part.kind !== 'toolCall' && isBlank(part));
  const model = firstIsEmpty ? second.model : first.model;
  // One row has one model, and a signature goes back only to the model it came from.
  const secondParts = second.model === model ? second.parts : second.parts.map(withoutMetadata);
  const said = [...saidIn(first.parts), ...saidIn(secondParts)];
  const seam =
    isAnswered(first) && isAnswered(second) ? first.parts.findLast((part) => part.kind === 'text') : undefined;
  return {
    ...first,
    model,
    parts: [
      ...said.map((part) => (part === seam && !part.text.endsWith('\n') ? { ...part, text: `${part.text}\n` } : part)),
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

/** The calls among the parts, in order. */
export function callsIn(parts: readonly AssistantPart[]): readonly ToolCallPart[] {
  return parts.filter((part) => part.kind === 'toolCall');
}

function saidIn(parts: readonly AssistantPart[]): readonly (TextPart | ThinkingPart)[] {
  return parts.filter((part) => part.kind !== 'toolCall').filter((part) => !isBlank(part));
}

/** Says nothing to anyone. A part of metadata alone (redacted or encrypted reasoning) says something to its provider, which wants it back. */
function isBlank(part: TextPart | ThinkingPart): boolean {
  return part.text === '' && part.metadata === undefined;
}

function isAnswered(message: AssistantMessage): boolean {
  return answerText(message.parts).trim() !== '';
}

function withoutMetadata(part: AssistantPart): AssistantPart {
  const { metadata: _metadata, ...rest } = part;
  return rest;
}

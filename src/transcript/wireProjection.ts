import { answeredCalls } from './callIds';
import { type JsonObject, parseJsonObject } from './json';
import { answerText, type AssistantMessage, type Message, type UserMessage } from './message';
import type { AssistantPart, AttachmentPart, ImagePart, ToolResultPart, UserPart } from './part';
import { isSteering, steeringText } from './steering';
import type { WireAssistantContent, WireImage, WireMessage, WireToolResult, WireUserContent } from './wireMessage';

/** Texts for the model where a stored row has no sendable content. */
const emptyAnswer = '(This answer ended before any text.)';
const nothingRecorded = 'No result was recorded for this call. It may or may not have run.';
const beginningMissing = '(The beginning of this conversation is not available.)';

/** Creates the copy of the active transcript that is sent. Pure. Whatever the rows are, every call is answered directly
 *  after its assistant message, no result is alone, and no message is empty. No two user messages are adjacent, none
 *  follows a result, and a user message comes first. Names, ids, pictures and schemas are made acceptable later, by the
 *  contract of the service (models/http/wireContract.ts). Thinking and provider metadata go back only to their own
 *  model: another provider rejects the signatures. `texts`: texts to send in place of the user's, by uid of the
 *  prompt. */
export function projectToWire(
  messages: readonly Message[],
  model: string,
  texts: ReadonlyMap<string, string> = new Map(),
): readonly WireMessage[] {
  const wire: WireMessage[] = [];
  for (const [index, message] of messages.entries()) {
    switch (message.role) {
      case 'user':
        if (isSteering(messages, index)) appendSteering(wire, message);
        else appendUser(wire, message, texts.get(message.uid));
        break;
      case 'assistant':
        appendAssistant(wire, message, model, resultsAfter(messages, index));
        break;
      case 'tool':
        // Sent with the assistant message of its call; a result without its call is not sent (hermes-agent: stray tool
        // results).
        break;
      default:
        message satisfies never;
    }
  }
  return wire;
}

function appendUser(wire: WireMessage[], message: UserMessage, text?: string): void {
  const content = withText(message.parts, text).flatMap((part): readonly WireUserContent[] => {
    switch (part.kind) {
      case 'text':
        return part.text.trim() === '' ? [] : [{ kind: 'text', text: part.text }];
      case 'image':
        return [wireImage(part)];
      case 'attachment':
        return [{ kind: 'text', text: attachmentText(part) }];
      default:
        return part satisfies never;
    }
  });
  if (content.length === 0) return;
  const last = wire.at(-1);
  // The turn's closing row is lost: chat templates reject a user message after a result.
  if (last?.role === 'tool') wire.push({ role: 'assistant', content: [{ kind: 'text', text: emptyAnswer }] });
  if (last?.role === 'user') wire[wire.length - 1] = { role: 'user', content: [...last.content, ...content] };
  else wire.push({ role: 'user', content });
}

/** Text of an attachment, marked off from the user's own text. */
function attachmentText({ label, text }: AttachmentPart): string {
  return `<attachment label=${JSON.stringify(label)}>\n${text}\n</attachment>`;
}

function wireImage({ mediaType, dataBase64 }: ImagePart): WireImage {
  return { kind: 'image', mediaType, dataBase64 };
}

/** Parts with one text in place of their own texts. */
function withText(parts: readonly UserPart[], text: string | undefined): readonly UserPart[] {
  return text === undefined ? parts : [{ kind: 'text', text }, ...parts.filter((part) => part.kind !== 'text')];
}

/** Adds the user's steering to the last result before it. */
function appendSteering(wire: WireMessage[], message: UserMessage): void {
  const last = wire.at(-1);
  if (last?.role !== 'tool') return appendUser(wire, message);
  const along = message.parts.flatMap((part) => (part.kind === 'attachment' ? [attachmentText(part)] : []));
  const images = message.parts.filter((part) => part.kind === 'image').map(wireImage);
  const text = [
    answerText(message.parts),
    ...along,
    ...(images.length === 0 ? [] : ["(Images of the person's go with this result.)"]),
  ]
    .filter((each) => each.trim() !== '')
    .join('\n\n');
  if (text === '') return;
  const result = last.results.at(-1);
  if (result === undefined) return;
  const withSteering = {
    ...result,
    text: `${result.text}\n\n${steeringText(text)}`,
    ...(images.length === 0 ? {} : { images: [...(result.images ?? []), ...images] }),
  };
  wire[wire.length - 1] = { role: 'tool', results: [...last.results.slice(0, -1), withSteering] };
}

function appendAssistant(
  wire: WireMessage[],
  message: AssistantMessage,
  model: string,
  results: readonly ToolResultPart[],
): void {
  const isSameModel = message.model === model;
  const { calls, answers } = answeredCalls(
    message.parts.filter((part) => part.kind === 'toolCall'),
    results,
  );
  const content = message.parts
    .filter((part) => part.kind !== 'toolCall' || calls.includes(part))
    .flatMap((part) => wireContent(part, isSameModel));
  const hasSubstance = content.some((part) => part.kind !== 'thinking');
  const sent: readonly WireAssistantContent[] = hasSubstance ? content : [{ kind: 'text', text: emptyAnswer }];
  const last = wire.at(-1);
  if (last === undefined) wire.push({ role: 'user', content: [{ kind: 'text', text: beginningMissing }] });
  if (last?.role === 'assistant') wire[wire.length - 1] = { role: 'assistant', content: [...last.content, ...sent] };
  else wire.push({ role: 'assistant', content: sent });
  if (calls.length === 0) return;
  wire.push({ role: 'tool', results: calls.map((call) => wireResult(call.callId, call.name, answers.get(call))) });
}

function wireContent(part: AssistantPart, isSameModel: boolean): readonly WireAssistantContent[] {
  const metadata = isSameModel && part.metadata !== undefined ? { metadata: part.metadata } : {};
  switch (part.kind) {
    case 'text':
      return part.text.trim() === '' ? [] : [{ kind: 'text', text: part.text, ...metadata }];
    case 'thinking':
      return isSameModel ? [{ kind: 'thinking', text: part.text, ...metadata }] : [];
    case 'toolCall':
      return [
        {
          kind: 'toolCall',
          callId: part.callId,
          name: part.name,
          arguments: callArguments(part.arguments),
          ...metadata,
        },
      ];
    default:
      return part satisfies never;
  }
}

/** Sends a call without arguments if they are not a JSON object; its failed result says why. */
function callArguments(text: string): JsonObject {
  const parsed = parseJsonObject(text);
  return parsed.kind === 'object' ? parsed.value : {};
}

function wireResult(callId: string, name: string, part: ToolResultPart | undefined): WireToolResult {
  if (part === undefined) return { callId, name, text: nothingRecorded, isError: true };
  const images = part.images === undefined || part.images.length === 0 ? {} : { images: part.images.map(wireImage) };
  return {
    callId,
    name,
    text: part.text === '' ? '(no output)' : part.text,
    isError: part.outcome !== 'done',
    ...images,
  };
}

/** Results directly after an assistant row. Call ids are not unique across a transcript, because some servers count
 *  from zero in every answer. So a result belongs to the nearest call before it. */
function resultsAfter(messages: readonly Message[], index: number): readonly ToolResultPart[] {
  const results: ToolResultPart[] = [];
  for (let next = index + 1; next < messages.length; next++) {
    const message = messages[next];
    if (message?.role !== 'tool') break;
    results.push(message.parts[0]);
  }
  return results;
}

import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ImagePart, ToolOutcome } from '../../../../../transcript/part';
import type { ForeignPart } from '../foreign';
import { asList, asObject, isSet, nameOf, objectOf, own, textOf } from './fields';

export interface ReadContent {
  readonly parts: readonly ForeignPart[];
  /** Sentences about blocks that could not be carried over. */
  readonly omitted: readonly string[];
}

export const noContent: ReadContent = { parts: [], omitted: [] };

export function one(part: ForeignPart): ReadContent {
  return { parts: [part], omitted: [] };
}

/** Nothing for an empty text. */
export function textContent(text: string): ReadContent {
  return text === '' ? noContent : one({ kind: 'text', text });
}

export function omit(sentence: string): ReadContent {
  return { parts: [], omitted: [sentence] };
}

/** A block of a type that is not known. */
export function unknownBlock(type: string | null): ReadContent {
  return omit(`A block of type “${type ?? 'none'}” was left out.`);
}

export function joined(contents: readonly ReadContent[]): ReadContent {
  return { parts: contents.flatMap(({ parts }) => parts), omitted: contents.flatMap(({ omitted }) => omitted) };
}

/** Why a message without parts is left out. */
export function emptyReason({ omitted }: ReadContent): string {
  return omitted[0] ?? 'The message is empty.';
}

/** The texts among the parts. */
export function textIn(parts: readonly ForeignPart[], separator = '\n'): string {
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join(separator);
}

/** A tool call whose arguments are in this field, as the model wrote them or parsed. */
export function callOf(
  callId: string | null,
  name: string | null,
  record: JsonObject | null,
  field: string,
): ReadContent {
  if (callId === null || name === null) return omit('A tool call without an id or a name was left out.');
  return one({ kind: 'toolCall', callId, name, arguments: argumentsOf(record, field) });
}

export function argumentsOf(record: JsonObject | null, name: string): string {
  const value = own(record, name);
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

/** A tool result from the texts and images of its content. */
export function resultOf(callId: string, name: string, outcome: ToolOutcome, content: ReadContent): ReadContent {
  const images = content.parts.filter((part): part is ImagePart => part.kind === 'image');
  const links = content.parts.flatMap((part) => (part.kind === 'imageLink' ? [part.url] : []));
  const texts = content.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  const text = [...texts, ...links].join('\n');
  const result = { kind: 'toolResult', callId, name, outcome, text } as const;
  return { parts: [images.length === 0 ? result : { ...result, images }], omitted: content.omitted };
}

/** Says which earlier tool call has this id. */
type NameOfCall = (callId: string) => string | null;

/** Reads the content of a message of Anthropic's Messages API: a text, or a list of blocks.
 *  `nameOfCall` gives the name of an earlier tool call, for its result. */
export function anthropicContent(content: JsonValue | undefined, nameOfCall: NameOfCall = () => null): ReadContent {
  if (typeof content === 'string') return textContent(content);
  return joined((asList(content) ?? []).map((block) => anthropicBlock(asObject(block), nameOfCall)));
}

function anthropicBlock(block: JsonObject | null, nameOfCall: NameOfCall): ReadContent {
  const type = textOf(block, 'type');
  switch (type) {
    case 'text':
      return one({ kind: 'text', text: textOf(block, 'text') ?? '' });
    case 'thinking': {
      const signature = nameOf(block, 'signature');
      const thinking = { kind: 'thinking', text: textOf(block, 'thinking') ?? '' } as const;
      return one(signature === null ? thinking : { ...thinking, metadata: { anthropic: { signature } } });
    }
    case 'redacted_thinking': {
      const metadata = { anthropic: { redactedData: textOf(block, 'data') ?? '' } };
      return one({ kind: 'thinking', text: '', metadata });
    }
    case 'image': {
      const source = objectOf(block, 'source');
      const url = nameOf(source, 'url');
      return url === null ? imageContent(source, 'media_type') : one({ kind: 'imageLink', url });
    }
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return callOf(nameOf(block, 'id'), nameOf(block, 'name'), block, 'input');
    case 'tool_result':
    case 'mcp_tool_result':
      return anthropicResult(block, nameOfCall);
    default:
      return unknownBlock(type);
  }
}

/** An image: its type in the field `typeName`, and its bytes in `data`. */
export function imageContent(source: JsonObject | null, typeName: string): ReadContent {
  const [mediaType, dataBase64] = [nameOf(source, typeName), nameOf(source, 'data')];
  if (mediaType === null || dataBase64 === null) return omit('An image without data was left out.');
  return one({ kind: 'image', mediaType, dataBase64 });
}

function anthropicResult(block: JsonObject | null, nameOfCall: NameOfCall): ReadContent {
  const callId = nameOf(block, 'tool_use_id');
  if (callId === null) return omit('A tool result without the id of its call was left out.');
  const told = own(block, 'content');
  const list = asList(told)?.map((item) => (textOf(asObject(item), 'type') === null ? textBlock(item) : item));
  const content = anthropicContent(list ?? told);
  // Cline tells a failure only in the result itself.
  const isFailed = isSet(block, 'is_error') || asList(told)?.some((item) => own(asObject(item), 'success') === false);
  return resultOf(callId, nameOfCall(callId) ?? '', isFailed === true ? 'failed' : 'done', content);
}

/** Some programs keep results as plain JSON in the place of blocks. */
function textBlock(item: JsonValue): JsonObject {
  return { type: 'text', text: typeof item === 'string' ? item : JSON.stringify(item) };
}

/** Reads the content of a message of OpenAI's chat completions or Responses API: a text, or a list of parts. */
export function openaiContent(content: JsonValue | undefined): ReadContent {
  if (typeof content === 'string') return textContent(content);
  return joined(
    (asList(content) ?? []).map((part) => (typeof part === 'string' ? textContent(part) : openaiPart(asObject(part)))),
  );
}

function openaiPart(part: JsonObject | null): ReadContent {
  const type = textOf(part, 'type');
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
      return textContent(textOf(part, 'text') ?? '');
    case 'refusal':
      return textContent(textOf(part, 'refusal') ?? '');
    case 'image_url':
    case 'input_image': {
      const url = nameOf(part, 'image_url') ?? nameOf(objectOf(part, 'image_url'), 'url');
      return url === null ? omit('An image without data was left out.') : one(imageOf(url));
    }
    default:
      return unknownBlock(type);
  }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]*)*;base64,/;

/** An image from a `data:` URL, or a reference to one. */
export function imageOf(url: string): ForeignPart {
  const found = dataUrl.exec(url.slice(0, 200));
  if (found === null) return { kind: 'imageLink', url };
  return { kind: 'image', mediaType: found[1] ?? '', dataBase64: url.slice(found[0].length) };
}

/** Reads the content of a message of Gemini's API: a text, a part, or a list of both. `key` replaces the id of a call
 *  that has none, and `outcome` is that of the results. */
export function geminiContent(
  content: JsonValue | undefined,
  key: string,
  outcome: ToolOutcome | null = null,
): ReadContent {
  if (content === undefined || content === null) return noContent;
  return joined(
    (asList(content) ?? [content]).map((part, index) =>
      typeof part === 'string' ? textContent(part) : geminiPart(asObject(part), `${key} ${index + 1}`, outcome),
    ),
  );
}

function geminiPart(part: JsonObject | null, key: string, outcome: ToolOutcome | null): ReadContent {
  const text = textOf(part, 'text');
  if (text !== null) return text !== '' && isSet(part, 'thought') ? one({ kind: 'thinking', text }) : textContent(text);
  const call = objectOf(part, 'functionCall');
  if (call !== null) return geminiCall(call, key);
  const answer = objectOf(part, 'functionResponse');
  if (answer !== null) {
    const response = objectOf(answer, 'response');
    const name = nameOf(answer, 'name') ?? '';
    const told = own(response, 'output') ?? own(response, 'error') ?? own(response, 'content') ?? response ?? '';
    const said = textContent(typeof told === 'string' ? told : JSON.stringify(told));
    const content = joined([said, geminiContent(own(answer, 'parts'), key)]);
    const isFailed = own(response, 'error') !== undefined;
    return resultOf(nameOf(answer, 'id') ?? name, name, outcome ?? (isFailed ? 'failed' : 'done'), content);
  }
  const file = objectOf(part, 'inlineData');
  const mediaType = nameOf(file, 'mimeType');
  if (mediaType?.startsWith('image/') === true && nameOf(file, 'data') !== null) return imageContent(file, 'mimeType');
  return unknownBlock(mediaType ?? Object.keys(part ?? {})[0] ?? null);
}

/** A tool call of Gemini's API. */
export function geminiCall(call: JsonObject, key: string): ReadContent {
  return callOf(nameOf(call, 'id') ?? key, nameOf(call, 'name'), call, 'args');
}

/** How programs of Gemini's API name the state of a call. */
export function geminiOutcome(status: string | null): ToolOutcome | null {
  return status === 'error' ? 'failed' : status === 'cancelled' ? 'cancelled' : status === 'success' ? 'done' : null;
}

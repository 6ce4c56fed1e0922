import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ImagePart, ToolOutcome } from '../../../../../transcript/part';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignPart } from '../foreign';
import { asList, asObject, countOf, isSet, nameOf, objectOf, own, textOf } from './fields';

export interface ReadContent {
  readonly parts: readonly ForeignPart[];
  /** Sentences about blocks that could not be carried over. */
  readonly omitted: readonly string[];
}

export const noContent: ReadContent = { parts: [], omitted: [] };

/** Reads the content of a message of Anthropic's Messages API: a text, or a list of blocks.
 *  `nameOfCall` gives the name of an earlier tool call, for its result. */
export function anthropicContent(
  content: JsonValue | undefined,
  nameOfCall: (callId: string) => string | null,
): ReadContent {
  if (typeof content === 'string')
    return { parts: content === '' ? [] : [{ kind: 'text', text: content }], omitted: [] };
  return joined((asList(content) ?? []).map((block) => readBlock(asObject(block), nameOfCall)));
}

export function joined(contents: readonly ReadContent[]): ReadContent {
  return { parts: contents.flatMap(({ parts }) => parts), omitted: contents.flatMap(({ omitted }) => omitted) };
}

function readBlock(block: JsonObject | null, nameOfCall: (callId: string) => string | null): ReadContent {
  const type = textOf(block, 'type');
  switch (type) {
    case 'text':
      return one({ kind: 'text', text: textOf(block, 'text') ?? '' });
    case 'thinking': {
      const signature = nameOf(block, 'signature');
      return one({
        kind: 'thinking',
        text: textOf(block, 'thinking') ?? '',
        ...(signature === null ? {} : { metadata: { anthropic: { signature } } }),
      });
    }
    case 'redacted_thinking':
      return one({
        kind: 'thinking',
        text: '',
        metadata: { anthropic: { redactedData: textOf(block, 'data') ?? '' } },
      });
    case 'image':
      return readImage(block);
    case 'tool_use':
    case 'server_tool_use':
    case 'mcp_tool_use':
      return readCall(block);
    case 'tool_result':
    case 'mcp_tool_result':
      return readResult(block, nameOfCall);
    default:
      return omit(`A block of type “${type ?? 'none'}” was left out.`);
  }
}

function one(part: ForeignPart): ReadContent {
  return { parts: [part], omitted: [] };
}

export function omit(sentence: string): ReadContent {
  return { parts: [], omitted: [sentence] };
}

function readImage(block: JsonObject | null): ReadContent {
  const source = objectOf(block, 'source');
  const [mediaType, data, url] = [nameOf(source, 'media_type'), nameOf(source, 'data'), nameOf(source, 'url')];
  if (url !== null) return one({ kind: 'imageLink', url });
  if (mediaType === null || data === null) return omit('An image without data was left out.');
  return one({ kind: 'image', mediaType, dataBase64: data });
}

function readCall(block: JsonObject | null): ReadContent {
  const [callId, name] = [nameOf(block, 'id'), nameOf(block, 'name')];
  if (callId === null || name === null) return omit('A tool call without an id or a name was left out.');
  const input = own(block, 'input');
  return one({
    kind: 'toolCall',
    callId,
    name,
    arguments: typeof input === 'string' ? input : JSON.stringify(input ?? {}),
  });
}

function readResult(block: JsonObject | null, nameOfCall: (callId: string) => string | null): ReadContent {
  const callId = nameOf(block, 'tool_use_id');
  if (callId === null) return omit('A tool result without the id of its call was left out.');
  const told = own(block, 'content');
  const list = asList(told)?.map((item) => (textOf(asObject(item), 'type') === null ? textBlock(item) : item));
  const content = anthropicContent(list ?? told, () => null);
  // Cline tells a failure only in the result itself.
  const isFailed = isSet(block, 'is_error') || asList(told)?.some((item) => own(asObject(item), 'success') === false);
  const outcome: ToolOutcome = isFailed === true ? 'failed' : 'done';
  return resultOf(callId, nameOfCall(callId) ?? '', outcome, content);
}

/** Some programs keep results as plain JSON in the place of blocks. */
function textBlock(item: JsonValue): JsonObject {
  return { type: 'text', text: typeof item === 'string' ? item : JSON.stringify(item) };
}

/** A tool result from the texts and images of its content. */
export function resultOf(callId: string, name: string, outcome: ToolOutcome, content: ReadContent): ReadContent {
  const images = content.parts.filter((part): part is ImagePart => part.kind === 'image');
  const links = content.parts.flatMap((part) => (part.kind === 'imageLink' ? [part.url] : []));
  const texts = content.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
  return {
    parts: [
      {
        kind: 'toolResult',
        callId,
        name,
        outcome,
        text: [...texts, ...links].join('\n'),
        ...(images.length === 0 ? {} : { images }),
      },
    ],
    omitted: content.omitted,
  };
}

/** Token counts of Anthropic's API. Its `input_tokens` exclude cached tokens; the total includes them. */
export function anthropicUsage(usage: JsonObject | null): Usage | null {
  if (usage === null) return null;
  const [input, output] = [countOf(usage, 'input_tokens'), countOf(usage, 'output_tokens')];
  if (input === null && output === null) return null;
  const [cached, written] = [countOf(usage, 'cache_read_input_tokens'), countOf(usage, 'cache_creation_input_tokens')];
  return {
    inputTokens: input === null ? null : input + (cached ?? 0) + (written ?? 0),
    outputTokens: output,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: null,
  };
}

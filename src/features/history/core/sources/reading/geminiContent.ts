import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ToolOutcome } from '../../../../../transcript/part';
import type { Usage } from '../../../../../transcript/usage';
import { joined, noContent, omit, resultOf, type ReadContent } from './anthropicBlocks';
import { asList, asObject, countOf, isSet, nameOf, objectOf, own, textOf } from './fields';
import { argumentsOf, openaiContent } from './openaiContent';

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
      typeof part === 'string' ? openaiContent(part) : readPart(asObject(part), `${key} ${index + 1}`, outcome),
    ),
  );
}

function readPart(part: JsonObject | null, key: string, outcome: ToolOutcome | null): ReadContent {
  const text = textOf(part, 'text');
  if (text !== null) {
    if (text === '') return noContent;
    return { parts: [{ kind: isSet(part, 'thought') ? 'thinking' : 'text', text }], omitted: [] };
  }
  const call = objectOf(part, 'functionCall');
  if (call !== null) return geminiCall(call, key);
  const answer = objectOf(part, 'functionResponse');
  if (answer !== null) {
    const response = objectOf(answer, 'response');
    const name = nameOf(answer, 'name') ?? '';
    const told = own(response, 'output') ?? own(response, 'error') ?? own(response, 'content') ?? response ?? '';
    const isFailed = own(response, 'error') !== undefined;
    const said = openaiContent(typeof told === 'string' ? told : JSON.stringify(told));
    const images = geminiContent(own(answer, 'parts'), key);
    return resultOf(
      nameOf(answer, 'id') ?? name,
      name,
      outcome ?? (isFailed ? 'failed' : 'done'),
      joined([said, images]),
    );
  }
  const file = objectOf(part, 'inlineData');
  const [mediaType, dataBase64] = [nameOf(file, 'mimeType'), nameOf(file, 'data')];
  if (mediaType?.startsWith('image/') === true && dataBase64 !== null)
    return { parts: [{ kind: 'image', mediaType, dataBase64 }], omitted: [] };
  const type = mediaType ?? Object.keys(part ?? {})[0] ?? 'none';
  return omit(`A block of type “${type}” was left out.`);
}

/** A tool call: `id`, `name` and `args`. */
export function geminiCall(call: JsonObject, key: string): ReadContent {
  const name = nameOf(call, 'name');
  if (name === null) return omit('A tool call without an id or a name was left out.');
  const callId = nameOf(call, 'id') ?? key;
  return { parts: [{ kind: 'toolCall', callId, name, arguments: argumentsOf(call, 'args') }], omitted: [] };
}

/** How the programs name the state of a call. */
export function geminiOutcome(status: string | null): ToolOutcome | null {
  return status === 'error' ? 'failed' : status === 'cancelled' ? 'cancelled' : status === 'success' ? 'done' : null;
}

/** Token counts. Gemini CLI shortens the names that the API uses. Input tokens include cached ones. */
export function geminiUsage(usage: JsonObject | null): Usage | null {
  const inputTokens = countOf(usage, 'input') ?? countOf(usage, 'promptTokenCount');
  const outputTokens = countOf(usage, 'output') ?? countOf(usage, 'candidatesTokenCount');
  if (inputTokens === null && outputTokens === null) return null;
  return {
    inputTokens,
    outputTokens,
    cachedInputTokens: countOf(usage, 'cached') ?? countOf(usage, 'cachedContentTokenCount'),
    cacheWriteTokens: null,
    reasoningTokens: countOf(usage, 'thoughts') ?? countOf(usage, 'thoughtsTokenCount'),
  };
}

import type { JsonObject, JsonValue } from '../../transcript/json';
import type { WireAssistantContent, WireToolResult, WireUserContent } from '../../transcript/wireMessage';
import type { ModelRequest, WireMessage, WireTool } from '../chatModel';

/** Returns the request with U+FFFD in place of every lone surrogate, in any string. A service refuses the whole JSON
 *  because of one, and the row or tool it came from would block every later request. Only the sent copy changes.
 *  Every model passes its requests through this function first. Metadata is included: encrypted reasoning and
 *  signatures are plain letters, but details may quote text. */
export function wellFormedRequest(request: ModelRequest): ModelRequest {
  return {
    ...request,
    system: request.system.toWellFormed(),
    messages: request.messages.map(message),
    tools: request.tools.map(tool),
    cacheKey: request.cacheKey?.toWellFormed() ?? null,
  };
}

function tool({ name, description, parameters }: WireTool): WireTool {
  return { name: name.toWellFormed(), description: description.toWellFormed(), parameters: jsonObject(parameters) };
}

function message(sent: WireMessage): WireMessage {
  switch (sent.role) {
    case 'user':
      return { role: 'user', content: sent.content.map(userContent) };
    case 'assistant':
      return { role: 'assistant', content: sent.content.map(assistantContent) };
    case 'tool':
      return { role: 'tool', results: sent.results.map(result) };
    default:
      return sent satisfies never;
  }
}

/** Leaves an image unchanged: its data is base64. */
function userContent(part: WireUserContent): WireUserContent {
  return part.kind === 'text' ? { kind: 'text', text: part.text.toWellFormed() } : part;
}

function assistantContent(part: WireAssistantContent): WireAssistantContent {
  const metadata = part.metadata === undefined ? {} : { metadata: jsonObject(part.metadata) };
  if (part.kind !== 'toolCall') return { kind: part.kind, text: part.text.toWellFormed(), ...metadata };
  return {
    kind: 'toolCall',
    callId: part.callId.toWellFormed(),
    name: part.name.toWellFormed(),
    arguments: jsonObject(part.arguments),
    ...metadata,
  };
}

function result({ callId, name, text, ...rest }: WireToolResult): WireToolResult {
  return { ...rest, callId: callId.toWellFormed(), name: name.toWellFormed(), text: text.toWellFormed() };
}

function jsonObject(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), json(inner)]));
}

function json(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  return isList(value) ? value.map(json) : jsonObject(value);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

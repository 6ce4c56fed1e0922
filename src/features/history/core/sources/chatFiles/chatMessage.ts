import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignMessage, ForeignPart } from '../foreign';
import { joined, omit, resultOf, type ReadContent } from '../reading/anthropicBlocks';
import { asObject, epochTimeOf, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';
import { argumentsOf, openaiContent } from '../reading/openaiContent';
import { parseJsonObject } from '../../../../../transcript/json';
import type { OpenCalls } from './openCalls';

/** Role and content of a message in a chat file; `role` is null for one that is not known. */
export interface ChatContent {
  readonly role: ForeignMessage['role'] | null;
  readonly content: ReadContent;
  readonly createdAt: number | null;
  /** Default: none. */
  readonly model?: string | null;
  /** Default: by the role. */
  readonly view?: ForeignMessage['view'];
}

/** Reads a message of OpenAI's chat completions API. */
export function openaiMessage(message: JsonObject, calls: OpenCalls): ChatContent {
  const content = openaiContent(own(message, 'content'));
  const createdAt = epochTimeOf(message, 'timestamp') ?? epochTimeOf(message, 'created_at');
  switch (textOf(message, 'role')) {
    case 'system':
    case 'developer':
      return { role: 'system', content, createdAt };
    case 'user':
      return { role: 'user', content, createdAt };
    case 'assistant':
      return { role: 'assistant', content: joined([thinkingOf(message), content, callsOf(message, calls)]), createdAt };
    case 'tool':
    case 'function': {
      const { callId, name } = calls.close(nameOf(message, 'tool_call_id'), nameOf(message, 'name'));
      return { role: 'tool', content: resultOf(callId, name, 'done', content), createdAt };
    }
    default:
      return { role: null, content, createdAt };
  }
}

function thinkingOf(message: JsonObject): ReadContent {
  const text = nameOf(message, 'reasoning_content') ?? nameOf(message, 'reasoning');
  return { parts: text === null ? [] : [{ kind: 'thinking', text }], omitted: [] };
}

function callsOf(message: JsonObject, calls: OpenCalls): ReadContent {
  const old = objectOf(message, 'function_call');
  const list = [...(listOf(message, 'tool_calls') ?? []), ...(old === null ? [] : [{ function: old }])];
  return joined(list.map((call) => callOf(asObject(call), calls)));
}

function callOf(call: JsonObject | null, calls: OpenCalls): ReadContent {
  const body = objectOf(call, 'function') ?? objectOf(call, 'custom') ?? call;
  const name = nameOf(body, 'name');
  if (name === null) return omit('A tool call without an id or a name was left out.');
  const callId = calls.open(nameOf(call, 'id'), name);
  const field = own(body, 'arguments') === undefined ? 'input' : 'arguments';
  return { parts: [{ kind: 'toolCall', callId, name, arguments: argumentsOf(body, field) }], omitted: [] };
}

/** Reads a message of a ShareGPT conversation. */
export function shareGptMessage(message: JsonObject, calls: OpenCalls): ChatContent {
  const value = textOf(message, 'value') ?? '';
  const role = roleOf(textOf(message, 'from'));
  return { role, createdAt: null, content: contentOf(role, textOf(message, 'from'), value, calls) };
}

function roleOf(from: string | null): ChatContent['role'] {
  switch (from) {
    case 'system':
      return 'system';
    case 'human':
    case 'user':
      return 'user';
    case 'gpt':
    case 'assistant':
    case 'chatgpt':
    case 'model':
    case 'function_call':
      return 'assistant';
    case 'tool':
    case 'observation':
    case 'function_response':
      return 'tool';
    default:
      return null;
  }
}

function contentOf(role: ChatContent['role'], from: string | null, value: string, calls: OpenCalls): ReadContent {
  if (role === 'tool') return joined(responsesOf(value).map((response) => responseOf(response, calls)));
  if (from === 'function_call') return taggedCall(value, calls);
  if (role === 'assistant') return joined(taggedPieces(value).map((piece) => pieceOf(piece, calls)));
  return openaiContent(value);
}

interface Piece {
  readonly tag: 'think' | 'tool_call' | null;
  readonly text: string;
}

function taggedPieces(value: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let end = 0;
  for (const found of value.matchAll(/<(think|tool_call)>([\s\S]*?)<\/\1>/g)) {
    pieces.push({ tag: null, text: value.slice(end, found.index) });
    pieces.push({ tag: found[1] === 'think' ? 'think' : 'tool_call', text: found[2] ?? '' });
    end = found.index + found[0].length;
  }
  return [...pieces, { tag: null, text: value.slice(end) }].filter(({ text }) => text.trim() !== '');
}

function pieceOf({ tag, text }: Piece, calls: OpenCalls): ReadContent {
  if (tag === 'tool_call') return taggedCall(text, calls);
  const part: ForeignPart = { kind: tag === 'think' ? 'thinking' : 'text', text: text.trim() };
  return { parts: [part], omitted: [] };
}

/** A call that is not JSON stays in the answer as text. */
function taggedCall(text: string, calls: OpenCalls): ReadContent {
  const read = parseJsonObject(text);
  const content = read.kind === 'object' ? callOf(read.value, calls) : null;
  return content !== null && content.parts.length > 0 ? content : openaiContent(text);
}

function responsesOf(value: string): readonly string[] {
  const tagged = [...value.matchAll(/<tool_response>([\s\S]*?)<\/tool_response>/g)].map((found) => found[1] ?? '');
  return tagged.length > 0 ? tagged : [value];
}

function responseOf(text: string, calls: OpenCalls): ReadContent {
  const read = parseJsonObject(text);
  const wrapper = read.kind === 'object' && own(read.value, 'content') !== undefined ? read.value : null;
  const { callId, name } = calls.close(nameOf(wrapper, 'tool_call_id'), nameOf(wrapper, 'name'));
  const inner = wrapper === null ? text.trim() : own(wrapper, 'content');
  const told = typeof inner === 'string' ? inner : JSON.stringify(inner);
  return resultOf(callId, name, 'done', openaiContent(told));
}

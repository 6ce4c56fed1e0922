import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ForeignMessage } from '../foreign';
import { callOf, joined, noContent, one, openaiContent, resultOf, type ReadContent } from '../reading/content';
import { asObject, epochTimeOf, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';

interface OpenCall {
  readonly callId: string;
  readonly name: string;
}

interface WaitingCall extends OpenCall {
  /** True when the format gave the call no id. */
  readonly isNumbered: boolean;
}

/** Tool calls of a conversation that wait for their result. Calls without an id are paired by name and order. */
export class OpenCalls {
  private readonly waiting: WaitingCall[] = [];
  private made = 0;

  /** Returns the call's id, a new one when the format has none. */
  open(callId: string | null, name: string): string {
    const call = { callId: callId ?? `call ${++this.made}`, name, isNumbered: callId === null };
    this.waiting.push(call);
    return call.callId;
  }

  /** Returns the call that a result belongs to: the one with its id, else the earliest one with its name, else the
   *  earliest one. A result with an id takes the place of another only when that call has none. */
  close(callId: string | null, name: string | null): OpenCall {
    const mayTake = (call: WaitingCall): boolean => callId === null || call.isNumbered;
    const at = [
      this.waiting.findIndex((call) => call.callId === callId),
      this.waiting.findIndex((call) => mayTake(call) && call.name === name),
      this.waiting.findIndex((call) => mayTake(call)),
    ].find((index) => index !== -1);
    const [call] = at === undefined ? [] : this.waiting.splice(at, 1);
    return call ?? { callId: callId ?? `call ${++this.made}`, name: name ?? '' };
  }
}

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
  return text === null ? noContent : one({ kind: 'thinking', text });
}

function callsOf(message: JsonObject, calls: OpenCalls): ReadContent {
  const old = objectOf(message, 'function_call');
  const list = [...(listOf(message, 'tool_calls') ?? []), ...(old === null ? [] : [{ function: old }])];
  return joined(list.map((call) => openedCall(asObject(call), calls)));
}

function openedCall(call: JsonObject | null, calls: OpenCalls): ReadContent {
  const body = objectOf(call, 'function') ?? objectOf(call, 'custom') ?? call;
  const name = nameOf(body, 'name');
  const callId = name === null ? null : calls.open(nameOf(call, 'id'), name);
  return callOf(callId, name, body, own(body, 'arguments') === undefined ? 'input' : 'arguments');
}

const shareGptRoles: ReadonlyMap<string | null, ForeignMessage['role']> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['user', 'user'],
  ['gpt', 'assistant'],
  ['assistant', 'assistant'],
  ['chatgpt', 'assistant'],
  ['model', 'assistant'],
  ['function_call', 'assistant'],
  ['tool', 'tool'],
  ['observation', 'tool'],
  ['function_response', 'tool'],
]);

/** Reads a message of a ShareGPT conversation. */
export function shareGptMessage(message: JsonObject, calls: OpenCalls): ChatContent {
  const from = textOf(message, 'from');
  const role = shareGptRoles.get(from) ?? null;
  return { role, createdAt: null, content: contentOf(role, from, textOf(message, 'value') ?? '', calls) };
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
  return one({ kind: tag === 'think' ? 'thinking' : 'text', text: text.trim() });
}

/** A call that is not JSON stays in the answer as text. */
function taggedCall(text: string, calls: OpenCalls): ReadContent {
  const read = parseJsonObject(text);
  const content = read.kind === 'object' ? openedCall(read.value, calls) : null;
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

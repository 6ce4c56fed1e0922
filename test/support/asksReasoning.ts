import { refuses } from './modelServer';
import type { Responder } from './modelServer/modelServer';
import type { JsonObject, JsonValue } from '../../src/transcript/json';

/** A service that demands the reasoning of every answer that called, in its own words; `filled`: an empty one is none to it. */
export interface AskingService {
  readonly answer: (index: number) => string;
  readonly filled?: boolean;
}

export const moonshot: AskingService = {
  answer: (index) =>
    `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
};
export const deepseek: AskingService = {
  answer: () => 'The `reasoning_content` in the thinking mode must be passed back to the API.',
  filled: true,
};

/** What the service does with a request: it refuses one that lacks reasoning, and else does what was scripted. */
export function asking(service: AskingService, scripted: Responder): Responder {
  return (request) => {
    const missing = messagesOf(request.body).findIndex(
      (message) => called(message) && !hasReasoning(message, service.filled === true),
    );
    if (missing !== -1) return refuses(400, { message: service.answer(missing) });
    return typeof scripted === 'function' ? scripted(request) : scripted;
  };
}

/** The reasoning that went back with every answer that called; null: none. */
export function reasoningSent(body: JsonObject): readonly JsonValue[] {
  return messagesOf(body)
    .filter(called)
    .map((message) => message['reasoning_content'] ?? null);
}

function messagesOf(body: JsonObject): readonly JsonObject[] {
  const messages = body['messages'];
  return Array.isArray(messages) ? messages.filter(isObject) : [];
}

function called(message: JsonObject): boolean {
  return (
    message['role'] === 'assistant' &&
    (message['tool_calls'] !== undefined || blocks(message).some(({ type }) => type === 'tool_use'))
  );
}

function hasReasoning(message: JsonObject, filled: boolean): boolean {
  const given = message['reasoning_content'] ?? blocks(message).find(({ type }) => type === 'thinking')?.['thinking'];
  return typeof given === 'string' && (!filled || given !== '');
}

function blocks({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? content.filter(isObject) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

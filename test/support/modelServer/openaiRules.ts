import * as v from 'valibot';
import { parseShape, reject } from './rejection';

const contentPart = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({
    type: v.literal('image_url'),
    image_url: v.object({
      url: v.pipe(v.string(), v.regex(/^(data:image\/[a-z+.-]+;base64,[A-Za-z0-9+/]+=*|https?:\/\/.+)$/)),
    }),
  }),
]);
const call = v.object({
  id: v.pipe(v.string(), v.minLength(1)),
  type: v.literal('function'),
  function: v.object({ name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)), arguments: v.string() }),
});
const message = v.variant('role', [
  v.object({ role: v.picklist(['system', 'developer']), content: v.string() }),
  v.object({ role: v.literal('user'), content: v.union([v.string(), v.pipe(v.array(contentPart), v.minLength(1))]) }),
  v.object({
    role: v.literal('assistant'),
    content: v.optional(v.nullable(v.string())),
    tool_calls: v.optional(v.pipe(v.array(call), v.minLength(1))),
  }),
  v.object({ role: v.literal('tool'), tool_call_id: v.string(), content: v.string() }),
]);
const body = v.object({
  model: v.string(),
  stream: v.literal(true, 'this server only streams'),
  messages: v.pipe(v.array(message), v.minLength(1)),
  tools: v.optional(
    v.pipe(
      v.array(
        v.object({
          type: v.literal('function'),
          function: v.object({
            name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/)),
            description: v.optional(v.string()),
            parameters: v.looseObject({ type: v.literal('object') }),
          }),
        }),
      ),
      v.minLength(1),
    ),
  ),
  max_tokens: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1))),
  reasoning_effort: v.optional(v.picklist(['none', 'minimal', 'low', 'medium', 'high', 'xhigh'])),
  stream_options: v.optional(v.object({ include_usage: v.optional(v.boolean()) })),
});

export type OpenaiBody = v.InferOutput<typeof body>;
type OpenaiMessage = OpenaiBody['messages'][number];

/** Refuses what api.openai.com refuses, in its words. With `alternating` also what the chat templates of local models refuse: two user
 *  or two assistant messages in a row, a system message that is not first. */
export function checkOpenaiBody(parsed: unknown, options: { readonly alternating: boolean }): OpenaiBody {
  const request = parseShape(body, parsed);
  uniqueNames((request.tools ?? []).map((tool) => tool.function.name));
  rejectEmptyContent(request.messages);
  rejectUnmatchedCalls(request.messages);
  if (options.alternating) rejectRepeatedRoles(request.messages);
  return request;
}

function uniqueNames(names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) reject(`Invalid 'tools': function name '${twice}' is used twice.`);
}

function rejectEmptyContent(messages: readonly OpenaiMessage[]): void {
  messages.forEach((item, index) => {
    const where = `messages.[${index}].content`;
    if (item.role === 'assistant') {
      if (!item.content && item.tool_calls === undefined)
        reject(`Invalid value for '${where}': expected a string, got null.`);
    } else if (
      item.role !== 'tool' &&
      (item.content === '' ||
        (typeof item.content !== 'string' && item.content.some((part) => part.type === 'text' && part.text === '')))
    ) {
      reject(`Invalid value for '${where}': content must not be empty.`);
    }
  });
}

function rejectUnmatchedCalls(messages: readonly OpenaiMessage[]): void {
  const seen = new Set<string>();
  let open: string[] = [];
  messages.forEach((item, index) => {
    if (item.role === 'tool') {
      if (!open.includes(item.tool_call_id)) {
        reject(
          `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls' (messages.[${index}], '${item.tool_call_id}').`,
        );
      }
      open = open.filter((id) => id !== item.tool_call_id);
      return;
    }
    rejectOpenCalls(open);
    open = [];
    if (item.role !== 'assistant') return;
    for (const {
      id,
      function: { arguments: json, name },
    } of item.tool_calls ?? []) {
      if (seen.has(id)) reject(`Duplicate tool call id '${id}' in messages.[${index}].`);
      seen.add(id);
      open.push(id);
      if (!isJsonObject(json)) reject(`messages.[${index}].tool_calls: arguments of '${name}' are not a JSON object.`);
    }
  });
  rejectOpenCalls(open);
}

function rejectOpenCalls(open: readonly string[]): void {
  if (open.length === 0) return;
  reject(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(', ')}`,
  );
}

function rejectRepeatedRoles(messages: readonly OpenaiMessage[]): void {
  const talk = messages.filter((item, index) => {
    const system = item.role === 'system' || item.role === 'developer';
    if (system && index > 0) reject('System message must be at the beginning.');
    return !system;
  });
  if (talk[0]?.role !== 'user')
    reject(
      'Conversation roles must alternate user/assistant/user/assistant/...: the first message is not from the user.',
    );
  talk.forEach((item, index) => {
    const before = talk[index - 1];
    if (before?.role === item.role && item.role !== 'tool')
      reject(
        `Conversation roles must alternate user/assistant/user/assistant/...: two '${item.role}' messages in a row.`,
      );
    if (before?.role === 'tool' && item.role === 'user') reject("Unexpected role 'user' after role 'tool'.");
  });
}

function isJsonObject(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

import * as v from 'valibot';
import { signatureOf } from './anthropicFrames';
import { parseShape, reject } from './rejection';

const cacheControl = v.optional(v.object({ type: v.literal('ephemeral'), ttl: v.optional(v.string()) }));
const textBlock = v.object({ type: v.literal('text'), text: v.string(), cache_control: cacheControl });
const imageBlock = v.object({
  type: v.literal('image'),
  source: v.object({
    type: v.literal('base64'),
    media_type: v.picklist(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
    data: v.pipe(v.string(), v.minLength(1)),
  }),
  cache_control: cacheControl,
});
const block = v.variant('type', [
  textBlock,
  imageBlock,
  v.object({
    type: v.literal('thinking'),
    thinking: v.string(),
    signature: v.pipe(v.string('Field required'), v.minLength(1)),
  }),
  v.object({ type: v.literal('redacted_thinking'), data: v.string() }),
  v.object({
    type: v.literal('compaction'),
    content: v.nullable(v.pipe(v.string(), v.minLength(1))),
    signature: v.optional(v.string()),
    encrypted_content: v.optional(v.nullable(v.string())),
    cache_control: cacheControl,
  }),
  v.object({
    type: v.literal('tool_use'),
    id: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]+$/)),
    name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,128}$/)),
    input: v.record(v.string(), v.unknown(), 'Input should be a valid dictionary'),
    cache_control: cacheControl,
  }),
  v.object({
    type: v.literal('tool_result'),
    tool_use_id: v.string(),
    is_error: v.optional(v.boolean()),
    cache_control: cacheControl,
    content: v.optional(v.union([v.string(), v.array(v.variant('type', [textBlock, imageBlock]))])),
  }),
]);
const body = v.object({
  model: v.string(),
  stream: v.literal(true, 'this server only streams'),
  max_tokens: v.pipe(v.number('Field required'), v.integer(), v.minValue(1)),
  system: v.optional(v.union([v.string(), v.array(textBlock)])),
  messages: v.pipe(
    v.array(v.object({ role: v.picklist(['user', 'assistant']), content: v.union([v.string(), v.array(block)]) })),
    v.minLength(1, 'at least one message is required'),
  ),
  tools: v.optional(
    v.array(
      v.object({
        name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,128}$/)),
        description: v.optional(v.string()),
        cache_control: cacheControl,
        input_schema: v.looseObject({ type: v.literal('object') }),
      }),
    ),
  ),
  thinking: v.optional(
    v.looseObject({
      type: v.picklist(['enabled', 'disabled', 'adaptive']),
      budget_tokens: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1024))),
    }),
  ),
});

export type AnthropicBody = v.InferOutput<typeof body>;
type Block = v.InferOutput<typeof block>;
interface MergedMessage {
  readonly role: 'user' | 'assistant';
  readonly blocks: readonly Block[];
}

/** Refuses what api.anthropic.com refuses, in its words. Consecutive messages of one role are merged first, as the service does. */
export function checkAnthropicBody(parsed: unknown, headers: { readonly version: string | undefined }): AnthropicBody {
  if (headers.version === undefined) reject('anthropic-version: header is required');
  const request = parseShape(body, parsed);
  const messages = merge(request.messages);
  if (messages[0]?.role !== 'user') reject('messages: first message must use the "user" role');
  rejectCacheControls(request);
  rejectToolNames(request);
  if (request.thinking?.budget_tokens !== undefined && request.thinking.budget_tokens >= request.max_tokens) {
    reject('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  messages.forEach((message, index) => {
    rejectEmpty(message, index, index === messages.length - 1);
    rejectUnanswered(message, messages[index + 1], index);
    rejectOrphans(message, messages[index - 1], index);
    rejectForgedThinking(message, index);
  });
  rejectDuplicateIds(messages);
  rejectMissingThinking(request, messages);
  return request;
}

function merge(messages: AnthropicBody['messages']): readonly MergedMessage[] {
  const merged: MergedMessage[] = [];
  for (const { role, content } of messages) {
    const blocks: readonly Block[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const last = merged.at(-1);
    if (last?.role === role) merged[merged.length - 1] = { role, blocks: [...last.blocks, ...blocks] };
    else merged.push({ role, blocks });
  }
  return merged;
}

function rejectCacheControls(request: AnthropicBody): void {
  const blocks = [
    ...(typeof request.system === 'object' ? request.system : []),
    ...(request.tools ?? []),
    ...request.messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content)),
  ];
  const marked = blocks.filter((item) => 'cache_control' in item && item.cache_control !== undefined);
  if (marked.length > 4) reject(`A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`);
  if (marked.some((item) => 'text' in item && item.text === ''))
    reject('cache_control cannot be set for empty text blocks');
}

function rejectToolNames(request: AnthropicBody): void {
  const names = (request.tools ?? []).map((tool) => tool.name);
  if (new Set(names).size !== names.length) reject('tools: Tool names must be unique.');
}

function rejectEmpty({ role, blocks }: MergedMessage, index: number, isLast: boolean): void {
  if (blocks.length === 0)
    reject(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  for (const item of blocks) {
    if (item.type !== 'text') continue;
    if (item.text === '') reject(`messages: text content blocks must be non-empty (messages.${index})`);
    if (item.text.trim() === '')
      reject(`messages: text content blocks must contain non-whitespace text (messages.${index})`);
  }
  const last = blocks.at(-1);
  if (isLast && role === 'assistant' && last?.type === 'text' && /\s$/.test(last.text))
    reject('messages: final assistant content cannot end with trailing whitespace');
}

function rejectUnanswered({ role, blocks }: MergedMessage, next: MergedMessage | undefined, index: number): void {
  const asked = blocks.flatMap((item) => (item.type === 'tool_use' ? [item.id] : []));
  if (role === 'user') {
    if (asked.length > 0) reject(`messages.${index}: \`tool_use\` blocks can only be in \`assistant\` messages`);
    return;
  }
  const answered = new Set(
    (next?.blocks ?? []).flatMap((item) => (item.type === 'tool_result' ? [item.tool_use_id] : [])),
  );
  const missing = asked.filter((id) => !answered.has(id));
  if (missing.length > 0) {
    reject(
      `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
    );
  }
}

function rejectOrphans({ role, blocks }: MergedMessage, before: MergedMessage | undefined, index: number): void {
  const results = blocks.flatMap((item) => (item.type === 'tool_result' ? [item.tool_use_id] : []));
  if (results.length === 0) return;
  if (role === 'assistant') reject(`messages.${index}: \`tool_result\` blocks can only be in \`user\` messages`);
  const asked = new Set((before?.blocks ?? []).flatMap((item) => (item.type === 'tool_use' ? [item.id] : [])));
  const orphan = results.find((id) => !asked.has(id));
  if (orphan !== undefined) {
    reject(
      `messages.${index}.content.0: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
  if (new Set(results).size !== results.length) reject(`messages.${index}: each tool_use must have a single result.`);
  const firstOther = blocks.findIndex((item) => item.type !== 'tool_result');
  if (firstOther !== -1 && blocks.slice(firstOther).some((item) => item.type === 'tool_result')) {
    reject(`messages.${index}: \`tool_result\` blocks must come first in the content`);
  }
}

function rejectForgedThinking({ role, blocks }: MergedMessage, index: number): void {
  for (const item of blocks) {
    if (item.type !== 'thinking') continue;
    if (role === 'user') reject(`messages.${index}: thinking blocks can only be in assistant messages`);
    if (item.signature !== signatureOf(item.thinking))
      reject(`messages.${index}.content: Invalid \`signature\` in \`thinking\` block`);
  }
}

function rejectDuplicateIds(messages: readonly MergedMessage[]): void {
  const ids = messages.flatMap(({ blocks }) => blocks.flatMap((item) => (item.type === 'tool_use' ? [item.id] : [])));
  if (new Set(ids).size !== ids.length) reject('messages: `tool_use` ids must be unique');
}

function rejectMissingThinking(request: AnthropicBody, messages: readonly MergedMessage[]): void {
  if (request.thinking?.type !== 'enabled') return;
  const asking = messages.at(-2);
  const answering = messages.at(-1);
  if (asking?.role !== 'assistant' || !answering?.blocks.some((item) => item.type === 'tool_result')) return;
  const first = asking.blocks[0]?.type;
  if (first !== 'thinking' && first !== 'redacted_thinking') {
    reject(
      `messages.${messages.length - 2}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`.`,
    );
  }
}

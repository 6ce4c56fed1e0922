import type { JsonObject, JsonValue } from '../../../src/transcript/json';
import type { Frame, FrameOptions, FrameWriter } from './frames';
import type { FinishWord, ReplyUsage, Step } from './reply';

const finishWords: Readonly<Record<FinishWord, string>> = {
  stop: 'stop',
  length: 'length',
  toolCalls: 'tool_calls',
  contentFilter: 'content_filter',
};

/** Events of the chat-completions protocol. */
export function openaiFrames(options: FrameOptions): FrameWriter {
  let calls = 0;
  const chunk = (delta: JsonObject, finishReason: string | null = null): JsonObject => ({
    id: `chatcmpl-${options.requestNumber}`,
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: options.model,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const frame = (payload: JsonValue, seen: Omit<Frame, 'bytes'> = {}): Frame => ({
    bytes: `data: ${JSON.stringify(payload)}\n\n`,
    ...seen,
  });

  return {
    begin: () => [frame(chunk({ role: 'assistant', content: '' }))],
    step(step: Exclude<Step, { readonly kind: 'pause' | 'wait' }>): readonly Frame[] {
      switch (step.kind) {
        case 'text':
          return [frame(chunk({ content: step.text }), { text: step.text })];
        case 'thinking':
          return [frame(chunk({ reasoning_content: step.text }), { thinking: step.text })];
        case 'refusalText':
          return [frame(chunk({ refusal: step.text }), { text: step.text })];
        case 'toolCall': {
          const index = calls++;
          const first = { index, id: step.id, type: 'function', function: { name: step.name, arguments: '' } };
          return [
            frame(chunk({ tool_calls: [first] })),
            ...step.pieces.map((piece) => frame(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }))),
          ];
        }
        case 'payload':
          return [frame(step.payload, deltaOf(step.payload))];
        case 'comment':
          return [{ bytes: `: ${step.text}\n\n` }];
        case 'malformed':
          return [{ bytes: `data: ${step.data}\n\n` }];
        case 'streamError':
          return [frame({ error: { message: step.message, type: step.code, code: step.code } })];
        case 'finish':
          return [
            frame(chunk({}, step.raw ?? finishWords[step.reason])),
            ...(step.usage !== null && options.includeUsage
              ? [frame({ ...chunk({}), choices: [], usage: usageJson(step.usage) })]
              : []),
            { bytes: 'data: [DONE]\n\n' },
          ];
      }
    },
  };
}

function usageJson(usage: ReplyUsage): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cached ?? 0 },
    completion_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    ...usage.extra,
  };
}

/** The visible text inside a recorded chunk: strings, or parts as Mistral streams them. */
function deltaOf(payload: JsonObject): Omit<Frame, 'bytes'> {
  const choices = payload['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const delta = isRecord(choice) && isRecord(choice['delta']) ? choice['delta'] : {};
  const field = delta['reasoning_content'] ?? delta['reasoning'];
  const parts = partsOf(delta['content']);
  const thinking =
    (typeof field === 'string' ? field : '') +
    parts
      .flatMap((part) => (part['type'] === 'thinking' ? partsOf(part['thinking']) : []))
      .map(textOf)
      .join('');
  const text =
    typeof delta['content'] === 'string'
      ? delta['content']
      : parts
          .filter((part) => part['type'] === 'text')
          .map(textOf)
          .join('');
  return { ...(text === '' ? {} : { text }), ...(thinking === '' ? {} : { thinking }) };
}

function partsOf(content: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(content) ? content.filter(isRecord) : [];
}

function textOf(part: Record<string, unknown>): string {
  return part['type'] === 'thinking' || typeof part['text'] !== 'string' ? '' : part['text'];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import { createHash } from 'node:crypto';
import type { JsonObject } from '../../../src/transcript/json';
import type { Frame, FrameOptions, FrameWriter } from './frames';
import type { FinishWord, Step } from './reply';

const stopReasons: Readonly<Record<FinishWord, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  toolCalls: 'tool_use',
  contentFilter: 'refusal',
};

/** The signature this server issues for a thinking text and later demands back with it, byte for byte. */
export function signatureOf(thinking: string): string {
  return `sig_${createHash('sha256').update(thinking).digest('hex').slice(0, 32)}`;
}

/** Events of the messages protocol. */
export function anthropicFrames(options: FrameOptions): FrameWriter {
  let index = -1;
  let open: 'text' | 'thinking' | null = null;
  let thinking = '';

  const frame = (payload: JsonObject, seen: Omit<Frame, 'bytes'> = {}): Frame => ({
    bytes: `event: ${String(payload['type'])}\ndata: ${JSON.stringify(payload)}\n\n`,
    ...seen,
  });
  const close = (): readonly Frame[] => {
    if (open === null) return [];
    const signature =
      open === 'thinking' && options.issuesSignatures
        ? [
            frame({
              type: 'content_block_delta',
              index,
              delta: { type: 'signature_delta', signature: signatureOf(thinking) },
            }),
          ]
        : [];
    open = null;
    thinking = '';
    return [...signature, frame({ type: 'content_block_stop', index })];
  };
  const begin = (kind: 'text' | 'thinking'): readonly Frame[] => {
    if (open === kind) return [];
    const closing = close();
    open = kind;
    index += 1;
    const block = kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
    return [...closing, frame({ type: 'content_block_start', index, content_block: block })];
  };
  const text = (piece: string): readonly Frame[] => [
    ...begin('text'),
    frame({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: piece } }, { text: piece }),
  ];

  return {
    begin: () => [
      frame({
        type: 'message_start',
        message: {
          id: `msg_${options.requestNumber}`,
          type: 'message',
          role: 'assistant',
          model: options.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: {
            input_tokens: options.prefixUsage.input,
            output_tokens: 1,
            cache_read_input_tokens: options.prefixUsage.cached ?? 0,
            cache_creation_input_tokens: options.prefixUsage.cacheWrite ?? 0,
          },
        },
      }),
    ],
    step(step: Exclude<Step, { readonly kind: 'pause' | 'wait' }>): readonly Frame[] {
      switch (step.kind) {
        case 'text':
        case 'refusalText':
          return text(step.text);
        case 'thinking': {
          const frames = begin('thinking');
          thinking += step.text;
          return [
            ...frames,
            frame(
              { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: step.text } },
              { thinking: step.text },
            ),
          ];
        }
        case 'toolCall': {
          const closing = close();
          index += 1;
          return [
            ...closing,
            frame({
              type: 'content_block_start',
              index,
              content_block: { type: 'tool_use', id: step.id, name: step.name, input: {} },
            }),
            ...step.pieces.map((piece) =>
              frame({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: piece } }),
            ),
            ...(step.unfinished ? [] : [frame({ type: 'content_block_stop', index })]),
          ];
        }
        case 'payload':
          return [frame(step.payload, deltaOf(step.payload))];
        case 'comment':
          return [{ bytes: `: ${step.text}\n\n` }, frame({ type: 'ping' })];
        case 'malformed':
          return [{ bytes: `event: content_block_delta\ndata: ${step.data}\n\n` }];
        case 'streamError':
          return [frame({ type: 'error', error: { type: step.code, message: step.message } })];
        case 'finish':
          return [
            ...close(),
            frame({
              type: 'message_delta',
              delta: { stop_reason: step.raw ?? stopReasons[step.reason], stop_sequence: null },
              usage: { output_tokens: step.usage?.output ?? 0 },
            }),
            frame({ type: 'message_stop' }),
          ];
      }
    },
  };
}

function deltaOf(payload: JsonObject): Omit<Frame, 'bytes'> {
  const delta = payload['delta'];
  if (payload['type'] !== 'content_block_delta' || typeof delta !== 'object' || delta === null || !('type' in delta))
    return {};
  if (delta.type === 'text_delta' && 'text' in delta && typeof delta.text === 'string') return { text: delta.text };
  if (delta.type === 'thinking_delta' && 'thinking' in delta && typeof delta.thinking === 'string')
    return { thinking: delta.thinking };
  return {};
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { playsRecording, startModelServer } from '../../support/modelServer';
import { ask, modelAt, textOf } from './asking';

/** A directory with recorded streams of real services: `openai/*.jsonl` and `anthropic/*.jsonl`, one `data:` payload per line. */
const directory = process.env['HERMES_STREAMS'];

const recordings =
  directory === undefined
    ? []
    : (['openai', 'anthropic'] as const).flatMap((protocol) =>
        readdirSync(join(directory, protocol))
          .filter((file) => file.endsWith('.jsonl'))
          .map((file) => ({ protocol, file, path: join(directory, protocol, file) })),
      );

const block = v.object({ type: v.string(), input: v.optional(v.record(v.string(), v.unknown())) });
const payload = v.object({
  message: v.optional(v.object({ content: v.array(block) })),
  choices: v.optional(
    v.array(
      v.object({
        delta: v.optional(
          v.object({
            tool_calls: v.optional(
              v.nullable(
                v.array(
                  v.object({
                    index: v.optional(v.number(), 0),
                    id: v.optional(v.nullable(v.string())),
                    function: v.object({ arguments: v.optional(v.string(), '') }),
                  }),
                ),
              ),
            ),
          }),
        ),
      }),
    ),
  ),
  index: v.optional(v.number(), 0),
  content_block: v.optional(block),
  delta: v.optional(v.object({ partial_json: v.optional(v.string(), '') })),
});

/** The word with which the recorded service ended, and the arguments of its calls, read from the recording itself. */
function recorded(path: string): { readonly word: string | undefined; readonly calls: readonly string[] } {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const calls: { arguments: string }[] = [];
  const open = new Map<number, { id: string | null; arguments: string }>();
  const begin = (index: number, id: string | null, json: string): void => {
    const call = { id, arguments: json };
    open.set(index, call);
    calls.push(call);
  };
  for (const line of lines) {
    const { choices, content_block: begun, delta, index, message } = v.parse(payload, JSON.parse(line));
    // A call from the provider's own sandbox comes complete with the beginning of its message.
    for (const whole of message?.content ?? [])
      if (whole.type === 'tool_use') begin(-1, null, JSON.stringify(whole.input));
    for (const call of choices?.[0]?.delta?.tool_calls ?? []) {
      const before = open.get(call.index);
      if (before === undefined || (call.id && call.id !== before.id))
        begin(call.index, call.id ?? null, call.function.arguments);
      else before.arguments += call.function.arguments;
    }
    if (begun !== undefined) open.delete(index);
    if (begun?.type === 'tool_use')
      begin(index, null, Object.keys(begun.input ?? {}).length > 0 ? JSON.stringify(begun.input) : '');
    const receiving = open.get(index);
    if (receiving !== undefined) receiving.arguments += delta?.partial_json ?? '';
  }
  const words = [...lines.join('\n').matchAll(/"(?:finish_reason|stop_reason)":\s*"(\w+)"/g)].map((match) => match[1]);
  return { word: words.at(-1), calls: calls.map((call) => call.arguments) };
}

describe.runIf(recordings.length > 0)('a recorded stream of a real service', () => {
  it.each(recordings)('$protocol/$file arrives whole and ends as it was recorded', async ({ protocol, path }) => {
    const server = await startModelServer({ protocols: [protocol] });
    server.script(playsRecording(path));
    const { events, terminal } = await ask(modelAt({ url: server.url, protocol }));
    const { word, calls } = recorded(path);
    expect({
      text: textOf(events),
      thinking: textOf(events, 'thinking'),
      word: terminal.outcome === 'complete' ? terminal.finish.raw : terminal,
      calls: terminal.outcome === 'complete' ? terminal.toolCalls.map((call) => call.arguments) : [],
      usage: terminal.usage !== null,
    }).toEqual({
      ...server.requests[0]?.delivered,
      word,
      calls: calls.map((call) => (call === '' ? '{}' : call)),
      usage: true,
    });
    await server.close();
  });
});

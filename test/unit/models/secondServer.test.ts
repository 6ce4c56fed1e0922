import { LLMock } from '@copilotkit/aimock';
import type { FixtureFileResponse, FixtureOpts } from '@copilotkit/aimock';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChatModel } from '../../../src/models/chatModel';
import { arrived, ask, modelAt, prompt, request, textOf } from './asking';

/** An independent mock of the same services, so that our server and our transports cannot agree on the same mistake. */
describe.each(['openai', 'anthropic'] as const)('against a server that we did not write, %s', (protocol) => {
  let mock: LLMock;
  let model: ChatModel;
  beforeEach(async () => {
    mock = new LLMock({ port: 0 });
    await mock.start();
    model = modelAt({ url: `${mock.url}/v1`, protocol, key: 'sk-any', policy: { backoffMs: 1 } });
  });
  afterEach(() => mock.stop());

  const answers = (response: FixtureFileResponse, options?: FixtureOpts): LLMock =>
    mock.onMessage(/^Hello$/, response, options);

  it('an answer arrives whole, with usage', async () => {
    answers({
      content: 'Hello wörld 🌍, how are you?',
      usage:
        protocol === 'openai' ? { prompt_tokens: 11, completion_tokens: 7 } : { input_tokens: 11, output_tokens: 7 },
    });
    const { events, terminal } = await ask(model);
    expect([arrived(events), terminal]).toMatchObject([
      ['text: Hello wörld 🌍, how are you?', 'end of text'],
      {
        outcome: 'complete',
        finish: { unified: 'stop' },
        toolCalls: [],
        empty: 'no',
        usage: { inputTokens: 11, outputTokens: 7 },
      },
    ]);
  });

  it('thinking comes before the answer', async () => {
    answers({ reasoning: 'Let me see.', content: 'Four.' });
    const { events } = await ask(model);
    expect(arrived(events)).toEqual(['thinking: Let me see.', 'end of thinking', 'text: Four.', 'end of text']);
  });

  it('tool calls come with the terminal, and the server accepts their results', async () => {
    mock.on({ toolCallId: 'call_b' }, { content: 'Done.' });
    answers({
      toolCalls: [
        { name: 'read_file', arguments: '{"path":"a"}', id: 'call_a' },
        { name: 'list_directory', arguments: '{}', id: 'call_b' },
      ],
    });
    const first = await ask(model);
    expect(first.terminal).toMatchObject({
      outcome: 'complete',
      finish: { unified: 'toolCalls' },
      toolCalls: [{ callId: 'call_a', arguments: '{"path":"a"}' }, { callId: 'call_b' }],
    });
    const second = await ask(
      model,
      request({
        messages: [
          prompt(),
          {
            role: 'assistant',
            content: [
              { kind: 'toolCall', callId: 'call_a', name: 'read_file', arguments: { path: 'a' } },
              { kind: 'toolCall', callId: 'call_b', name: 'list_directory', arguments: {} },
            ],
          },
          {
            role: 'tool',
            results: [
              { callId: 'call_a', name: 'read_file', text: 'x', isError: false },
              { callId: 'call_b', name: 'list_directory', text: 'y', isError: false },
            ],
          },
        ],
      }),
    );
    expect(textOf(second.events)).toBe('Done.');
  });

  it('an answer cut at its limit reports it', async () => {
    answers({ content: 'One two', finishReason: 'length' });
    expect((await ask(model)).terminal).toMatchObject({ outcome: 'complete', finish: { unified: 'length' } });
  });

  it('a connection that drops in the middle is an interruption that keeps what arrived', async () => {
    answers(
      { content: 'one two three four five six seven eight nine ten' },
      { chunkSize: 4, latency: 20, truncateAfterChunks: 6 },
    );
    const { events, terminal } = await ask(model);
    expect(terminal).toMatchObject({ outcome: 'interrupted', failure: { cause: 'network' } });
    expect(textOf(events)).toMatch(/^one/);
    expect('one two three four five six seven eight nine ten'.startsWith(textOf(events))).toBe(true);
  });

  it('a rate limit and a failing server are retried', async () => {
    mock.on(
      { userMessage: /^Hello$/, sequenceIndex: 0 },
      { error: { message: 'Slow down', type: 'rate_limit_error' }, status: 429, retryAfter: 0 },
    );
    mock.on(
      { userMessage: /^Hello$/, sequenceIndex: 1 },
      { error: { message: 'Broken', type: 'server_error' }, status: 500 },
    );
    answers({ content: 'Now.' });
    const { events, terminal } = await ask(model);
    expect([textOf(events), terminal.outcome]).toEqual(['Now.', 'complete']);
  });
});

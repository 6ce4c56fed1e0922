import { AsyncResource } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { OpenCalls } from '../../../../../src/features/mcp/core/client/openCalls';
import type { McpCallOptions } from '../../../../../src/features/mcp/core/mcpConnection';

const question = { message: 'Which city?', requestedSchema: { type: 'object', properties: {} } };
const { signal } = new AbortController();

/** The user never answers. `seen`: what became of each question. */
function asking() {
  const seen: string[] = [];
  const options: McpCallOptions = {
    signal,
    onProgress: () => undefined,
    onAsked: (_asked, over) =>
      new Promise((_resolve, reject) => {
        seen.push('asked');
        over.addEventListener('abort', () => (seen.push('withdrawn'), reject(over.reason)), { once: true });
      }),
    silenceMs: 60_000,
    totalMs: 60_000,
  };
  return { calls: new OpenCalls(), options, seen };
}

it('withdraws a question whose call gives its result first', async () => {
  const { calls, options, seen } = asking();
  let answer: Promise<unknown> | undefined;
  const result = await calls.run(options, async () => {
    answer = calls.ask(question, signal);
    return 'result';
  });
  expect([result, await answer, seen]).toEqual(['result', { action: 'cancel' }, ['asked', 'withdrawn']]);
});

it('never asks after the result, also when the server still holds the request open', async () => {
  const { calls, options, seen } = asking();
  let later: () => Promise<unknown> = async () => null;
  await calls.run(options, async () => {
    later = AsyncResource.bind(() => calls.ask(question, signal));
  });
  expect([await later(), seen]).toEqual([{ action: 'cancel' }, []]);
});

it('does not ask about another call that runs meanwhile', async () => {
  const { calls, options, seen } = asking();
  let later: () => Promise<unknown> = async () => null;
  await calls.run(options, async () => {
    later = AsyncResource.bind(() => calls.ask(question, signal));
  });
  const answer = await calls.run(options, () => later());
  expect([answer, seen]).toEqual([{ action: 'cancel' }, []]);
});

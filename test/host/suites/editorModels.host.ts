import assert from 'node:assert/strict';
import { systemClock } from '../../../src/base/clock';
import { silentLog } from '../../../src/base/log';
import { EditorModels } from '../../../src/host/models/editorModels';
import type { ModelRequest, StreamEvent } from '../../../src/models/chatModel';
import { ModelError } from '../../../src/models/modelProvider';

const signal = new AbortController().signal;

function request(prompt: string): ModelRequest {
  return {
    system: 'You are Hermes.',
    messages: [{ role: 'user', content: [{ kind: 'text', text: prompt }] }],
    tools: [
      {
        name: 'read_file',
        description: 'Reads a file.',
        parameters: { type: 'object', properties: { path: { type: 'string' } } },
      },
    ],
    reasoningEffort: 'default',
    maxOutputTokens: null,
    cacheKey: null,
  };
}

const textOf = (events: readonly StreamEvent[]): string =>
  events.map((event) => (event.kind === 'text' ? event.text : '')).join('');

suite('Editor models', () => {
  const models = (): EditorModels => new EditorModels(systemClock, silentLog);

  test('are listed by the vendors that extensions contribute, with where prompts go', async () => {
    // The first question starts the provider's extension.
    await models().open('hermes-test/echo', signal);
    const listing = await models().listModels(signal);
    const ours = listing.kind === 'models' ? listing.models.filter(({ id }) => id.startsWith('hermes-test/')) : [];
    assert.deepEqual(
      ours
        .map(({ ref, label, destination, contextWindow }) => ({ ref, label, destination, contextWindow }))
        .sort((a, b) => (a.ref < b.ref ? -1 : 1)),
      ['Echo', 'Fails', 'Slow'].map((label) => ({
        ref: `Editor/hermes-test/${label.toLowerCase()}`,
        label,
        destination: 'Editor (Hermes-test)',
        contextWindow: 128_000,
      })),
    );
  });

  test('stream an answer and end once', async () => {
    const stream = (await models().open('hermes-test/echo', signal)).stream(request('one two three'), signal);
    const terminal = await stream.terminal;
    assert.deepEqual([textOf(stream.events), terminal.outcome], ['You said: one two three', 'complete']);
  });

  test('stop at once and keep the partial answer', async () => {
    const stop = new AbortController();
    const stream = (await models().open('hermes-test/slow', signal)).stream(request('words=200 delay=50'), stop.signal);
    for (let index = 0; !textOf(stream.events).includes('word3'); index++)
      assert.ok(await stream.hasEvent(index), 'it ended by itself');
    stop.abort();
    assert.equal((await stream.terminal).outcome, 'aborted');
    assert.ok('word1 word2 word3'.length <= textOf(stream.events).length);
  });

  test('that no longer exist are reported as missing', async () => {
    await assert.rejects(
      models().open('hermes-test/never', signal),
      (error) => error instanceof ModelError && error.failure.cause === 'notFound',
    );
  });
});

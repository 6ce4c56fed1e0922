import * as vscode from 'vscode';
import { describe, expect, it } from 'vitest';
import { EditorChatModel } from '../../../../src/host/models/editorChatModel';
import type { ModelRequest, StreamEvent, Terminal } from '../../../../src/models/chatModel';
import type { ModelInfo } from '../../../../src/models/modelInfo';
import { ManualClock } from '../../../support/manualClock';
import { halfCharacters } from '../../../support/wellFormed';
import { settle } from '../recordingPort';

const info: ModelInfo = {
  ref: 'Editor/acme/m1',
  provider: 'Editor',
  id: 'acme/m1',
  label: 'Acme One',
  destination: 'Editor (Acme)',
  contextWindow: 8000,
  allocatedContext: null,
  tools: null,
  images: null,
  efforts: ['default'],
  price: null,
  warnings: [],
};

const request: ModelRequest = {
  system: 'You are Hermes.',
  messages: [
    { role: 'user', content: [{ kind: 'text', text: 'Read a.ts' }] },
    {
      role: 'assistant',
      content: [
        { kind: 'thinking', text: 'hm' },
        { kind: 'text', text: 'Reading.' },
        { kind: 'toolCall', callId: 'c1', name: 'read_file', arguments: { path: 'a.ts' } },
      ],
    },
    { role: 'tool', results: [{ callId: 'c1', name: 'read_file', text: '1\tlet a', isError: false }] },
  ],
  tools: [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }],
  reasoningEffort: 'default',
  maxOutputTokens: null,
  cacheKey: null,
};

interface Sent {
  readonly messages: unknown;
  readonly options: unknown;
  readonly token: vscode.CancellationToken | undefined;
}

/** An editor model that answers with these parts, one per turn of the event loop; an Error among them breaks the
 *  answer. */
function editorModel(parts: readonly unknown[] | Error, sent: Sent[] = []): vscode.LanguageModelChat {
  const fake = {
    name: 'Acme One',
    id: 'm1',
    vendor: 'acme',
    family: 'one',
    version: '1',
    maxInputTokens: 8000,
    countTokens: () => Promise.resolve(0),
    sendRequest: (messages: unknown, options?: unknown, token?: vscode.CancellationToken) => {
      sent.push({ messages, options, token });
      if (parts instanceof Error) return Promise.reject(parts);
      return Promise.resolve({ stream: answer(parts), text: answer([]) });
    },
  };
  return fake;
}

async function* answer(parts: readonly unknown[]): AsyncGenerator<never> {
  for (const part of parts) {
    await new Promise((resolve) => setImmediate(resolve));
    if (part instanceof Error) throw part;
    yield part as never;
  }
}

async function run(
  parts: readonly unknown[] | Error,
): Promise<{ readonly events: readonly StreamEvent[]; readonly terminal: Terminal }> {
  const model = new EditorChatModel(info, editorModel(parts), 'because', new ManualClock());
  const stream = model.stream(request, new AbortController().signal);
  const terminal = await stream.terminal;
  return { events: stream.events, terminal };
}

const text = (value: string) => new vscode.LanguageModelTextPart(value);

describe('an editor model', () => {
  it('receives no half of a surrogate pair, in texts, arguments, tools or results', async () => {
    const sent: Sent[] = [];
    const half = '\ud83d';
    const torn: ModelRequest = {
      ...request,
      system: half,
      tools: [{ name: 'read_file', description: half, parameters: { type: 'object', title: half } }],
      messages: [
        { role: 'user', content: [{ kind: 'text', text: half }] },
        {
          role: 'assistant',
          content: [{ kind: 'toolCall', callId: 'c1', name: 'read_file', arguments: { path: [half] } }],
        },
        { role: 'tool', results: [{ callId: 'c1', name: 'read_file', text: half, isError: false }] },
      ],
    };
    await new EditorChatModel(info, editorModel([text('ok')], sent), 'because', new ManualClock()).stream(
      torn,
      new AbortController().signal,
    ).terminal;
    const [first] = sent;
    expect([sent.length, halfCharacters([first?.messages, first?.options])]).toEqual([1, []]);
  });

  it("receives the system text as a user message, calls and results in the editor's own parts, and a justification", async () => {
    const sent: Sent[] = [];
    const model = new EditorChatModel(info, editorModel([text('ok')], sent), 'because', new ManualClock());
    await model.stream(request, new AbortController().signal).terminal;
    expect(JSON.parse(JSON.stringify(sent.map(({ messages, options }) => ({ messages, options }))))).toEqual([
      {
        messages: [
          { role: 'user', content: 'You are Hermes.' },
          { role: 'user', content: [{ value: 'Read a.ts' }] },
          {
            role: 'assistant',
            content: [{ value: 'Reading.' }, { callId: 'c1', name: 'read_file', input: { path: 'a.ts' } }],
          },
          { role: 'user', content: [{ callId: 'c1', content: [{ value: '1\tlet a' }] }] },
        ],
        options: {
          justification: 'because',
          tools: [{ name: 'read_file', description: 'Reads.', inputSchema: { type: 'object' } }],
        },
      },
    ]);
  });

  it('delivers text and thinking in order and ends once', async () => {
    expect(await run([{ value: ['Let me ', 'see.'], id: 't1' }, text('One '), text('two.')])).toEqual({
      events: [
        { kind: 'thinking', text: 'Let me see.' },
        { kind: 'partEnd', of: 'thinking' },
        { kind: 'text', text: 'One ' },
        { kind: 'text', text: 'two.' },
        { kind: 'partEnd', of: 'text' },
      ],
      terminal: {
        outcome: 'complete',
        finish: { unified: 'stop', raw: null },
        toolCalls: [],
        empty: 'no',
        usage: null,
        requestId: null,
      },
    });
  });

  it('delivers tool calls only when the answer is complete', async () => {
    const calling = [text('Looking.'), new vscode.LanguageModelToolCallPart('c9', 'read_file', { path: 'b.ts' })];
    expect((await run(calling)).terminal).toMatchObject({
      outcome: 'complete',
      finish: { unified: 'toolCalls' },
      toolCalls: [{ callId: 'c9', name: 'read_file', arguments: '{"path":"b.ts"}' }],
    });
    expect((await run([...calling, new Error('gone')])).terminal).not.toHaveProperty('toolCalls');
  });

  it('ignores unknown parts', async () => {
    const { events } = await run([
      new vscode.LanguageModelDataPart(new Uint8Array([1]), 'application/json'),
      { value: 'no id, no metadata' },
      7,
      null,
      text('yes'),
    ]);
    expect(events).toEqual([
      { kind: 'text', text: 'yes' },
      { kind: 'partEnd', of: 'text' },
    ]);
  });

  it('keeps the partial answer when the provider fails, as interrupted', async () => {
    const { events, terminal } = await run([text('Half an ans'), new Error('socket hang up.')]);
    expect(events).toEqual([{ kind: 'text', text: 'Half an ans' }]);
    expect(terminal).toEqual({
      outcome: 'interrupted',
      failure: {
        cause: 'unknown',
        sentence: 'Acme One failed: socket hang up. Everything shown is saved. Retry, or choose another model.',
        technical: 'Error: socket hang up.',
      },
      usage: null,
      requestId: null,
    });
  });

  it.each([
    [vscode.LanguageModelError.NoPermissions('no'), 'consent'],
    [vscode.LanguageModelError.Blocked('quota'), 'quota'],
    [vscode.LanguageModelError.NotFound('gone'), 'notFound'],
    [new Error('other'), 'unknown'],
  ])('says why it could not answer: %s', async (error, cause) => {
    const { terminal } = await run(error);
    expect(terminal).toMatchObject({
      outcome: 'failed',
      failure: { cause, sentence: expect.stringContaining('Your prompt is saved.') },
    });
  });

  it('says when the answer was empty or only thinking', async () => {
    expect((await run([])).terminal).toMatchObject({ outcome: 'complete', empty: 'empty' });
    expect((await run([{ value: 'hm', id: '1' }])).terminal).toMatchObject({
      outcome: 'complete',
      empty: 'thinkingOnly',
    });
  });

  it('ends at once when the user stops it, even while the provider hangs, and cancels it', async () => {
    const sent: Sent[] = [];
    const stop = new AbortController();
    const never = new Promise<never>(() => undefined);
    const hanging: vscode.LanguageModelChat = {
      ...editorModel([]),
      sendRequest: (messages, options, token) => {
        sent.push({ messages, options, token });
        return never;
      },
    };
    const clock = new ManualClock();
    const stream = new EditorChatModel(info, hanging, 'because', clock).stream(request, stop.signal);
    await clock.advance(2500);
    stop.abort();
    expect(await stream.terminal).toEqual({ outcome: 'aborted', usage: null, requestId: null });
    expect(sent[0]?.token?.isCancellationRequested).toBe(true);
    expect(stream.events).toEqual([
      { kind: 'notice', notice: { kind: 'waiting', elapsedMs: 1000 } },
      { kind: 'notice', notice: { kind: 'waiting', elapsedMs: 2000 } },
    ]);
    await clock.advance(5000);
    await settle();
    expect(stream.events).toHaveLength(2);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import type { ChatModel, ModelRequest, ModelStream, StreamEvent, Terminal } from '../../../src/models/chatModel';
import type { ModelInfo } from '../../../src/models/modelInfo';
import type { Failure } from '../../../src/transcript/stopReason';
import { World } from '../../support/world';

const info: ModelInfo = {
  ref: 'Local/test-model',
  provider: 'Local',
  id: 'test-model',
  label: 'test-model',
  destination: 'here',
  contextWindow: null,
  allocatedContext: null,
  tools: true,
  images: true,
  efforts: ['default'],
  price: null,
  warnings: [],
};
const failure: Failure = { cause: 'network', sentence: 'The connection broke.', technical: 'reset' };
const broken: Terminal = { outcome: 'interrupted', failure, usage: null, requestId: null };
const complete: Terminal = {
  outcome: 'complete',
  finish: { unified: 'stop', raw: 'stop' },
  toolCalls: [],
  empty: 'no',
  usage: null,
  requestId: null,
};
const half: StreamEvent = { kind: 'toolCallProgress', callId: 'a', name: 'read_file', characters: 4 };

/** A stream that ended, whose event list can be written to afterwards all the same. */
function ended(events: StreamEvent[], terminal: Terminal): ModelStream {
  const count = events.length;
  return { events, hasEvent: (index) => Promise.resolve(index < count), terminal: Promise.resolve(terminal) };
}

let world: World;
afterEach(() => world.close());

describe('the requests of one answer', () => {
  it('do not mix: late output of an abandoned request reaches neither the surface nor the store', async () => {
    const first: StreamEvent[] = [{ kind: 'text', text: 'One. ' }, half];
    const requests: ModelRequest[] = [];
    const model: ChatModel = {
      info,
      stream: (request) => {
        requests.push(request);
        if (requests.length === 1) return ended(first, broken);
        first.push({ kind: 'text', text: 'A ghost. ' });
        return ended([{ kind: 'text', text: 'One. Two.' }], complete);
      },
    };
    world = await World.create({ openModel: () => Promise.resolve(model) });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Count.');
    expect({
      lines: await world.lines(sessionId),
      shown: panel.deliveredText,
      same: requests[1]?.messages === requests[0]?.messages,
    }).toEqual({
      lines: ['user: Count.', 'assistant: One. Two.'],
      shown: 'One. Two.',
      same: true,
    });
  });

  it('keep the signature of thinking that passed whole, and drop the signature of thinking that was partly a repeat', async () => {
    const signed = (text: string): readonly StreamEvent[] => [
      { kind: 'thinking', text },
      { kind: 'partEnd', of: 'thinking', metadata: { by: { signature: text } } },
    ];
    const streams = [
      ended([...signed('One.'), half], broken),
      ended([...signed('One. Two.'), ...signed('Three.'), { kind: 'text', text: 'Done.' }], complete),
    ];
    const model: ChatModel = { info, stream: () => streams.shift() ?? ended([], complete) };
    world = await World.create({ openModel: () => Promise.resolve(model) });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Count.');
    expect((await world.rows(sessionId))[1]?.parts).toEqual([
      { kind: 'thinking', text: 'One.', metadata: { by: { signature: 'One.' } } },
      { kind: 'thinking', text: ' Two.' },
      { kind: 'thinking', text: 'Three.', metadata: { by: { signature: 'Three.' } } },
      { kind: 'text', text: 'Done.' },
    ]);
  });

  it('keep thinking as the provider signed it, including tags', async () => {
    const events: StreamEvent[] = [
      { kind: 'thinking', text: '<think>x</think>' },
      { kind: 'partEnd', of: 'thinking', metadata: { by: { signature: 's' } } },
      { kind: 'text', text: 'Done.' },
    ];
    world = await World.create({ openModel: () => Promise.resolve({ info, stream: () => ended(events, complete) }) });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect((await world.rows(sessionId))[1]?.parts[0]).toEqual({
      kind: 'thinking',
      text: '<think>x</think>',
      metadata: { by: { signature: 's' } },
    });
  });

  it('keep the parts of an answer in the order they arrived, whatever was held back', async () => {
    const events: StreamEvent[] = [
      { kind: 'text', text: 'a <thi' },
      { kind: 'thinking', text: 'hm' },
      { kind: 'text', text: '<think>so' },
      { kind: 'text', text: '</think> b <' },
    ];
    world = await World.create({ openModel: () => Promise.resolve({ info, stream: () => ended(events, complete) }) });
    const panel = world.surface();
    const { sessionId } = await world.ask(panel, 'Well?');
    expect((await world.rows(sessionId))[1]?.parts).toEqual([
      { kind: 'text', text: 'a <thi' },
      { kind: 'thinking', text: 'hm' },
      { kind: 'thinking', text: 'so' },
      { kind: 'text', text: 'b <' },
    ]);
  });
});

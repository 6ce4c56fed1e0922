import { afterEach, describe, expect, it } from 'vitest';
import type { ChatModel, ModelStream, StreamEvent, Terminal } from '../../../src/models/chatModel';
import type { Failure } from '../../../src/transcript/stopReason';
import { completed, modelInfo } from '../../support/builders/chatModel';
import { World } from '../../support/world';

const info = modelInfo();
const failure: Failure = { cause: 'network', sentence: 'The connection broke.', technical: 'reset' };
const broken: Terminal = { outcome: 'interrupted', failure, usage: null, requestId: null };
const half: StreamEvent = { kind: 'toolCallProgress', callId: 'a', name: 'read_file', characters: 4 };

/** A stream that ended, whose event list can be written to afterwards all the same. */
function ended(events: StreamEvent[], terminal: Terminal): ModelStream {
  const count = events.length;
  return { events, hasEvent: (index) => Promise.resolve(index < count), terminal: Promise.resolve(terminal) };
}

let world: World;
afterEach(() => world.close());

describe('the requests of one answer', () => {
  it('keep the signature of thinking that passed whole, and drop the signature of thinking that was partly a repeat', async () => {
    const signed = (text: string): readonly StreamEvent[] => [
      { kind: 'thinking', text },
      { kind: 'partEnd', of: 'thinking', metadata: { by: { signature: text } } },
    ];
    const streams = [
      ended([...signed('One.'), half], broken),
      ended([...signed('One. Two.'), ...signed('Three.'), { kind: 'text', text: 'Done.' }], completed),
    ];
    const model: ChatModel = { info, stream: () => streams.shift() ?? ended([], completed) };
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
    world = await World.create({ openModel: () => Promise.resolve({ info, stream: () => ended(events, completed) }) });
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
    world = await World.create({ openModel: () => Promise.resolve({ info, stream: () => ended(events, completed) }) });
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

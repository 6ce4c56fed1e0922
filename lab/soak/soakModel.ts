import type { ChatModel, ModelRequest, ModelStream } from '../../src/models/chatModel';
import { EventPump } from '../../src/models/http/pump';
import type { ModelInfo } from '../../src/models/modelInfo';
import type { ModelFailureCause } from '../../src/transcript/stopReason';
import { unknownUsage } from '../../src/transcript/usage';
import type { Random } from '../../test/support/simulatedInode';

/** A model that answers at once: text, sometimes a tool call before it. A share of its requests fails, before or in
 *  the middle of the text. */
export class SoakModel implements ChatModel {
  answers = 0;
  faults = 0;

  readonly info: ModelInfo = {
    ref: 'Local/test-model',
    provider: 'Local',
    id: 'test-model',
    label: 'test-model',
    destination: 'here',
    contextWindow: 6000,
    allocatedContext: null,
    tools: true,
    images: false,
    efforts: ['default'],
    price: null,
    warnings: [],
  };

  constructor(
    private readonly random: Random,
    /** Between 0 and 1. */
    private readonly faultShare: number,
  ) {}

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const pump = new EventPump();
    signal.addEventListener('abort', () => pump.end({ outcome: 'aborted', usage: null, requestId: null }), {
      once: true,
    });
    // Only a summary has no key.
    if (request.cacheKey === null) this.say(pump, 'What was said before, in short.', 1);
    else if (this.random() < this.faultShare) this.fail(pump);
    else if (request.messages.at(-1)?.role === 'user' && this.random() < 0.1) this.call(pump);
    else this.answer(pump);
    return pump.stream;
  }

  private answer(pump: EventPump): void {
    const words = `Answer ${++this.answers}: ${'some words of it '.repeat(2 + Math.floor(this.random() * 30))}`;
    this.say(pump, words, 4);
  }

  private say(pump: EventPump, text: string, pieces: number): void {
    const size = Math.ceil(text.length / pieces);
    for (let from = 0; from < text.length; from += size)
      pump.append({ kind: 'text', text: text.slice(from, from + size) });
    const usage = { ...unknownUsage, inputTokens: 100, outputTokens: Math.ceil(text.length / 4) };
    pump.end({
      outcome: 'complete',
      finish: { unified: 'stop', raw: 'stop' },
      toolCalls: [],
      empty: 'no',
      usage,
      requestId: null,
    });
  }

  private call(pump: EventPump): void {
    pump.end({
      outcome: 'complete',
      finish: { unified: 'toolCalls', raw: 'tool_calls' },
      toolCalls: [{ callId: `call-${++this.answers}`, name: 'list_directory', arguments: '{"path":"."}' }],
      empty: 'no',
      usage: null,
      requestId: null,
    });
  }

  private fail(pump: EventPump): void {
    this.faults++;
    const causes: readonly ModelFailureCause[] = ['network', 'overloaded', 'badRequest', 'auth'];
    const cause = causes[Math.floor(this.random() * causes.length)] ?? 'network';
    const failure = { cause, sentence: 'It failed.', technical: cause };
    const begins = this.random() < 0.7;
    if (begins) pump.append({ kind: 'text', text: `Answer ${++this.answers}: begun, and ` });
    pump.end({ outcome: begins ? 'interrupted' : 'failed', failure, usage: null, requestId: null });
  }
}

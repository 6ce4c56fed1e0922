import { t } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { pause } from '../../base/pause';
import type { ChatModel, CompletedToolCall, ModelRequest, ModelStream, WireMessage } from '../chatModel';
import type { ModelInfo } from '../modelInfo';
import { free } from '../prices/priceSnapshot';
import { EventPump } from '../http/pump';
import { folderAnswer, honestAnswer, longAnswer, searchAnswer, type DemoToolResult } from './demoAnswers';
import { demoRequest, type DemoRequest } from './demoPrompts';

export const demoInfo: ModelInfo = {
  ref: 'Demo/script',
  provider: 'Demo',
  id: 'script',
  label: 'Demo',
  get destination() {
    return t('Runs offline, sends nothing');
  },
  contextWindow: null,
  allocatedContext: null,
  tools: true,
  images: false,
  efforts: ['default'],
  price: free,
  warnings: [],
};

/** Milliseconds between deltas: slow enough to read along, and to stop. */
const paceMs = 30;
const charactersPerDelta = 12;
const uncounted = { usage: null, requestId: null };

/** Demo's next step: a call of one of the agent's tools, or its answer. */
type Step =
  | { readonly kind: 'call'; readonly name: string; readonly arguments: string }
  | { readonly kind: 'say'; readonly text: string };

/** Built in, offline, the same every time, and honest about it. It learns about the folder only through the agent's
 *  own tools, so its calls, their storage and their rows in the panel are real. */
export class DemoModel implements ChatModel {
  readonly info = demoInfo;

  constructor(private readonly clock: Clock) {}

  stream(request: ModelRequest, signal: AbortSignal): ModelStream {
    const pump = new EventPump();
    this.answer(request, signal, pump).catch((error: unknown) =>
      pump.end({
        ...uncounted,
        outcome: 'failed',
        failure: {
          cause: 'unknown',
          sentence: t('Demo failed. Your prompt is saved. Retry, or choose another model.'),
          technical: error instanceof Error ? (error.stack ?? error.message) : String(error),
        },
      }),
    );
    return pump.stream;
  }

  private async answer(request: ModelRequest, signal: AbortSignal, pump: EventPump): Promise<void> {
    const step = nextStep(request);
    if (step.kind === 'call') {
      if (!(await pause(this.clock, paceMs, signal))) return pump.end({ ...uncounted, outcome: 'aborted' });
      const call: CompletedToolCall = {
        callId: `demo_${Math.round(this.clock.now() * 1000).toString(36)}`,
        name: step.name,
        arguments: step.arguments,
      };
      const { callId, name } = call;
      pump.append({ kind: 'toolCallProgress', callId, name, characters: call.arguments.length });
      const finish = { unified: 'toolCalls', raw: 'tool_calls' } as const;
      return pump.end({ ...uncounted, outcome: 'complete', finish, toolCalls: [call], empty: 'no' });
    }
    for (const text of deltas(step.text)) {
      if (!(await pause(this.clock, paceMs, signal))) return pump.end({ ...uncounted, outcome: 'aborted' });
      pump.append({ kind: 'text', text });
    }
    pump.append({ kind: 'partEnd', of: 'text' });
    const finish = { unified: 'stop', raw: 'stop' } as const;
    pump.end({ ...uncounted, outcome: 'complete', finish, toolCalls: [], empty: 'no' });
  }
}

function nextStep(request: ModelRequest): Step {
  const prompt = request.messages.findLastIndex(({ role }) => role === 'user');
  const asked = demoRequest(promptText(request.messages[prompt]));
  const result = lastResult(request.messages.slice(prompt + 1));
  return result === null ? firstStep(asked, request) : { kind: 'say', text: answerTo(asked, result) };
}

function firstStep(asked: DemoRequest, request: ModelRequest): Step {
  const hasTool = (name: string): boolean => request.tools.some((tool) => tool.name === name);
  if (asked.kind === 'search' && hasTool('search_files'))
    return { kind: 'call', name: 'search_files', arguments: JSON.stringify({ query: asked.query }) };
  if ((asked.kind === 'folder' || asked.kind === 'long') && hasTool('list_directory'))
    return { kind: 'call', name: 'list_directory', arguments: JSON.stringify({ path: '.' }) };
  if (asked.kind === 'long') return { kind: 'say', text: longAnswer({ text: '', isError: false }) };
  return { kind: 'say', text: honestAnswer() };
}

function answerTo(asked: DemoRequest, result: DemoToolResult): string {
  switch (asked.kind) {
    case 'folder':
      return folderAnswer(result);
    case 'search':
      return searchAnswer(asked.query, result);
    case 'long':
      return longAnswer(result);
    case 'other':
      return honestAnswer();
  }
}

function promptText(message: WireMessage | undefined): string {
  if (message?.role !== 'user') return '';
  return message.content.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');
}

function lastResult(messages: readonly WireMessage[]): DemoToolResult | null {
  const last = messages.findLast((message) => message.role === 'tool');
  return last?.role === 'tool' ? (last.results.at(-1) ?? null) : null;
}

/** Splits at spaces into pieces of about a dozen characters. Joined, they are the text again. */
function deltas(text: string): readonly string[] {
  const pieces: string[] = [];
  for (const word of text.split(/(?<=\s)/)) {
    const last = pieces.at(-1);
    if (last !== undefined && last.length + word.length <= charactersPerDelta) pieces[pieces.length - 1] = last + word;
    else pieces.push(word);
  }
  return pieces;
}

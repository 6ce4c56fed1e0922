import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { ChatModel, CompletedToolCall, Finish, ModelRequest, StreamEvent, StreamNotice, Terminal, WireTool } from '../models/chatModel';
import type { ReasoningEffort } from '../models/modelInfo';
import { ModelError } from '../models/modelProvider';
import type { SessionStore } from '../store/sessionStore';
import { StoreError } from '../store/storeError';
import type { ToolRegistry } from '../tools/toolRegistry';
import type { ToolCallPart } from '../transcript/part';
import { type Failure, storeFailureCauses } from '../transcript/stopReason';
import type { Settlement, Turn } from '../transcript/turn';
import type { TurnActivity, TurnEvent } from '../transcript/turnEvent';
import type { WireMessage } from '../transcript/wireMessage';
import { projectToWire } from '../transcript/wireProjection';
import { TurnRecorder } from './turnRecorder';
import { stopReasonOf, TurnStop } from './turnStop';

export interface AgentParts {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly tools: ToolRegistry;
  /** Opens the model; called once, when the first turn needs it. Rejects with `ModelError`. */
  readonly openModel: (signal: AbortSignal) => Promise<ChatModel>;
  readonly systemPrompt: (hasTools: boolean) => string;
  readonly reasoningEffort: ReasoningEffort;
  /** Model requests one turn may make; the last one is made without tools. */
  readonly maxIterations: number;
}

export interface TurnRun {
  readonly turn: Turn & { readonly state: 'running' };
  readonly conversationId: string;
  readonly show: (event: TurnEvent) => void;
  /** Aborted with a `TurnStop`. */
  readonly controller: AbortController;
}

/** What a turn came to. `unsettled`: its last rows could not be written; `settle` tries again. */
export type TurnResult =
  | { readonly kind: 'settled'; readonly turn: Turn & { readonly state: 'settled' } }
  | { readonly kind: 'unsettled'; readonly error: unknown; settle(): Promise<Turn & { readonly state: 'settled' }> };

/** A run with the one line a surface shows of what goes on in it. */
interface LiveRun extends TurnRun {
  report(activity: TurnActivity): void;
}

/** How a turn should end, decided by what its last request came to. */
interface Ending {
  readonly settlement: Settlement;
  readonly undelivered: 'drop' | 'store';
  readonly terminal: Terminal | null;
}

/** Answers prompts of one session with one model. It may be kept and used for many turns: all state of a turn lives in that turn's run, so
 *  there is nothing to leak from one to the next (hermes-agent#44327: a cached agent's cursor swallowed later answers). */
export class Agent {
  private model: Promise<ChatModel> | null = null;

  constructor(private readonly parts: AgentParts) {}

  /** Runs an opened turn to its end. Never rejects. */
  async runTurn(run: TurnRun): Promise<TurnResult> {
    const { turn, show, controller } = run;
    const recorder = new TurnRecorder(
      this.parts.store,
      this.parts.clock,
      this.parts.ids,
      { sessionId: turn.sessionId, turnUid: turn.uid, model: turn.model },
      show,
      () => controller.abort(new TurnStop('storeFailed')),
    );
    const ending = await this.work(withActivity(run), recorder).catch((error: unknown) => this.endingOf(error, controller.signal, recorder));
    const settle = () => {
      // However the request ended: a turn whose last words could not be saved is not complete.
      const { settlement, undelivered, terminal } = recorder.failed ? storeFailed(recorder.failure) : ending;
      return recorder.settle(settlement, undelivered, {
        finishReason: terminal?.outcome === 'complete' ? terminal.finish.raw : null,
        usage: terminal?.usage ?? null,
      });
    };
    try {
      return { kind: 'settled', turn: await settle() };
    } catch (error) {
      return { kind: 'unsettled', error, settle };
    }
  }

  private async work(run: LiveRun, recorder: TurnRecorder): Promise<Ending> {
    const { turn, controller } = run;
    const { signal } = controller;
    run.report({ kind: 'requesting', elapsedMs: 0 });
    const model = await this.openModel(signal);
    for (let iteration = 1; ; iteration++) {
      signal.throwIfAborted();
      const history = await this.parts.store.activeMessages(turn.sessionId);
      const isLast = iteration >= this.parts.maxIterations;
      const request = this.request(projectToWire(history, turn.model), model, run.conversationId, isLast && iteration > 1);
      const terminal = await this.ask(model, request, run, recorder);
      if (terminal.usage !== null) await recorder.addUsage(terminal.usage);
      if (terminal.outcome !== 'complete' || !callsTools(terminal) || (isLast && iteration > 1)) {
        return ending(terminal, signal, isLast && iteration > 1);
      }
      const calls = terminal.toolCalls.map(toolCallPart);
      await recorder.storeCalls({ calls, finishReason: terminal.finish.raw, usage: terminal.usage });
      await this.runCalls(calls, run, recorder);
    }
  }

  /** One request: every delta goes to the recorder in order, in the pace of the store, until the one terminal record. */
  private async ask(model: ChatModel, request: ModelRequest, run: LiveRun, recorder: TurnRecorder): Promise<Terminal> {
    const stream = model.stream(request, run.controller.signal);
    for (let index = 0; await stream.hasEvent(index); index++) {
      const event = stream.events[index];
      // A stop drops what is undelivered: what arrived but was not stored yet was never shown.
      if (event === undefined || run.controller.signal.aborted) break;
      this.take(event, run, recorder);
    }
    return stream.terminal;
  }

  private take(event: StreamEvent, run: LiveRun, recorder: TurnRecorder): void {
    switch (event.kind) {
      case 'text':
      case 'thinking':
        run.report({ kind: 'answering' });
        recorder.deliver(event.kind, event.text);
        break;
      case 'partEnd':
        recorder.endPart(event.of, event.metadata);
        break;
      case 'toolCallProgress':
        run.report({ kind: 'receivingToolCall', name: event.name, characters: event.characters });
        break;
      case 'notice':
        run.report(noticeActivity(event.notice));
        break;
      default:
        event satisfies never;
    }
  }

  /** Calls that only read start together; results are stored in the order of the calls. */
  private async runCalls(calls: readonly ToolCallPart[], run: LiveRun, recorder: TurnRecorder): Promise<void> {
    const { signal } = run.controller;
    const start = (call: ToolCallPart) => {
      run.report({ kind: 'runningTool', callId: call.callId, startedAt: this.parts.clock.now() });
      const output = this.parts.tools.run(call, signal);
      // Awaited in order below; until then an early rejection (a stop) must not count as unhandled.
      output.catch(() => undefined);
      return output;
    };
    const early = new Map(calls.filter((call) => this.parts.tools.isReadOnly(call.name)).map((call) => [call, start(call)]));
    for (const call of calls) {
      signal.throwIfAborted();
      const output = await (early.get(call) ?? start(call));
      await recorder.storeResult(call, output.outcome, output.text, output.details);
    }
    run.report({ kind: 'requesting', elapsedMs: 0 });
  }

  private openModel(signal: AbortSignal): Promise<ChatModel> {
    this.model ??= this.parts.openModel(signal);
    return this.model.catch((error: unknown) => {
      this.model = null;
      throw error;
    });
  }

  private request(messages: readonly WireMessage[], model: ChatModel, conversationId: string, isClosing: boolean): ModelRequest {
    const hasTools = model.info.tools !== false;
    const tools: readonly WireTool[] = hasTools ? this.parts.tools.specifications() : [];
    return {
      system: this.parts.systemPrompt(hasTools),
      messages: isClosing ? withClosingNote(messages) : messages,
      tools,
      ...(isClosing ? { toolChoice: 'none' as const } : {}),
      reasoningEffort: this.parts.reasoningEffort,
      maxOutputTokens: null,
      cacheKey: conversationId,
    };
  }

  /** Errors that end a turn: a stop, a model that cannot be opened, a store that cannot write, or a fault of ours, which is said as such. */
  private endingOf(error: unknown, signal: AbortSignal, recorder: TurnRecorder): Ending {
    if (recorder.failed || (signal.aborted && stopReasonOf(signal) === 'storeFailed')) return storeFailed(recorder.failure ?? error);
    if (signal.aborted) return stopped(signal, null);
    if (error instanceof ModelError) return { settlement: { outcome: 'failed', stopReason: 'error', failure: error.failure }, undelivered: 'store', terminal: null };
    this.parts.log.error('A turn ended with an unexpected error.', error);
    const technical = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const sentence = 'Hermes ran into an error of its own. Everything shown is saved. Retry, and if it happens again, report it with the details.';
    return { settlement: { outcome: 'failed', stopReason: 'error', failure: { cause: 'unknown', sentence, technical } }, undelivered: 'store', terminal: null };
  }
}

/** Deltas come by the hundred: that text is arriving is said once, until something else happens. */
function withActivity(run: TurnRun): LiveRun {
  let last: TurnActivity['kind'] | null = null;
  return {
    ...run,
    report: (activity) => {
      if (activity.kind === 'answering' && last === 'answering') return;
      last = activity.kind;
      run.show({ kind: 'activity', turnUid: run.turn.uid, activity });
    },
  };
}

/** Sent, never stored: the budget of requests is used up, and the turn should end in words. It rides on the last tool result, because
 *  strict chat templates refuse a user message behind one. */
function withClosingNote(messages: readonly WireMessage[]): readonly WireMessage[] {
  const note = '(No further tool calls are possible in this turn. Say what you found, what is done and what is left.)';
  const last = messages.at(-1);
  if (last?.role !== 'tool') return messages;
  const results = last.results.map((result, index) => (index === last.results.length - 1 ? { ...result, text: `${result.text}\n\n${note}` } : result));
  return [...messages.slice(0, -1), { role: 'tool', results }];
}

function callsTools(terminal: Terminal & { readonly outcome: 'complete' }): boolean {
  // An answer cut off by its length may hold half a call, which must never run.
  return terminal.toolCalls.length > 0 && terminal.finish.unified !== 'length' && terminal.finish.unified !== 'contentFilter';
}

function toolCallPart(call: CompletedToolCall): ToolCallPart {
  const { callId, name, metadata } = call;
  return { kind: 'toolCall', callId, name, arguments: call.arguments, ...(metadata === undefined ? {} : { metadata }) };
}

function ending(terminal: Terminal, signal: AbortSignal, isClosing: boolean): Ending {
  switch (terminal.outcome) {
    case 'complete':
      return { settlement: completion(terminal.finish, terminal.empty, isClosing), undelivered: 'store', terminal };
    case 'aborted':
      return stopped(signal, terminal);
    case 'interrupted':
      return { settlement: { outcome: 'interrupted', stopReason: 'connectionLost', failure: terminal.failure }, undelivered: 'store', terminal };
    case 'failed':
      return { settlement: { outcome: 'failed', stopReason: 'error', failure: terminal.failure }, undelivered: 'store', terminal };
    default:
      return terminal satisfies never;
  }
}

function completion(finish: Finish, empty: 'no' | 'empty' | 'thinkingOnly', isClosing: boolean): Settlement {
  if (finish.unified === 'contentFilter') return { outcome: 'complete', stopReason: 'refusal', failure: null };
  if (finish.unified === 'length') return { outcome: 'complete', stopReason: 'length', failure: null };
  if (empty !== 'no') return { outcome: 'failed', stopReason: 'empty', failure: emptyAnswer(empty, finish.raw) };
  return { outcome: 'complete', stopReason: isClosing ? 'iterations' : 'stop', failure: null };
}

function emptyAnswer(empty: 'empty' | 'thinkingOnly', raw: string | null): Failure {
  const what = empty === 'empty' ? 'The model ended its answer without a word.' : 'The model stopped after thinking, without an answer.';
  return { cause: 'empty', sentence: `${what} Your prompt is saved. Retry, or choose another model.`, technical: `finish reason: ${raw ?? 'none'}` };
}

function stopped(signal: AbortSignal, terminal: Terminal | null): Ending {
  const reason = stopReasonOf(signal);
  if (reason === 'storeFailed') return storeFailed(signal.reason);
  return { settlement: { outcome: 'interrupted', stopReason: reason, failure: null }, undelivered: 'drop', terminal };
}

function storeFailed(error: unknown): Ending {
  return { settlement: { outcome: 'failed', stopReason: 'storeFailed', failure: savingFailure(error) }, undelivered: 'drop', terminal: null };
}

/** Why nothing more could be saved, in the store's own words. */
export function savingFailure(error: unknown): Failure {
  const safe = 'This answer was stopped; everything shown of it is saved.';
  if (error instanceof StoreError) {
    const cause = storeFailureCauses.find((known) => known === error.causeClass) ?? 'unknown';
    return { cause, sentence: `${error.message} ${safe}`, technical: error.technical };
  }
  const technical = error instanceof Error ? error.message : String(error);
  return { cause: 'unknown', sentence: `Nothing more could be saved. ${safe}`, technical };
}

function noticeActivity(notice: StreamNotice): TurnActivity {
  switch (notice.kind) {
    case 'retrying':
      return notice;
    case 'loadingModel':
      return notice;
    case 'waiting':
      return { kind: 'requesting', elapsedMs: notice.elapsedMs };
    default:
      return notice satisfies never;
  }
}

import type { ChatModel, CompletedToolCall, Finish, ModelRequest, ModelStream } from '../../../src/models/chatModel';
import { EventPump } from '../../../src/models/http/pump';
import type { DeliveredKind } from '../../../src/transcript/part';
import type { ModelFailureCause } from '../../../src/transcript/stopReason';
import { unknownUsage } from '../../../src/transcript/usage';

/** Tokens the simulated model says it takes. */
const contextWindow = 10_000;

/** A request that waits for the schedule to say what the model does. */
export class OpenRequest {
  private readonly pump = new EventPump();
  private hasText = false;
  private begun = false;
  private thought = false;
  /** Everything the model sent, in order. */
  readonly emitted: { readonly kind: DeliveredKind; readonly text: string }[] = [];
  /** A call was being received when the connection broke: the request may be repeated, and what was not delivered yet given up. */
  brokeInCall = false;
  private receivingCall = false;
  private lost = false;

  constructor(
    readonly request: ModelRequest,
    readonly turnUid: string,
    /** Which process asks. */
    readonly run: number,
    private readonly signal: AbortSignal,
  ) {
    const onAbort = (): void => this.pump.end({ outcome: 'aborted', usage: null, requestId: null });
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  }

  get stream(): ModelStream {
    return this.pump.stream;
  }

  /** It asks for a summary: only a turn's requests name their conversation. */
  get isSummary(): boolean {
    return this.request.cacheKey === null;
  }

  get isOpen(): boolean {
    return !this.lost && !this.pump.closed && !this.signal.aborted;
  }

  /** The process that asked is gone. */
  lose(): void {
    this.lost = true;
  }

  deliver(kind: DeliveredKind, text: string): void {
    if (!this.pump.append({ kind, text })) return;
    this.emitted.push({ kind, text });
    this.begun = true;
    if (kind === 'text') this.hasText = true;
    else this.thought = true;
  }

  beginCall(name: string): void {
    this.begun = this.pump.append({ kind: 'toolCallProgress', callId: 'half', name, characters: 3 }) || this.begun;
    this.receivingCall = true;
  }

  /** `tokens`: what its service counts for the request; null where it does not say. */
  finish(unified: Finish['unified'], toolCalls: readonly CompletedToolCall[] = [], tokens: number | null = null): void {
    const empty = this.hasText || toolCalls.length > 0 ? 'no' : this.thought ? 'thinkingOnly' : 'empty';
    const usage = tokens === null ? null : { ...unknownUsage, inputTokens: tokens };
    this.pump.end({ outcome: 'complete', finish: { unified, raw: unified }, toolCalls, empty, usage, requestId: null });
  }

  break(cause: ModelFailureCause): void {
    this.brokeInCall = this.receivingCall;
    const failure = { cause, sentence: 'It broke.', technical: cause };
    this.pump.end({ outcome: this.begun ? 'interrupted' : 'failed', failure, usage: null, requestId: null });
  }
}

/** A model that does nothing by itself: each request is handed to `begin`, and the schedule drives it from there. */
export function scriptedModel(begin: (request: ModelRequest, signal: AbortSignal) => OpenRequest): ChatModel {
  return {
    info: {
      ref: 'Simulated/model',
      provider: 'Simulated',
      id: 'model',
      label: 'model',
      destination: 'nowhere',
      contextWindow,
      allocatedContext: null,
      tools: true,
      images: false,
      efforts: ['default'],
      price: null,
      warnings: [],
    },
    stream: (request, signal) => begin(request, signal).stream,
  };
}

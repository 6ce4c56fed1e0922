import type { Clock } from '../../base/clock';
import { joinSentences } from '../../base/messageText';
import { pause } from '../../base/pause';
import { t } from '../../base/translate';
import type { Failure } from '../../transcript/stopReason';
import type { Usage } from '../../transcript/usage';
import type { ModelRequest, ModelStream, Terminal } from '../chatModel';
import { failureOf, mayRetry, retryAfterMs, type FailureContext, type ServicePlace } from './failures';
import { EventPump } from './pump';
import { isRefusal, LearnedRefusals, type FittedRequest } from './refusals';
import type {
  LoadTransports,
  Transport,
  TransportEnd,
  TransportFault,
  TransportPart,
  TransportSettings,
} from '../transport';
import { contractOf, keepContract, type KeptRequest } from './wireContract';

interface WatchdogLimits {
  readonly firstByteMs: number;
  readonly idleMs: number;
}

interface WatchdogHandlers {
  /** Called every second until the first byte. */
  waiting(elapsedMs: number): void;
  timedOut(of: 'firstByte' | 'idle', ms: number): void;
}

const second = 1000;

/** Watches one attempt for silence: before the first byte, and between bytes. The clock starts at construction. */
class Watchdog {
  private cancel: () => void;
  private lastActive: number;
  private started = false;
  private stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly limits: WatchdogLimits,
    private readonly handlers: WatchdogHandlers,
  ) {
    this.lastActive = clock.monotonicMs();
    this.cancel = clock.after(second, () => this.awaitFirstByte(1));
  }

  /** Called when bytes arrived. */
  active(): void {
    if (this.stopped) return;
    this.lastActive = this.clock.monotonicMs();
    if (this.started) return;
    this.started = true;
    this.cancel();
    this.cancel = this.clock.after(this.limits.idleMs, () => this.checkIdle());
  }

  stop(): void {
    this.stopped = true;
    this.cancel();
  }

  private awaitFirstByte(seconds: number): void {
    const elapsed = seconds * second;
    if (elapsed >= this.limits.firstByteMs) {
      this.handlers.timedOut('firstByte', this.limits.firstByteMs);
      return;
    }
    this.handlers.waiting(elapsed);
    this.cancel = this.clock.after(second, () => this.awaitFirstByte(seconds + 1));
  }

  /** Waits for the rest of the limit, instead of resetting a timer for every chunk. */
  private checkIdle(): void {
    const silent = this.clock.monotonicMs() - this.lastActive;
    if (silent >= this.limits.idleMs) this.handlers.timedOut('idle', this.limits.idleMs);
    else this.cancel = this.clock.after(this.limits.idleMs - silent, () => this.checkIdle());
  }
}

/** Waiting times and number of attempts. Times in milliseconds. */
export interface RequestPolicy {
  readonly place: ServicePlace;
  readonly attempts: number;
  /** Pause before the second attempt. Doubles for each further one. */
  readonly backoffMs: number;
  /** If a service asks for a longer pause, the request fails with the service's message instead. */
  readonly longestRetryAfterMs: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  /** Notice to show while nothing has arrived yet. */
  readonly waitingNotice: 'loadingModel' | 'waiting';
}

export const remotePolicy: RequestPolicy = {
  place: 'remote',
  attempts: 3,
  backoffMs: 1000,
  longestRetryAfterMs: 60_000,
  firstByteMs: 120_000,
  idleMs: 120_000,
  waitingNotice: 'waiting',
};

/** A server on this machine may take minutes to load a model from disk before it answers, and then generate slowly. */
export const loopbackPolicy: RequestPolicy = {
  ...remotePolicy,
  place: 'thisMachine',
  firstByteMs: 600_000,
  idleMs: 300_000,
  waitingNotice: 'loadingModel',
};

export interface RequestRunnerDeps {
  readonly loadTransports: LoadTransports;
  readonly settings: TransportSettings;
  readonly policy: RequestPolicy;
  readonly clock: Clock;
  readonly provider: string;
  /** Parts that the service refused or required before. */
  readonly refusals?: LearnedRefusals;
}

/** Runs one request through its transport: retries before the first delta, watches for silence, and ends with
 *  exactly one terminal. */
export function runRequest(request: ModelRequest, signal: AbortSignal, deps: RequestRunnerDeps): ModelStream {
  const runner = new RequestRunner(request, signal, deps);
  runner.run().catch((error: unknown) => runner.fail(internalFault(error)));
  return runner.stream;
}

function internalFault(error: unknown): TransportFault {
  return { kind: 'internal', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** Returns the sentence about what a request lacks, or null if it lacks nothing. */
function leftOutSentence(provider: string, fitted: FittedRequest, kept: KeptRequest): string | null {
  const tools = [...fitted.tools, ...kept.tools];
  const sentences = [
    fitted.images + kept.images > 0 ? t('{provider} did not take an image, so it was left out.', { provider }) : '',
    tools.length > 0
      ? t('{provider} did not take these tools, so they were left out: {names}.', { provider, names: tools.join(', ') })
      : '',
    fitted.isPlain
      ? t('{provider} refused this conversation, so it was sent as plain text, without images and thinking.', {
          provider,
        })
      : '',
  ];
  return joinSentences(sentences) || null;
}

type AttemptEnd = TransportEnd | { readonly kind: 'aborted' };

class RequestRunner {
  private readonly pump = new EventPump();
  /** True when a delta of any kind arrived. After that nothing is retried. */
  private begun = false;
  /** True when answer text or thinking arrived. Without text and calls the answer counts as empty; a failure text
   *  tells the user that shown text is saved. */
  private deliveredText = false;
  private deliveredThinking = false;
  private readonly refusals: LearnedRefusals;
  /** Sentence about what the last attempt lacked. */
  private leftOut: string | null = null;

  constructor(
    private readonly request: ModelRequest,
    private readonly signal: AbortSignal,
    private readonly deps: RequestRunnerDeps,
  ) {
    this.refusals = deps.refusals ?? new LearnedRefusals();
  }

  get stream(): ModelStream {
    return this.pump.stream;
  }

  async run(): Promise<void> {
    if (this.signal.aborted) return this.abort(null, null);
    const { createTransport } = await this.deps.loadTransports();
    const transport = createTransport(this.deps.settings);
    const learned: string[] = [];
    for (let attempt = 1; ; attempt += 1) {
      const end = await this.attemptFitting(transport, learned);
      if (end.kind === 'aborted') return this.abort(null, null);
      if (end.kind === 'finished') return this.complete(end);
      const delayMs =
        this.begun || attempt >= this.deps.policy.attempts ? null : this.delayBeforeRetry(end.fault, attempt);
      if (delayMs === null) return this.fail(end.fault, end.usage, end.requestId);
      const failure = this.describe(end.fault);
      this.pump.append({
        kind: 'notice',
        notice: { kind: 'retrying', attempt: attempt + 1, attempts: this.deps.policy.attempts, delayMs, failure },
      });
      if (!(await pause(this.deps.clock, delayMs, this.signal))) return this.abort(end.usage, end.requestId);
    }
  }

  /** Makes one attempt. Repeats it at once without a part that the service refused and the request does not need
   *  (hermes-agent#109572), or with a part that it misses and the request can have. An entry that did not help is
   *  removed: the service meant something else. */
  private async attemptFitting(transport: Transport, learned: string[]): Promise<AttemptEnd> {
    const {
      refusals,
      deps: { settings },
    } = this;
    const contract = contractOf(settings);
    for (;;) {
      const fitted = refusals.fitting(this.request, settings.modelId);
      const kept = keepContract(fitted.request, contract, fitted.simpleSchemas ? 'simple' : contract.schemas);
      const end = await this.attempt(transport, kept.request);
      const refused =
        end.kind === 'broken' && !this.begun
          ? refusals.learn(end.fault, fitted, this.request, settings.modelId, learned)
          : null;
      if (refused !== null) learned.push(...refused);
      else if (end.kind === 'broken' && isRefusal(end.fault)) refusals.forget(learned);
      if (refused !== null) continue;
      this.leftOut = leftOutSentence(this.deps.provider, fitted, kept);
      return end.kind === 'finished' ? { ...end, toolCalls: end.toolCalls.map(kept.ownNames) } : end;
    }
  }

  /** Ends the request as failed, or as interrupted if any delta had arrived. */
  fail(fault: TransportFault, usage: Usage | null = null, requestId: string | null = null): void {
    const outcome = this.begun ? 'interrupted' : 'failed';
    this.pump.end({ outcome, failure: this.describe(fault), usage, requestId });
  }

  private abort(usage: Usage | null, requestId: string | null): void {
    this.pump.end({ outcome: 'aborted', usage, requestId });
  }

  private complete(end: Extract<TransportEnd, { readonly kind: 'finished' }>): void {
    // A call in an answer that was cut at its limit or by a filter may be incomplete itself, and "" looks the same as
    // "no arguments".
    const cut = end.finish.unified === 'length' || end.finish.unified === 'contentFilter';
    const toolCalls = cut ? [] : end.toolCalls;
    const silent = !this.deliveredText && toolCalls.length === 0;
    const empty = silent ? (this.deliveredThinking ? 'thinkingOnly' : 'empty') : 'no';
    const terminal: Terminal = {
      outcome: 'complete',
      finish: end.finish,
      toolCalls,
      empty,
      usage: end.usage,
      requestId: end.requestId,
      ...(this.leftOut === null ? {} : { leftOut: this.leftOut }),
    };
    this.pump.end(terminal);
  }

  /** Makes one attempt. Ends as soon as the signal or a watchdog fires, even if the transport does not notice. */
  private attempt(transport: Transport, request: ModelRequest): Promise<AttemptEnd> {
    const { clock, policy } = this.deps;
    const { signal } = this;
    const cut = new AbortController();
    return new Promise((resolve) => {
      let open = true;
      const watchdog = new Watchdog(clock, policy, {
        waiting: (elapsedMs) => this.pump.append({ kind: 'notice', notice: { kind: policy.waitingNotice, elapsedMs } }),
        timedOut: (of, ms) =>
          settle({ kind: 'broken', fault: { kind: 'timeout', of, ms }, usage: null, requestId: null }),
      });
      signal.addEventListener('abort', onAbort, { once: true });
      const emit = (part: TransportPart): void => {
        if (!open) return;
        if (part.kind !== 'partEnd') this.begun = true;
        if (part.kind === 'text') this.deliveredText = true;
        if (part.kind === 'thinking') this.deliveredThinking = true;
        this.pump.append(part);
      };
      // Async, so that a throw inside becomes a rejection and the watchdog is stopped.
      const send = async (): Promise<TransportEnd> =>
        transport.send(request, {
          signal: cut.signal,
          active: () => watchdog.active(),
          emit,
          after: (ms, callback) => clock.after(ms, callback),
        });
      send().then(settle, (error: unknown) =>
        settle({ kind: 'broken', fault: internalFault(error), usage: null, requestId: null }),
      );
      function onAbort(): void {
        settle({ kind: 'aborted' });
      }
      function settle(end: AttemptEnd): void {
        if (!open) return;
        open = false;
        watchdog.stop();
        signal.removeEventListener('abort', onAbort);
        cut.abort();
        resolve(end);
      }
    });
  }

  /** Returns the milliseconds to wait, or null when a retry is pointless. */
  private delayBeforeRetry(fault: TransportFault, attempt: number): number | null {
    if (!mayRetry(fault, this.deps.policy.place)) return null;
    const asked = retryAfterMs(fault, this.deps.clock.now() * 1000);
    if (asked !== null) return asked > this.deps.policy.longestRetryAfterMs ? null : asked;
    return this.deps.policy.backoffMs * 2 ** (attempt - 1);
  }

  private describe(fault: TransportFault): Failure {
    const { settings, provider } = this.deps;
    const context: FailureContext = {
      provider,
      modelId: settings.modelId,
      baseUrl: settings.baseUrl,
      key: settings.key,
      purpose: 'request',
      delivered: this.deliveredText || this.deliveredThinking,
    };
    return failureOf(fault, context);
  }
}

import type { Clock } from '../base/clock';
import { pause } from '../base/pause';
import type { ChatModel, Finish, ModelRequest, Terminal } from '../models/chatModel';
import { countedCost } from '../models/requestCost';
import type { RepeatMode } from '../transcript/text/repeats';
import type { Failure } from '../transcript/stopReason';
import { addUsage, type Usage } from '../transcript/usage';
import { AnswerIntake } from './answerIntake';
import { type LiveRun, noticeActivity } from './liveRun';
import { emptyAnswer } from './turnEnding';
import type { TurnRecorder } from './turnRecorder';
import { goingOn, wireNotes, withNote } from './wireNotes';

/** Requests beside the first one of an answer, by their reason. Of a turn: after an answer without text
 *  (hermes-agent: nudge 1, thinking only 2, empty 3). Of one answer: the others. */
const limits = { nudge: 1, thinkingOnly: 2, empty: 3, brokenCall: 2, brokenText: 1, continuation: 3 } as const;
type Reason = keyof typeof limits;
const reasonsOfAnswer = ['brokenCall', 'brokenText', 'continuation'] as const;

/** Milliseconds before the second retry of a broken request. The first retry is immediate. */
const secondRepeatMs = 1000;

/** The further requests that one turn may make. A new turn starts with a new object. */
export class RequestBudget {
  /** Failure of the last connection after which the model continued an answer of this turn. */
  broken: Failure | null = null;
  /** Sentences about what the service did not take in this turn. */
  readonly leftOut = new Set<string>();
  private readonly used = new Map<Reason, number>();

  beginAnswer(): void {
    for (const reason of reasonsOfAnswer) this.used.delete(reason);
  }

  usedFor(reason: Reason): number {
    return this.used.get(reason) ?? 0;
  }

  /** Takes one request. False when those for this reason are used up. */
  take(reason: Reason): boolean {
    const used = this.usedFor(reason);
    if (used >= limits[reason]) return false;
    this.used.set(reason, used + 1);
    return true;
  }
}

/** Ends a turn before its next request, because the session has reached its spending limit. */
export class SpendingPause extends Error {
  override readonly name = 'SpendingPause';

  constructor(readonly failure: Failure) {
    super(failure.sentence);
  }
}

/** Rejects with `SpendingPause`. Called before each request. */
export async function assertMaySpend(run: Pick<LiveRun, 'spendingLimit'>): Promise<void> {
  const limit = await run.spendingLimit();
  if (limit !== null) throw new SpendingPause(limit);
}

interface Asking {
  readonly model: ChatModel;
  readonly run: LiveRun;
  readonly recorder: TurnRecorder;
  readonly clock: Clock;
  readonly budget: RequestBudget;
  /** True when an answer whose connection broke is continued without asking the user. */
  readonly continuesBroken: boolean;
}

/** Result of one request. */
interface Attempt {
  readonly terminal: Terminal;
  /** True when a tool call was being received. It does not count as a call until the terminal record contains it. */
  readonly sawCall: boolean;
  readonly sawThinking: boolean;
  /** True when the request delivered new answer text. */
  readonly hasNewText: boolean;
}

/** The next request for the same answer. Null when the attempt ends the answer. */
interface NextRequest {
  readonly request: ModelRequest;
  readonly mode: RepeatMode;
}

/** Asks the model until its answer is complete, or until another request would be wrong. All requests of one answer
 *  write to one row: delivered text stays, repeats are held back, and notes to the model in between are never
 *  stored. Returns the last request's terminal record, with the usage of all requests. Rejects with `SpendingPause`
 *  before a further request that the session may not pay.
 *  - The stream broke while a tool call was being received: sends the same request once more.
 *  - It broke after text: asks the model to continue the text, once. The same request is not sent again, because the
 *  model would write something different below text that the user already reads.
 *  - The answer was cut at the output limit: asks the model to continue.
 *  - It ended without any text: asks again. */
export async function askUntilAnswered(request: ModelRequest, asking: Asking): Promise<Terminal> {
  const { signal } = asking.run.controller;
  const intake = new AnswerIntake(asking.recorder);
  const requests = new AnswerRequests(request, intake, asking);
  for (let next: NextRequest | null = { request, mode: 'again' }; ;) {
    const attempt = await readAttempt(next.request, next.mode, intake, asking);
    const { terminal } = attempt;
    if (terminal.outcome === 'complete' && terminal.leftOut !== undefined) asking.budget.leftOut.add(terminal.leftOut);
    if (terminal.usage !== null) await asking.recorder.addUsage(terminal.usage);
    next = signal.aborted ? null : await requests.after(attempt);
    if (next !== null) {
      await assertMaySpend(asking.run).catch((error: unknown) => {
        intake.finish(false);
        throw error;
      });
      continue;
    }
    if (!signal.aborted)
      intake.finish(
        terminal.outcome === 'complete' && terminal.finish.unified === 'stop' && terminal.toolCalls.length === 0,
      );
    return requests.ending(terminal);
  }
}

/** Reads one request: passes every delta to the recorder in order, at the speed of the store, until the one terminal
 *  record. */
async function readAttempt(
  request: ModelRequest,
  mode: RepeatMode,
  intake: AnswerIntake,
  { model, run, recorder }: Asking,
): Promise<Attempt> {
  const { signal } = run.controller;
  const known = deliveredLength(recorder);
  intake.begin(mode);
  const stream = model.stream(request, signal);
  let sawCall = false;
  const thought = recorder.answerSoFar('thinking').length;
  let sawThinking = false;
  for (let index = 0; await stream.hasEvent(index); index++) {
    const event = stream.events[index];
    // A stop drops undelivered text: text that arrived but was not stored was never shown.
    if (event === undefined || signal.aborted) break;
    switch (event.kind) {
      case 'text':
      case 'thinking':
        sawThinking ||= event.kind === 'thinking';
        run.report({ kind: 'answering' });
        intake.take(event);
        break;
      case 'partEnd':
        intake.take(event);
        break;
      case 'toolCallProgress':
        sawCall = true;
        run.report({ kind: 'receivingToolCall', name: event.name, characters: event.characters });
        break;
      case 'notice':
        run.report(noticeActivity(event.notice));
        break;
      default:
        event satisfies never;
    }
  }
  const ended = await stream.terminal;
  const isCounted = ended.usage !== null || ended.outcome === 'complete';
  const terminal = isCounted ? { ...ended, usage: countedCost(ended.usage, model.info.price) } : ended;
  if (!signal.aborted) intake.endRequest();
  // Thinking in tags arrives as text.
  sawThinking ||= recorder.answerSoFar('thinking').length > thought;
  return { terminal, sawCall, sawThinking, hasNewText: deliveredLength(recorder) > known || intake.isHolding };
}

function deliveredLength(recorder: TurnRecorder): number {
  return recorder.answerSoFar('text').trimEnd().length;
}

/** Decides between the requests of one answer. */
class AnswerRequests {
  /** The finish record of the request that was cut at the output limit. Set once the model has been asked to
   *  continue. */
  private cut: Finish | null = null;
  /** True when the model was asked to continue and had nothing new to say. */
  private hasStalled = false;
  private note: string | null = null;
  private usage: Usage | null = null;

  constructor(
    private readonly base: ModelRequest,
    private readonly intake: AnswerIntake,
    private readonly asking: Asking,
  ) {
    asking.budget.beginAnswer();
  }

  /** Returns the next request after this attempt. Null when the attempt ended the answer. */
  async after(attempt: Attempt): Promise<NextRequest | null> {
    const { terminal } = attempt;
    if (terminal.usage !== null)
      this.usage = this.usage === null ? terminal.usage : addUsage(this.usage, terminal.usage);
    if (terminal.outcome === 'interrupted') {
      if (!isPassing(terminal.failure)) return null;
      return attempt.sawCall ? this.afterBrokenCall(terminal.failure) : this.afterBrokenText(terminal.failure);
    }
    if (terminal.outcome !== 'complete' || terminal.toolCalls.length > 0 || terminal.finish.unified === 'contentFilter')
      return null;
    if (this.cut !== null && !attempt.hasNewText) {
      this.hasStalled = true;
      return null;
    }
    if (terminal.finish.unified === 'length') return this.afterLimit(terminal.finish, attempt.sawCall);
    // It thinks in a tag that never closes, and repeated the same text: its answer is already there.
    if (this.intake.isInThinking && !attempt.sawThinking) return null;
    return this.isSilent() ? this.afterSilence(attempt.sawThinking ? 'thinkingOnly' : 'empty', terminal.finish) : null;
  }

  /** Returns the end of the answer as a whole, which may differ from the end of its last request. */
  ending(last: Terminal): Terminal {
    const whole: Terminal = { ...last, usage: this.usage ?? last.usage };
    if (whole.outcome === 'complete') {
      const finish = this.hasStalled && this.cut !== null ? this.cut : whole.finish;
      const empty =
        whole.toolCalls.length > 0 || !this.isSilent() ? 'no' : this.hasThought() ? 'thinkingOnly' : 'empty';
      return { ...whole, finish, empty };
    }
    // The service became unreachable after an earlier request of this answer had delivered text: the user sees an
    // answer that was cut off.
    if (whole.outcome === 'failed' && isPassing(whole.failure) && (!this.isSilent() || this.hasThought()))
      return { ...whole, outcome: 'interrupted' };
    return whole;
  }

  private async afterBrokenCall(failure: Failure): Promise<NextRequest | null> {
    const { run, clock, budget } = this.asking;
    const delayMs = budget.usedFor('brokenCall') === 0 ? 0 : secondRepeatMs;
    if (!budget.take('brokenCall')) return null;
    this.reportRetry('brokenCall', failure, delayMs);
    // The next request notices a stop during the pause, and then ends at once.
    if (delayMs > 0) await pause(clock, delayMs, run.controller.signal);
    return this.cut === null && budget.usedFor('brokenText') === 0 ? this.again() : this.extend();
  }

  /** Thinking alone is no text to continue: the same request may be sent again. */
  private afterBrokenText(failure: Failure): NextRequest | null {
    const { budget, continuesBroken } = this.asking;
    if (!continuesBroken || !budget.take('brokenText')) return null;
    budget.broken = failure;
    this.reportRetry('brokenText', failure);
    if (this.isSilent()) return this.again();
    this.note = wireNotes.brokenOff;
    return this.extend();
  }

  private afterLimit(finish: Finish, sawCall: boolean): NextRequest | null {
    // With neither text nor a call, the limit was spent on thinking: another request would spend it the same way.
    if ((this.isSilent() && !sawCall) || !this.asking.budget.take('continuation')) return null;
    this.cut = finish;
    this.note = sawCall ? wireNotes.callCutAtLimit : wireNotes.cutAtLimit;
    this.asking.run.report({ kind: 'requesting', elapsedMs: 0 });
    return this.extend();
  }

  private afterSilence(silence: 'empty' | 'thinkingOnly', finish: Finish): NextRequest | null {
    const { budget, run } = this.asking;
    if (this.base.messages.at(-1)?.role === 'tool' && budget.take('nudge')) {
      this.note = wireNotes.resultsWaiting;
      run.report({ kind: 'requesting', elapsedMs: 0 });
      return this.again();
    }
    if (!budget.take(silence)) return null;
    if (silence === 'thinkingOnly') this.note = wireNotes.onlyThought;
    this.reportRetry(silence, emptyAnswer(silence, finish.raw));
    return this.again();
  }

  private reportRetry(reason: Reason, failure: Failure, delayMs = 0): void {
    const attempt = this.asking.budget.usedFor(reason) + 1;
    this.asking.run.report({ kind: 'retrying', attempt, attempts: limits[reason] + 1, delayMs, failure });
  }

  private again(): NextRequest {
    return {
      request: this.note === null ? this.base : { ...this.base, messages: withNote(this.base.messages, this.note) },
      mode: 'again',
    };
  }

  private extend(): NextRequest {
    const messages = goingOn(
      this.base.messages,
      this.asking.recorder.thoughtSoFar,
      this.intake.text,
      this.note ?? wireNotes.cutAtLimit,
    );
    return { request: { ...this.base, messages }, mode: 'goesOn' };
  }

  private isSilent(): boolean {
    return this.intake.text.trim() === '';
  }

  private hasThought(): boolean {
    return this.asking.recorder.answerSoFar('thinking').trim() !== '';
  }
}

/** True for network errors and busy services: the same request may succeed a moment later. */
function isPassing(failure: Failure): boolean {
  return (
    failure.cause === 'network' ||
    failure.cause === 'timeout' ||
    failure.cause === 'overloaded' ||
    failure.cause === 'rateLimit'
  );
}

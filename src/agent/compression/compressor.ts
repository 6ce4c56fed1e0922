import type { Clock } from '../../base/clock';
import type { Log } from '../../base/log';
import type { ChatModel, ModelRequest, Terminal } from '../../models/chatModel';
import { estimateTokens } from '../../models/tokenEstimate';
import type { HandoffTokens } from '../../transcript/handoff';
import { answerText, type Message } from '../../transcript/message';
import type { ModelFailureCause } from '../../transcript/stopReason';
import { type CompressionPlan, planCompression } from './compressionPlan';
import type { ContextEngine, ContextHistory, Handoff, NoHandoff, Rollover } from './contextEngine';
import { contextUse, estimateRows } from './contextUse';
import { handoffText, summaryIn } from './handoffText';
import { plainSummary } from './summaryInput';
import { summaryBudget, summaryRequest } from './summaryRequest';

export interface CompressorParts {
  readonly clock: Clock;
  readonly log: Log;
  /** Part of the context window that may be full before a compression is due. */
  readonly threshold?: () => number;
}

const usualThreshold = 0.8;
/** Tail that is kept, as a part of the threshold; hermes-agent's 0.2. */
const tailShare = 0.2;
const unknownWindowTail = 4000;
/** Below this share saved, a compression was in vain; after two in a row none is due by itself. */
const worthwhile = 0.1;
const vainAttempts = 2;
/** Seconds without a further attempt after the first, second and every later failure in a row (hermes-agent). */
const coolDowns = [60, 300, 900] as const;

/** Failures in which the model could not be asked: the transcript stays as it is. After any other the rows are shortened without it. */
const unavailable: readonly ModelFailureCause[] = ['auth', 'noKey', 'quota', 'rateLimit', 'overloaded', 'network', 'consent', 'noModel', 'notFound', 'notAnApi'];

interface Course {
  failures: number;
  /** Seconds since the epoch. */
  quietUntil: number;
  inVain: number;
}

/** Compression by a structured summary that is brought up to date each time. */
export class Compressor implements ContextEngine {
  private readonly courses = new Map<string, Course>();

  constructor(private readonly parts: CompressorParts) {}

  isDue({ conversationId, rows }: Pick<ContextHistory, 'conversationId' | 'rows'>, contextWindow: number | null): boolean {
    if (contextWindow === null) return false;
    const use = contextUse(rows);
    // Without a count the next answer brings one.
    if (!use.counted || use.tokens < this.limit(contextWindow)) return false;
    const { quietUntil, inVain } = this.courseOf(conversationId);
    return inVain < vainAttempts && this.parts.clock.now() >= quietUntil && this.plan(rows, contextWindow) !== null;
  }

  preview(rows: readonly Message[], contextWindow: number | null): HandoffTokens | null {
    const plan = this.plan(rows, contextWindow);
    return plan === null ? null : tokensOf(rows, plan, summaryBudget(plan));
  }

  async compress(
    history: ContextHistory,
    { model, focus, isForced, signal }: Parameters<ContextEngine['compress']>[1],
  ): Promise<Handoff | NoHandoff> {
    const course = this.courseOf(history.conversationId);
    const contextWindow = contextOf(model);
    const plan = this.plan(history.rows, contextWindow);
    if (plan === null) return { kind: 'protected', sentence: 'There is nothing to compress yet: what is there is kept as it is.' };
    if (!isForced && this.parts.clock.now() < course.quietUntil) return { kind: 'unavailable', sentence: 'Compressing failed a moment ago and is not tried again yet.' };
    const written = await this.summarise(summaryRequest(plan, focus, contextWindow), model, signal);
    if (written.kind === 'stopped') return { kind: 'stopped', sentence: 'Compressing was stopped. Nothing was changed.' };
    if (written.kind === 'failed') {
      course.quietUntil = this.parts.clock.now() + (coolDowns[course.failures] ?? coolDowns[2]);
      course.failures++;
      this.parts.log.warn(`A summary for conversation ${history.conversationId} could not be written: ${written.sentence}`);
      if (written.isUnavailable) return { kind: 'unavailable', sentence: written.sentence };
    } else {
      course.failures = 0;
    }
    const earlier = plan.earlier === null ? null : summaryIn(answerText(plan.earlier.parts));
    const summary = written.kind === 'written' ? written.text : plainSummary(plan.summarised, earlier, summaryBudget(plan));
    const stays = new Set(plan.kept.flatMap((row) => [row.uid, row.carriedFrom]));
    const text = handoffText(summary, history.head.filter((row) => !stays.has(row.uid)));
    const tokens = tokensOf(history.rows, plan, estimateTokens(text));
    if (tokens.after >= tokens.before) {
      course.inVain++;
      return { kind: 'noGain', sentence: 'Compressing would save next to nothing here. Nothing was changed.' };
    }
    course.inVain = tokens.before - tokens.after < tokens.before * worthwhile ? course.inVain + 1 : 0;
    return { kind: 'handoff', text, summarisedUpTo: plan.upTo, tokens, madeBy: written.kind === 'written' ? 'summary' : 'plain' };
  }

  rolledOver({ conversationId, fromSessionId, toSessionId, tokens }: Rollover): void {
    this.parts.log.info(`Conversation ${conversationId} was compressed: ${fromSessionId} goes on as ${toSessionId}, about ${tokens.before} tokens became ${tokens.after}.`);
  }

  private plan(rows: readonly Message[], contextWindow: number | null): CompressionPlan | null {
    return planCompression(rows, contextWindow === null ? unknownWindowTail : this.limit(contextWindow) * tailShare);
  }

  private limit(contextWindow: number): number {
    return contextWindow * (this.parts.threshold?.() ?? usualThreshold);
  }

  private async summarise(request: ModelRequest, model: ChatModel, signal: AbortSignal): Promise<Written> {
    const stream = model.stream(request, signal);
    const terminal = await stream.terminal;
    if (terminal.outcome === 'aborted' || signal.aborted) return { kind: 'stopped' };
    const said = stream.events.map((event) => (event.kind === 'text' ? event.text : '')).join('');
    const text = withoutThinking(said);
    if (terminal.outcome === 'complete' && terminal.finish.unified !== 'contentFilter' && text !== '') return { kind: 'written', text };
    return failed(terminal);
  }

  private courseOf(conversationId: string): Course {
    const known = this.courses.get(conversationId);
    if (known !== undefined) return known;
    const course: Course = { failures: 0, quietUntil: 0, inVain: 0 };
    this.courses.set(conversationId, course);
    return course;
  }
}

type Written =
  | { readonly kind: 'written'; readonly text: string }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly sentence: string; readonly isUnavailable: boolean };

function failed(terminal: Terminal): Written {
  if (terminal.outcome !== 'failed' && terminal.outcome !== 'interrupted') return { kind: 'failed', sentence: 'The model gave no summary.', isUnavailable: false };
  const { cause, sentence } = terminal.failure;
  return { kind: 'failed', sentence, isUnavailable: unavailable.some((known) => known === cause) };
}

/** Models without a channel for it put their thinking before the answer. */
function withoutThinking(text: string): string {
  return text.replace(/<(think|thinking|reasoning|thought)>[\s\S]*?(?:<\/\1>|$)/gi, '').trim();
}

/** Tokens a model really takes: a server may allocate fewer than the model could. */
export function contextOf(model: ChatModel): number | null {
  return model.info.allocatedContext ?? model.info.contextWindow;
}

/** Estimates on both sides, so that they can be compared; what every request carries beside the rows is the same in both. */
function tokensOf(rows: readonly Message[], plan: CompressionPlan, handoff: number): HandoffTokens {
  return { before: estimateRows(rows), after: handoff + estimateRows(plan.kept) };
}

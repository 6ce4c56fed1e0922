import { untilAborted } from '../base/pause';
import type { Verdict } from '../tools/approval/approvalPolicy';
import { type AskedAccess, type ToolCallContext, type ToolOutput, failed } from '../tools/tool';
import type { PreparedCall } from '../tools/toolRegistry';
import type { Approval, ApprovalDecision, ApprovalRequest, Mode } from '../transcript/approval';
import { isPlainEdit } from '../transcript/approvalChecks';
import { parseJsonObject } from '../transcript/json';
import type { ToolCallPart } from '../transcript/part';
import type { AgentDeps } from './agent';
import { askPerson, rememberRules } from './personAsking';
import type { Failure } from '../transcript/stopReason';
import { blockedOutput, bothAnswers, type HookAnswer, HookStop, noAnswer, usualAgent, withHooks } from './turnHooks';
import { LeftWaiting, type LiveRun } from './liveRun';
import { CallStop, type RunningCall, TurnStop } from './runningCalls';
import type { TurnRecorder } from './turnRecorder';
import { decidedTogether, editsAfter, type LaterCall } from './waitingEdits';

/** Result texts for calls that did not run as the model wanted. */
const toolResultTexts = {
  planMode: (tool: string) =>
    `Plan mode: ${tool} could change something, so it was not run. Only look, for now; then present a plan.`,
  noPlanMode: 'Plan mode is off, so there is nothing to approve: do the work. What needs it is asked for call by call.',
  neverTheSame:
    'What this call would do was another thing each time the person was asked, so it was not run. Look at what ' +
    'it works on first.',
  leftWaiting:
    'The server waited for an answer of the person when its connection ended. The answer did not reach it, and the ' +
    'call may have run in part: check before you repeat it.',
  stopped: 'The person stopped this call. It may have run in part.',
} as const;

/** Result of a call that the user denied. `reason`: the user's own words. Null for none. */
function deniedOutput(subject: string, reason: string | null): ToolOutput {
  const words = reason?.trim() ?? '';
  const reasonGiven = words === '' ? '' : ` They said: ${words}`;
  return {
    outcome: 'denied',
    text:
      `The person did not allow this: ${subject}.${reasonGiven} Do not try it again another way; ask or go on ` +
      'without it.',
    details: { kind: 'denied', reason: words === '' ? null : words },
  };
}

type ReadyCall = Extract<PreparedCall, { readonly kind: 'ready' }>;

/** Milliseconds that an ended call may take to report its work before the turn stops waiting for it. */
const graceMs = 2000;
/** Milliseconds, the same limit for a sub-agent. It is longer because the sub-agent's own calls have their limit
 *  too. */
const subAgentGraceMs = 5000;
/** Maximum sub-agents that run at once for one answer. */
const mostSubAgents = 3;
/** Maximum approval requests for one call. A call that shows a different effect each time would never end. */
const mostQuestions = 5;

/** Access of a tool that needs no approval. */
const nothing: AskedAccess = { access: { kind: 'read', paths: [] } };

/** Runs the calls of one answer. Read-only calls that need no approval start together, up to the first call that may
 *  change something. Every other call is judged, and the user is asked for approval if necessary, in the order of
 *  the calls. No call that needs approval runs before its approval is on disk. Results are stored in the order of
 *  the calls. */
export class CallRunner {
  constructor(
    private readonly run: LiveRun,
    private readonly recorder: TurnRecorder,
    private readonly deps: AgentDeps,
  ) {}

  /** `messageUid`: the row that holds the calls. `earlier`: decisions made before, by call id; those calls are not
   *  asked for again. */
  async runAll(
    calls: readonly ToolCallPart[],
    messageUid: string,
    earlier: ReadonlyMap<string, Approval> = new Map(),
  ): Promise<void> {
    const { signal } = this.run.controller;
    const queue = calls.map((part) => new Call(part, this.deps.tools.prepare(part)));
    const decided = new Map(earlier);
    const sideBySide =
      queue.length > 1 && queue.every(isDelegating) ? this.delegateAll(queue, messageUid, decided) : [];
    try {
      for (const [index, call] of queue.entries()) {
        signal.throwIfAborted();
        if (!call.isStarted && sideBySide.length === 0)
          await this.startTogether(queue.slice(index), messageUid, decided);
        signal.throwIfAborted();
        const output = await (sideBySide[index] ??
          call.output ??
          this.inOrder(call, messageUid, decided, queue.slice(index + 1)));
        await this.recorder.storeResult(call.part, output);
        call.isStored = true;
        if (call.stop !== null) throw new HookStop(call.stop);
      }
      this.recorder.neverRan(messageUid, []);
    } catch (error) {
      await this.endSubAgents(queue);
      // Records that calls which never began did not run, rather than that they may have run.
      this.recorder.neverRan(
        messageUid,
        queue.filter(({ isStarted, isStored }) => !isStarted && !isStored).map(({ part }) => part),
      );
      throw error;
    }
  }

  /** Delegates all of these calls to sub-agents, a few at a time. */
  private delegateAll(queue: readonly Call[], messageUid: string, decided: Decided): readonly Promise<ToolOutput>[] {
    const semaphore = new Semaphore(mostSubAgents);
    return queue.map((call) => {
      const output = semaphore.run(() => this.inOrder(call, messageUid, decided, []));
      // The loop in `runAll` awaits it in order.
      output.catch(() => undefined);
      return output;
    });
  }

  /** Ends a stopped turn only after its sub-agents, and stores their results. Never rejects. */
  private async endSubAgents(queue: readonly Call[]): Promise<void> {
    for (const call of queue) {
      if (!isDelegating(call) || call.isStored || call.output === null) continue;
      try {
        await this.recorder.storeResult(call.part, await call.output);
        call.isStored = true;
      } catch {
        // It did not return in time, or nothing can be stored: closing the turn answers the call.
      }
    }
  }

  /** Starts the leading read-only calls. Reads that need approval wait for their turn. */
  private async startTogether(calls: readonly Call[], messageUid: string, decided: Decided): Promise<void> {
    const end = calls.findIndex(({ prepared }) => prepared.kind === 'ready' && !prepared.readOnly);
    const reads = calls
      .slice(0, end === -1 ? calls.length : end)
      .filter(({ part, isStarted }) => !isStarted && !decided.has(part.callId));
    // A single read uses the normal path.
    if (reads.length < 2) return;
    await Promise.all(
      reads.map(async (call) => {
        const hooks = await this.beforeCall(call, null);
        if (call.prepared.kind !== 'ready' || hooks.decision !== 'none') return;
        const judged = await this.judge(call.part, call.prepared);
        if (judged.kind === 'allow') void call.start(this.execute(call, call.prepared, messageUid, hooks));
      }),
    );
  }

  /** `later`: the calls after this one. */
  private async inOrder(call: Call, messageUid: string, decided: Decided, later: readonly Call[]): Promise<ToolOutput> {
    const { part } = call;
    // Nothing runs twice: this call had begun when it asked.
    if (decided.get(part.callId)?.request.access.kind === 'input')
      return { outcome: 'interrupted', text: toolResultTexts.leftWaiting };
    const hooks = await this.beforeCall(call, decided.get(part.callId) ?? null);
    this.run.controller.signal.throwIfAborted();
    if (hooks.decision === 'deny') return withHooks(blockedOutput(hooks.reason), { ...hooks, arguments: null });
    const { prepared } = call;
    if (prepared.kind === 'failed') return withHooks(prepared.output, hooks);
    const refusal = await this.refusal(call, prepared, messageUid, decided, later);
    const said = (await call.hooks) ?? hooks;
    if (refusal !== null) return withHooks(refusal, said);
    this.run.controller.signal.throwIfAborted();
    return call.start(this.execute(call, prepared, messageUid, said));
  }

  /** Gives a call to the hooks, once. One that waited for the user was given to them before that. */
  private async beforeCall(call: Call, approval: Approval | null): Promise<HookAnswer> {
    const { hooks } = this.deps;
    if (hooks === undefined || call.prepared.kind === 'failed') return noAnswer;
    const answer = await (call.hooks ??= approval === null ? this.hooked('PreToolUse', call) : answered(approval));
    call.stop ??= answer.stop;
    if (answer.arguments !== null && answer.decision !== 'deny')
      call.prepared = this.deps.tools.prepare({ ...call.part, arguments: answer.arguments });
    return answer;
  }

  /** Runs the hooks of what the user would be asked about now. What they say is kept with what those before the call
   *  said. Returns the result of the call when one objects. None can allow it: the user, or a rule of theirs, asks. */
  private async objection(call: Call): Promise<ToolOutput | null> {
    const answer = await this.hooked('PermissionRequest', call);
    call.hooks = Promise.resolve(bothAnswers((await call.hooks) ?? noAnswer, answer));
    call.stop ??= answer.stop;
    return answer.decision === 'deny' ? blockedOutput(answer.reason) : null;
  }

  private async hooked(
    name: 'PreToolUse' | 'PermissionRequest' | 'PostToolUse' | 'PostToolUseFailure' | 'SubagentStop',
    { part, prepared }: Call,
    output?: ToolOutput,
  ): Promise<HookAnswer> {
    const { hooks, tools } = this.deps;
    const { signal } = this.run.controller;
    if (hooks === undefined || prepared.kind === 'failed') return noAnswer;
    const bound = (args: string): string => {
      const changed = tools.prepare({ ...part, arguments: args });
      return changed.kind === 'ready' ? changed.input : args;
    };
    const common = { name, sessionId: this.recorder.sessionId, mode: await this.run.mode.get() };
    const its =
      name === 'SubagentStop'
        ? { about: agentIn(prepared.input) }
        : { call: { ...part, arguments: prepared.input }, bound };
    return hooks.run({ ...common, ...its, ...(output === undefined ? {} : { output }) }, signal);
  }

  /** Returns null when the call may run, otherwise its result. Only the approved action runs. A call is judged again
   *  if it is denied now, or if it would now do something else than the user saw. Examples: a changed file, a
   *  replaced link, a restarted program. */
  private async refusal(
    call: Call,
    prepared: ReadyCall,
    messageUid: string,
    decided: Decided,
    later: readonly Call[],
  ): Promise<ToolOutput | null> {
    const { part } = call;
    const hookAsks = (await call.hooks)?.decision === 'ask';
    let approval = decisionAbout(part.callId, decided, !hookAsks);
    for (let questions = 0; ; questions++) {
      if (approval !== null && !isAllowed(approval)) return this.obey(approval);
      const judged = await this.judge(part, prepared, approval, hookAsks);
      switch (judged.kind) {
        case 'allow':
          return approval === null ? null : this.obey(approval);
        case 'failed':
          return judged.output;
        case 'deny':
          return { outcome: 'denied', text: judged.sentence };
        case 'ask': {
          const isDecided = approval !== null && isSameQuestion(approval.request, judged.request);
          if (isDecided && decided.has(part.callId) && approval !== null) return this.obey(approval);
          if (questions >= mostQuestions) return failed(toolResultTexts.neverTheSame);
          // Also before a decision about all edits: the hooks did not get this one then.
          const objection = await this.objection(call);
          this.run.controller.signal.throwIfAborted();
          if (objection !== null) return objection;
          if (isDecided && approval !== null) return this.obey(approval);
          const request = await this.withEditsAfter(judged.request, later);
          approval = await askPerson(
            { run: this.run, recorder: this.recorder, ...this.deps },
            { messageUid, callId: part.callId, request: withAnswer(request, (await call.hooks) ?? noAnswer) },
          );
          decided.set(part.callId, approval);
          break;
        }
        default:
          return judged satisfies never;
      }
    }
  }

  /** Adds the edits that wait after this one, so that one decision can allow them all. */
  private async withEditsAfter(request: ApprovalRequest, later: readonly Call[]): Promise<ApprovalRequest> {
    const calls = later.flatMap(({ part, prepared }): LaterCall[] =>
      prepared.kind !== 'ready' || prepared.readOnly
        ? []
        : [
            {
              part,
              request: async () => {
                const judged = await this.judge(part, prepared);
                if (judged.kind === 'ask') return judged.request;
                return judged.kind === 'allow' ? 'needsNone' : null;
              },
            },
          ],
    );
    const together = await editsAfter(request, calls);
    return together.length === 0 ? request : { ...request, together };
  }

  /** Applies the decision. A rule for future calls is saved before the call runs. */
  private async obey({ request, state }: Approval): Promise<ToolOutput | null> {
    if (state.kind !== 'decided') return deniedOutput(request.subject, null);
    const { decision } = state;
    if (decision.kind === 'deny') return deniedOutput(request.subject, decision.reason);
    await rememberRules(decision, { policy: this.deps.approvals, log: this.deps.log });
    // Decisions by earlier versions do not have the mode in which the plan starts.
    if (request.access.kind === 'plan' && !choosesMode(decision)) await this.run.mode.set('ask');
    return null;
  }

  private async judge(
    part: ToolCallPart,
    prepared: ReadyCall,
    approval: Approval | null = null,
    hookAsks = false,
  ): Promise<Verdict | { readonly kind: 'failed'; readonly output: ToolOutput }> {
    const { signal } = this.run.controller;
    // The decision about a plan ended Plan mode when it was stored; the plan itself still belongs to it.
    const mode = approval !== null && startsPlan(approval) ? 'plan' : await this.run.mode.get();
    const asks = await untilStopped(signal, prepared.asks(signal));
    if (asks.kind === 'failed') return asks;
    const { asked } = asks;
    if (asked?.access.kind === 'plan' && mode !== 'plan')
      return { kind: 'failed', output: failed(toolResultTexts.noPlanMode) };
    if (!mayRunIn(mode, prepared, asked)) return { kind: 'deny', sentence: toolResultTexts.planMode(part.name) };
    // Rules that cannot be read allow nothing.
    const sessionRules =
      asked === null ? [] : await this.deps.store.sessionRules(this.recorder.sessionId).catch(() => []);
    const verdict = this.deps.approvals.judge({
      tool: part.name,
      asked: asked ?? nothing,
      mode,
      sessionRules,
      conversationId: this.run.conversationId,
      asksFor: hookAsks ? 'hook' : undefined,
    });
    // A tool that needs no approval is asked for only by hooks, but may be denied by its name. An edit of nothing
    // leaves nothing to decide, but where reading needs approval it would tell the model what a file holds.
    const isUnasked =
      verdict.kind === 'ask' &&
      !hookAsks &&
      (asked === null || (asked.changesNothing === true && isPlainEdit(verdict.request)));
    return isUnasked ? { kind: 'allow' } : verdict;
  }

  /** Runs the call, then the hooks after it. Its result is stored with what they said. */
  private async execute(call: Call, prepared: ReadyCall, messageUid: string, before: HookAnswer): Promise<ToolOutput> {
    const output = await this.runCall(call.part, prepared, messageUid);
    const name = output.outcome === 'done' ? 'PostToolUse' : 'PostToolUseFailure';
    const after: HookAnswer[] = [];
    if (output.outcome !== 'interrupted') {
      if (prepared.delegates) after.push(await this.hooked('SubagentStop', call, output));
      after.push(await this.hooked(name, call, output));
    }
    for (const { stop } of after) call.stop ??= stop;
    return withHooks(output, before, after);
  }

  private async runCall(part: ToolCallPart, prepared: ReadyCall, messageUid: string): Promise<ToolOutput> {
    const { run, recorder } = this;
    const call = run.calls.begin(part.callId, run.controller.signal);
    run.report({ kind: 'runningTool', callId: part.callId, startedAt: this.deps.clock.now() });
    const { delegate } = run;
    const report: ToolCallContext['report'] = (progress) =>
      run.show({ kind: 'toolProgress', turnUid: run.turn.uid, callId: part.callId, progress });
    let leave: (left: LeftWaiting) => void = () => undefined;
    const left = new Promise<never>((_resolve, reject) => (leave = reject));
    left.catch(() => undefined);
    let asking: Promise<unknown> = Promise.resolve();
    const ended = new AbortController();
    const context: ToolCallContext = {
      callId: part.callId,
      sessionId: run.worksFor?.sessionId ?? recorder.sessionId,
      conversationId: run.conversationId,
      turnUid: run.worksFor?.turnUid ?? run.turn.uid,
      report,
      proceed: call.proceed,
      // One at a time: a turn waits for one decision.
      ask: (access, subject, signal) => {
        const request: ApprovalRequest = { tool: part.name, access, subject, reasons: [], rules: [], preview: null };
        const answer = asking.then(() => {
          const stop = AbortSignal.any([signal, call.signal, ended.signal]);
          stop.throwIfAborted();
          return askPerson(
            { run: this.run, recorder: this.recorder, ...this.deps },
            { messageUid, callId: part.callId, request },
            stop,
          );
        });
        // The window closes while the user is asked: the turn waits in the store.
        asking = answer.catch((error: unknown) => (error instanceof LeftWaiting ? leave(error) : undefined));
        return answer;
      },
      ...(delegate === undefined
        ? {}
        : { delegate: (task, signal) => delegate(task, { callId: part.callId, report }, signal) }),
    };
    try {
      return await this.orAbandoned(
        call,
        Promise.race([prepared.run(call.signal, context), left]),
        prepared.delegates ? subAgentGraceMs : graceMs,
      );
    } catch (error) {
      if (call.signal.reason instanceof CallStop) return { outcome: 'interrupted', text: toolResultTexts.stopped };
      throw error;
    } finally {
      // A question never outlives its call: the turn would wait for it while the model goes on.
      ended.abort(new Error('The call has ended.'));
      await asking;
      call.done();
    }
  }

  /** Returns the output of the call. Stops waiting for an ended call that does not answer for a while. */
  private async orAbandoned(call: RunningCall, output: Promise<ToolOutput>, timeoutMs: number): Promise<ToolOutput> {
    const { signal } = call;
    let cancel: () => void = () => undefined;
    let onAbort: () => void = () => undefined;
    const abandoned = new Promise<never>((_resolve, reject) => {
      onAbort = () => (cancel = this.deps.clock.after(timeoutMs, () => reject(reasonOf(signal))));
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
    try {
      return await Promise.race([output, abandoned]);
    } finally {
      cancel();
      signal.removeEventListener('abort', onAbort);
      // An abandoned call may reject later.
      output.catch(() => undefined);
      abandoned.catch(() => undefined);
    }
  }
}

/** Runs a limited number of tasks at once. Further ones wait in order. */
class Semaphore {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}

function isDelegating({ prepared }: Call): boolean {
  return prepared.kind === 'ready' && prepared.delegates;
}

/** Kind of the sub-agent that a call starts, from its arguments. */
function agentIn(args: string): string {
  const parsed = parseJsonObject(args);
  const agent = parsed.kind === 'object' ? parsed.value['agent'] : undefined;
  return typeof agent === 'string' ? agent : usualAgent;
}

/** One call from its start to its stored result. */
class Call {
  isStored = false;
  /** Set when a hook ends the turn after it. */
  stop: Failure | null = null;
  /** What the hooks before it said, and those of a question about it. Null: it was not given to them. */
  hooks: Promise<HookAnswer> | null = null;
  private started: Promise<ToolOutput> | null = null;

  constructor(
    readonly part: ToolCallPart,
    public prepared: PreparedCall,
  ) {}

  get isStarted(): boolean {
    return this.started !== null;
  }

  get output(): Promise<ToolOutput> | null {
    return this.started;
  }

  start(output: Promise<ToolOutput>): Promise<ToolOutput> {
    this.started = output;
    // The loop in `runAll` awaits it in order. Until then an early rejection (a stop) must not count as unhandled.
    output.catch(() => undefined);
    return output;
  }
}

/** Decisions by call id. */
type Decided = Map<string, Approval>;

/** Returns the decision about this call: its own, or that about an earlier edit if it included this one. `withOthers`:
 *  false for a call about which a hook wants the user to be asked: a decision about all did not show its reason. */
function decisionAbout(callId: string, decided: Decided, withOthers: boolean): Approval | null {
  const own = decided.get(callId);
  if (own !== undefined) return own;
  if (!withOthers) return null;
  for (const approval of decided.values()) {
    const together = decidedTogether(approval, callId);
    if (together !== null) return together;
  }
  return null;
}

/** What hooks said before the user was asked, from the stored request. */
function answered({ request: { hooks } }: Approval): Promise<HookAnswer> {
  return Promise.resolve(
    hooks === undefined ? noAnswer : { ...noAnswer, ...hooks, decision: hooks.asks ? 'ask' : 'none' },
  );
}

/** Keeps what hooks said with the request: a call that waits is not given to them again. */
function withAnswer(
  request: ApprovalRequest,
  { runs, context, decision, arguments: changed }: HookAnswer,
): ApprovalRequest {
  return runs.length === 0
    ? request
    : { ...request, hooks: { runs, context, arguments: changed, asks: decision === 'ask' } };
}

function choosesMode(decision: ApprovalDecision): boolean {
  return decision.kind === 'allow' && decision.scope === 'once' && decision.mode !== undefined;
}

function startsPlan({ request, state }: Approval): boolean {
  return request.access.kind === 'plan' && state.kind === 'decided' && choosesMode(state.decision);
}

function isAllowed({ state }: Approval): boolean {
  return state.kind === 'decided' && state.decision.kind === 'allow';
}

/** True when the call would do exactly what the user saw. The reasons for asking and the matching rules may differ
 *  by now. */
function isSameQuestion(asked: ApprovalRequest, now: ApprovalRequest): boolean {
  const shown = ({ tool, access, preview }: ApprovalRequest): string =>
    JSON.stringify([tool, access, preview], (_key, value: unknown) => sortedKeys(value));
  return shown(asked) === shown(now);
}

/** A request that is read back from disk may have its keys in another order. */
function sortedKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** True when the call may run in this mode. Plan mode runs only read-only tools, sub-agents (which are in Plan mode
 *  too) and the tool that presents the plan. An MCP tool that its server marks read-only may run after approval. */
function mayRunIn(mode: Mode, { readOnly, delegates }: ReadyCall, asked: AskedAccess | null): boolean {
  return (
    mode !== 'plan' ||
    readOnly ||
    delegates ||
    asked?.access.kind === 'plan' ||
    (asked?.access.kind === 'mcp' && asked.access.readOnly)
  );
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new TurnStop('user');
}

/** Settles as `work` does. Rejects at once when the turn is stopped. */
export function untilStopped<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return untilAborted(signal, work, () => reasonOf(signal));
}

import type { TurnAgent } from '../agent/agent';
import { stopReasonOf, TurnStop } from '../agent/runningCalls';
import type { MemoryManager } from '../memory/memoryManager';
import type { DelegatedTask, DelegatedWork } from '../tools/delegation';
import type { ToolCallContext } from '../tools/tool';
import type { Approval } from '../transcript/approval';
import { answerText, type Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { TurnEvent, ToolProgress } from '../transcript/turnEvent';
import type { RunningTurn, SettledRow, SubAgentRun } from './runningTurn';
import type { TurnRunner } from './turnRunner';
import type { ToolCallPart } from '../transcript/part';
import type { GatewayParts } from './conversationGateway';

/** Follows the events of a sub-agent's turn and reports the call it works on. */
class SubAgentSteps {
  private readonly calls = new Map<string, ToolCallPart>();
  /** Number of its answers that asked for calls. */
  private steps = 0;
  /** The state reported last. */
  private told = '';

  constructor(private readonly report: (progress: ToolProgress) => void) {}

  onEvent(event: TurnEvent): void {
    switch (event.kind) {
      case 'messageStored':
        if (event.message.role === 'assistant')
          this.asked(event.message.parts.flatMap((part) => (part.kind === 'toolCall' ? [part] : [])));
        else if (event.message.role === 'tool') {
          const [{ callId, outcome }] = event.message.parts;
          this.notify(callId, outcome);
        }
        return;
      case 'activity':
        if (event.activity.kind === 'runningTool') this.notify(event.activity.callId, null);
        return;
      default:
    }
  }

  private asked(calls: readonly ToolCallPart[]): void {
    const [first] = calls;
    if (first === undefined) return;
    this.steps++;
    for (const call of calls) this.calls.set(call.callId, call);
    this.notify(first.callId, null);
  }

  private notify(callId: string, outcome: (ToolProgress & { readonly kind: 'step' })['outcome']): void {
    const call = this.calls.get(callId);
    const state = `${callId} ${outcome ?? ''} ${this.steps}`;
    if (call === undefined || state === this.told) return;
    this.told = state;
    this.report({ kind: 'step', call, outcome, steps: this.steps });
  }
}

/** The agent whose sub-agent works on a task. */
type Worker = (memory: MemoryManager) => TurnAgent;
type DelegatingCall = Pick<ToolCallContext, 'callId' | 'report'>;
type Ended = { readonly settled: SettledRow | null; readonly messages: readonly Message[] };

/** Runs tasks on sub-agents, each in its own session and turn slot. A sub-agent lives at most as long as the turn
 *  that delegated the task. The surface of that turn shows its approval requests, one at a time. */
export class Delegations {
  /** Pending approval requests of sub-agents, oldest first. */
  private asked: readonly Approval[] = [];

  constructor(private readonly parts: GatewayParts) {}

  /** Returns the pending approval request of this session's running turn's sub-agents. Null when there is none. */
  pendingIn(sessionId: string): Approval | null {
    const run = this.parts.runner.all().find(({ session }) => session.id === sessionId);
    return run === undefined ? null : this.askedOf(run);
  }

  /** Resolves when the sub-agent's turn has settled, with any outcome. Rejects with a `StoreError` or `GatewayError`
   *  when no sub-agent could be started, and with the reason of the stop when its turn could not be closed. */
  async delegate(
    caller: RunningTurn,
    agent: TurnAgent,
    task: DelegatedTask,
    call: DelegatingCall,
    signal: AbortSignal,
  ): Promise<DelegatedWork> {
    const { clock, runner, slots, ids, createAgent } = this.parts;
    signal.throwIfAborted();
    const title = task.title ?? firstWords(task.task);
    const { model } = caller.turn;
    const ofFile = task.agent === null ? null : await this.parts.modelOfFile?.({ agent: task.agent }, model);
    const session = await this.createSession(caller, ofFile ?? model, title, call.callId);
    const worker: Worker = (memory) =>
      (ofFile ?? model) === model ? agent : createAgent(ofFile ?? model, memory, caller.surfaceAgent.custom);
    const { ended, subAgent } = this.subAgentRun(caller, worker, task, title, call);
    await slots.inSequence(session.conversationId, () =>
      slots.open(`background:${session.id}`, session, {
        prompt: { uid: ids.uid(), text: promptOf(task) },
        reason: 'resume',
        subAgent,
      }),
    );
    call.report({ kind: 'session', sessionId: session.id });
    const stop = (): void => void runner.stop(session.conversationId, new TurnStop(stopReasonOf(signal)));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
    const { settled, messages } = await ended.finally(() => signal.removeEventListener('abort', stop));
    if (settled === null) throw signal.reason instanceof Error ? signal.reason : new TurnStop('windowClosed');
    const work = resultOf(session, title, settled, messages, clock.now());
    if (work.outcome === 'complete')
      caller.surfaceAgent.memory.delegated({ childSessionId: session.id, task: task.task, result: work.answer });
    return work;
  }

  /** Private, so that no memory provider is notified of it: the calling agent reports the result to memory. */
  private createSession({ session }: RunningTurn, model: string, title: string, callId: string): Promise<Session> {
    const { store, clock, ids } = this.parts;
    const startedAt = clock.now();
    const id = ids.sessionId(startedAt);
    return store.createSession({
      id,
      startedAt,
      title,
      titleSource: 'derived',
      parentSessionId: session.id,
      parentKind: 'delegate',
      delegatedBy: callId,
      model,
      folder: session.folder,
      private: true,
    });
  }

  private subAgentRun(
    caller: RunningTurn,
    worker: Worker,
    { readOnly, agent: type }: DelegatedTask,
    title: string,
    { callId, report }: DelegatingCall,
  ): { readonly ended: Promise<Ended>; readonly subAgent: SubAgentRun } {
    let end: (ended: Ended) => void = () => undefined;
    const ended = new Promise<Ended>((resolve) => (end = resolve));
    const steps = new SubAgentSteps(report);
    const subAgent: SubAgentRun = {
      caller,
      title,
      callId,
      createAgent: (memory) => worker(memory).subAgent({ readOnly, type }, memory),
      onEvent: (event) => {
        steps.onEvent(event);
        this.onEvent(caller, event);
      },
      ended: (settled, messages) => end({ settled, messages }),
    };
    return { ended, subAgent };
  }

  private onEvent(caller: RunningTurn, event: TurnEvent): void {
    switch (event.kind) {
      case 'approvalRequested':
        return this.ask(caller, [...this.asked, event.approval]);
      case 'approvalDecided':
        return this.ask(
          caller,
          this.asked.filter(({ id }) => id !== event.approval.id),
        );
      case 'turnSettled':
        return this.ask(
          caller,
          this.asked.filter(({ turnUid }) => turnUid !== event.turn.uid),
        );
      default:
    }
  }

  private ask(caller: RunningTurn, asked: readonly Approval[]): void {
    const before = this.askedOf(caller);
    this.asked = asked;
    const now = this.askedOf(caller);
    if (before?.id === now?.id) return;
    this.parts.surfaces.notifyTurn(caller.session.id, {
      kind: 'subAgentAsks',
      turnUid: caller.turn.uid,
      approval: now,
    });
    this.parts.turns.changed(caller.session.id);
  }

  private askedOf({ turn }: RunningTurn): Approval | null {
    return this.asked.find(({ subAgent }) => subAgent?.turnUid === turn.uid) ?? null;
  }
}

function resultOf(
  session: Session,
  title: string,
  { outcome, stopReason, failure, usage, startedAt }: SettledRow,
  messages: readonly Message[],
  now: number,
): DelegatedWork {
  const answers = messages.filter((message) => message.role === 'assistant' && message.visibility.kind === 'shown');
  const texts = answers.map((message) => answerText(message.parts).trim()).filter((text) => text !== '');
  return {
    sessionId: session.id,
    title,
    outcome,
    stopReason,
    problem: failure?.sentence ?? null,
    answer: texts.at(-1) ?? '',
    turns: answers.length,
    ms: Math.max(0, Math.round((now - startedAt) * 1000)),
    usage,
  };
}

function promptOf({ task, context }: DelegatedTask): string {
  return context === null ? task : `${task}\n\n${context}`;
}

const longestTitle = 60;

function firstWords(task: string): string {
  const line =
    task
      .split(/[\r\n]/)
      .map((part) => part.trim())
      .find((part) => part !== '') ?? 'Sub-agent';
  return line.length <= longestTitle
    ? line
    : `${line
        .slice(0, longestTitle - 1)
        .toWellFormed()
        .trimEnd()}…`;
}

/** Ids of a session and of the sub-agents that work for it now: they share its mode and effort. */
export function withSubAgents(runner: Pick<TurnRunner, 'all'>, holder: string): readonly string[] {
  const subAgents = runner.all().filter(({ subAgent }) => subAgent?.caller.session.id === holder);
  return [holder, ...subAgents.map(({ session }) => session.id)];
}

/** Returns the session whose mode and effort apply here: a sub-agent uses those of the session it works for. */
export function decidingSession(runner: Pick<TurnRunner, 'all'>, sessionId: string): string {
  return runner.all().find(({ session }) => session.id === sessionId)?.subAgent?.caller.session.id ?? sessionId;
}

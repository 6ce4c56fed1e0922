import { t } from '../base/translate';
import type { Clock } from '../base/clock';
import type { Ids } from '../base/ids';
import type { Log } from '../base/log';
import type { ChatModel, CompletedToolCall, ModelRequest, Terminal, WireTool } from '../models/chatModel';
import { estimateTokens } from '../transcript/contextUse';
import type { MemoryManager } from '../memory/memoryManager';
import type { SessionStore } from '../store/session/sessionStore';
import type { ApprovalPolicy } from '../tools/approval/approvalPolicy';
import { exitPlanModeName } from '../tools/plan/exitPlanMode';
import type { AnyTool } from '../tools/tool';
import type { ToolRegistry } from '../tools/toolRegistry';
import type { Approval } from '../transcript/approval';
import { withOwnIds, matchResults } from '../transcript/callIds';
import { callsIn } from '../transcript/joinedRows';
import type { Message } from '../transcript/message';
import type { ToolCallPart } from '../transcript/part';
import type { StopReason } from '../transcript/stopReason';
import type { Recalled, Turn } from '../transcript/turn';
import type { WireMessage } from '../transcript/wireMessage';
import { askUntilAnswered, assertMaySpend, RequestBudget } from './askUntilAnswered';
import { CallRunner } from './callRunner';
import type { LiveRun, TurnRun } from './liveRun';
import { ending, type Ending } from './turnEnding';
import type { AgentFile } from './project/agentFiles';
import { meantTools } from './project/foreignTools';
import { invocable, noProject, type ProjectContext, projectTools } from './project/projectContext';
import { projectPrompt } from './project/projectPrompt';
import { expandPrompt } from './project/promptFiles';
import { TurnHistory } from './turnHistory';
import { TurnRecall } from './turnRecall';
import { recordTurn, type TurnResult } from './recordedTurn';
import type { TurnRecorder } from './turnRecorder';
import { subAgentPrompt } from './systemPrompt';
import { type HookEvent, HookStop, type TurnHooks, usualAgent } from './turnHooks';
import { beforePrompt, interruptionNote, withNote, wireNotes } from './wireNotes';

export interface AgentDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly tools: ToolRegistry;
  /** Tools that come and go while the window is open (from servers and other extensions). Read at the start of every
   *  turn, and fixed for that turn. `called`: tools that the turn calls at once because it was awaiting approval for
   *  them. Rejects only when `signal` is aborted. */
  readonly moreTools?: (signal: AbortSignal, called: readonly string[]) => Promise<readonly AnyTool[]>;
  /** Decides which calls run at once and which need the user's approval. */
  readonly approvals: ApprovalPolicy;
  /** Provides tools, a part of the system prompt, and recall. Default: none; the agent then remembers nothing. */
  readonly memory?: MemoryManager;
  /** Opens the model. Called once, when the first turn needs it. Rejects with `ModelError`. */
  readonly openModel: (signal: AbortSignal) => Promise<ChatModel>;
  readonly systemPrompt: (hasTools: boolean) => string;
  /** Project rules (AGENTS.md and similar), read once when the model opens. Default: none. */
  readonly project?: () => ProjectContext;
  /** Name of the custom agent that this agent is. Default: none. */
  readonly custom?: string | null;
  /** Programs that run at moments of a turn. Default: none. */
  readonly hooks?: TurnHooks;
  /** Maximum model requests per turn. The last one is made without tools. */
  readonly maxIterations: number;
  /** True when an answer whose connection breaks is continued once, without asking the user. Default: true. */
  readonly continuesBroken?: boolean;
  /** Set when this agent works on one task for another agent. `readOnly`: only with read-only tools. */
  readonly subAgent?: SubAgentKind;
}

interface ToldByHooks {
  readonly text: string;
  readonly found: Recalled;
}

interface SubAgentKind {
  readonly readOnly: boolean;
  /** Name of the file that describes it. Null: none does. */
  readonly type: string | null;
}

/** Answers prompts: this product's own agent, or a program of another maker (src/features/agents). */
export type TurnAgent = Pick<Agent, 'runTurn' | 'openModel' | 'overhead' | 'hasGatheredTools' | 'subAgent'> & {
  /** Tokens of the context of an agent that manages its own, as it reported them. Null: it has not. Absent: the context
   *  is ours to manage. */
  readonly reportedContext?: (
    conversationId: string,
  ) => Promise<{ readonly used: number; readonly size: number } | null>;
};

/** Answers prompts of one session with one model. It can be reused for many turns: all state of a turn lives in that
 *  turn's run, so nothing leaks from one turn to the next (hermes-agent#44327: a cached agent's cursor swallowed
 *  later answers). */
export class Agent {
  private model: Promise<ChatModel> | null = null;
  private projectContext: ProjectContext | null = null;
  private registry: ToolRegistry | null = null;
  private gathered = false;
  private hasBegun = false;

  constructor(private readonly deps: AgentDeps) {}

  /** Creates an agent that works for this one, with the same model, tools and rules, and half as many requests. It
   *  cannot delegate, and it presents no plan. */
  subAgent(kind: SubAgentKind, memory: MemoryManager): Agent {
    return new Agent({
      ...this.deps,
      memory,
      subAgent: kind,
      maxIterations: Math.ceil(this.deps.maxIterations / 2),
      openModel: (signal) => this.openModel(signal),
    });
  }

  /** Runs an opened turn to its end. Never rejects. */
  runTurn(run: TurnRun): Promise<TurnResult> {
    return recordTurn(run, this.deps, (live, recorder) => this.work(live, recorder));
  }

  private async work(run: LiveRun, recorder: TurnRecorder): Promise<Ending> {
    const { turn, controller } = run;
    const { signal } = controller;
    const waited = run.resumed ? await waitingCalls(turn, this.deps.store, recorder) : null;
    const { maxIterations } = this.deps;
    run.report({ kind: 'requesting', elapsedMs: 0, iteration: 1 + (waited?.requests ?? 0), maxIterations });
    const model = await this.openModel(signal);
    const called = waited?.calls.map(({ name }) => name) ?? [];
    const all = model.info.tools === false ? this.ownTools() : await this.gatherTools(signal, called);
    this.registry = this.fitting(all, called);
    if (waited !== null) {
      await this.runCalls(waited.calls, waited.messageUid, run, recorder, waited.decided);
      // From here on, only the tools of the agent's file.
      this.registry = this.fitting(all);
    }
    const history = new TurnHistory(run, recorder, model, this.deps);
    const recall = new TurnRecall(run, this.deps, (text) => expandPrompt(text, invocable(this.project)));
    const budget = new RequestBudget();
    let cutOff: { readonly reason: StopReason | null } | null = null;
    let told: ToldByHooks | null = null;
    for (let iteration = 1 + (waited?.requests ?? 0); ; iteration++) {
      signal.throwIfAborted();
      if (iteration > 1) run.report({ kind: 'requesting', elapsedMs: 0, iteration, maxIterations });
      await assertMaySpend(run);
      if (iteration > 1) await this.takeSteering(run, recorder);
      const rows = await (iteration > 1 ? history.next() : history.first());
      const isClosing = iteration > 1 && iteration >= maxIterations;
      if (iteration === 1) told = await this.hooksBefore(run, rows);
      cutOff ??= await this.cutOffBefore(turn, rows);
      const { reason } = cutOff;
      const notes = [...(reason === null ? [] : [interruptionNote(reason)]), ...(told === null ? [] : [told.text])];
      const note = notes.length === 0 ? null : notes.join('\n\n');
      if (iteration === 1) await recall.prepare(rows, note, told?.found);
      else if (run.resumed) recall.resume(note);
      signal.throwIfAborted();
      const ask = async (from: readonly Message[]): Promise<Terminal> => {
        const wire = await recall.project(from);
        const noted = note === null || recall.hasNote ? wire : beforePrompt(wire, note);
        const messages = (await run.mode.get()) === 'plan' ? beforePrompt(noted, wireNotes.planMode) : noted;
        const request = {
          ...this.request(messages, model, run.conversationId, isClosing, recall.systemBlock),
          reasoningEffort: await run.effort(),
        };
        const { clock, continuesBroken = true } = this.deps;
        return askUntilAnswered(request, { model, run, recorder, clock, budget, continuesBroken });
      };
      let terminal = await ask(rows);
      const shorter = await history.afterRefusal(terminal);
      if (shorter !== null) {
        await assertMaySpend(run);
        terminal = await ask(shorter);
      }
      if (terminal.outcome !== 'complete' || !callsTools(terminal) || isClosing)
        return ending(terminal, signal, isClosing, budget.broken, budget.leftOut);
      const calls = withOwnIds(terminal.toolCalls, callIdsOf(shorter ?? rows)).map(toolCallPart);
      const messageUid = await recorder.storeCalls({ calls, finishReason: terminal.finish.raw, usage: terminal.usage });
      await this.runCalls(calls, messageUid, run, recorder);
    }
  }

  /** Runs the hooks at the beginning of a turn. Returns their text for the model, and what the turn keeps of it; null
   *  for none. Rejects with `HookStop` when one of them blocks the prompt. */
  private async hooksBefore(
    { turn, mode, controller }: LiveRun,
    rows: readonly Message[],
  ): Promise<ToldByHooks | null> {
    const { hooks, subAgent } = this.deps;
    if (hooks === undefined) return null;
    const common = { sessionId: turn.sessionId, mode: await mode.get() };
    const prompt = promptText(rows.findLast(({ role }) => role === 'user')?.parts ?? []);
    const about = rows.every(({ turnUid }) => turnUid === turn.uid) ? 'startup' : 'resume';
    const events: readonly HookEvent[] =
      subAgent === undefined
        ? [
            ...(this.hasBegun ? [] : [{ name: 'SessionStart', about, ...common } as const]),
            { name: 'UserPromptSubmit', prompt, ...common },
          ]
        : [{ name: 'SubagentStart', about: subAgent.type ?? usualAgent, prompt, ...common }];
    this.hasBegun = true;
    const texts: string[] = [];
    for (const event of events) {
      const answer = await hooks.run(event, controller.signal);
      controller.signal.throwIfAborted();
      if (answer.stop !== null) throw new HookStop(answer.stop);
      if (answer.context !== '') texts.push(answer.context);
    }
    if (texts.length === 0) return null;
    const text = `(Hooks of the project or the person say:)\n${texts.join('\n\n')}`;
    return { text, found: { provider: 'hooks', label: t('Hooks added text to the prompt'), count: 0 } };
  }

  /** Called only after tool results: a user row there has no answer between it and the prompt. */
  private async takeSteering(run: LiveRun, recorder: TurnRecorder): Promise<void> {
    const uids = run.steering.take();
    if (uids.length === 0) return;
    const rows = await recorder.storeSteering(uids);
    run.steering.given();
    for (const row of rows) await this.hooksBefore(run, [row]);
  }

  /** Returns the reason why the previous turn was cut off, if it was. Reads it from the turn's row: the shape of the
   *  transcript does not show it (hermes-agent#17249). */
  private async cutOffBefore(turn: Turn, history: readonly Message[]): Promise<{ readonly reason: StopReason | null }> {
    const before = history.findLast((message) => message.turnUid !== turn.uid)?.turnUid ?? null;
    const previous = before === null ? null : await this.deps.store.getTurn(before);
    return { reason: previous?.state === 'settled' && previous.outcome === 'interrupted' ? previous.stopReason : null };
  }

  private async runCalls(
    calls: readonly ToolCallPart[],
    messageUid: string,
    run: LiveRun,
    recorder: TurnRecorder,
    decided?: ReadonlyMap<string, Approval>,
  ): Promise<void> {
    await new CallRunner(run, recorder, { ...this.deps, tools: this.tools }).runAll(calls, messageUid, decided);
  }

  /** Returns the agent's model, opened on first use. Rejects with `ModelError`. */
  openModel(signal: AbortSignal): Promise<ChatModel> {
    this.model ??= this.deps.openModel(signal);
    return this.model.catch((error: unknown) => {
      this.model = null;
      throw error;
    });
  }

  /** True when a turn has gathered the tools of other sources. Before that there may be more tools than `overhead`
   *  counts. */
  get hasGatheredTools(): boolean {
    return this.gathered;
  }

  /** Estimates the tokens that every request carries besides the history. */
  overhead(model: ChatModel): { readonly system: number; readonly tools: number; readonly memory: number } {
    const { system, tools } = this.frame(model, '');
    const memory = this.deps.memory?.systemBlock ?? '';
    return {
      system: estimateTokens(system),
      tools: tools.length === 0 ? 0 : estimateTokens(JSON.stringify(tools)),
      memory: memory === '' ? 0 : estimateTokens(memory),
    };
  }

  private frame(
    model: ChatModel,
    memoryBlock: string,
  ): { readonly system: string; readonly tools: readonly WireTool[] } {
    const hasTools = model.info.tools !== false;
    const system = [
      this.deps.systemPrompt(hasTools),
      this.deps.subAgent === undefined ? '' : subAgentPrompt,
      this.file === null ? '' : `# Your task as “${this.file.name}”\n\n${this.file.body}`,
      projectPrompt(this.project, hasTools),
      memoryBlock,
    ].filter((block) => block !== '');
    return { system: system.join('\n\n'), tools: hasTools ? this.tools.specifications() : [] };
  }

  /** Stays the same for the life of the agent, even if files change: prompt, tools and provider caches depend on
   *  each other. */
  private get project(): ProjectContext {
    this.projectContext ??= this.deps.project?.() ?? noProject;
    return this.projectContext;
  }

  private get tools(): ToolRegistry {
    this.registry ??= this.fitting(this.ownTools());
    return this.registry;
  }

  private async gatherTools(signal: AbortSignal, called: readonly string[]): Promise<ToolRegistry> {
    const more = (await this.deps.moreTools?.(signal, called)) ?? [];
    this.gathered = true;
    return this.ownTools().with(more);
  }

  /** `called`: tools that the user may have allowed already. */
  private fitting(tools: ToolRegistry, called: readonly string[] = []): ToolRegistry {
    const { subAgent } = this.deps;
    const fit =
      subAgent === undefined
        ? tools
        : tools.without(
            (tool) =>
              tool.delegates === true || tool.name === exitPlanModeName || (subAgent.readOnly && !tool.readOnly),
          );
    // A sub-agent without a file of its own has the tools of the agent that it works for.
    const file = this.file ?? this.fileOf(this.deps.custom);
    if (file === null) return fit;
    const wanted = file.tools === null ? null : meantTools(file.tools, fit.names).names;
    const unwanted = meantTools(file.withoutTools, fit.names).names;
    return fit.without(({ name }) => !called.includes(name) && (wanted?.has(name) === false || unwanted.has(name)));
  }

  /** The file that describes this agent. Null: none does. */
  private get file(): AgentFile | null {
    const { subAgent, custom } = this.deps;
    return this.fileOf(subAgent === undefined ? custom : subAgent.type);
  }

  private fileOf(wanted: string | null | undefined): AgentFile | null {
    return this.project.agents.find(({ name }) => name === wanted) ?? null;
  }

  private ownTools(): ToolRegistry {
    const added = projectTools(this.project);
    return this.deps.tools
      .without(({ name }) => added.some((tool) => tool.name === name))
      .with([...added, ...(this.deps.memory?.tools ?? [])]);
  }

  private request(
    messages: readonly WireMessage[],
    model: ChatModel,
    conversationId: string,
    isClosing: boolean,
    memoryBlock: string,
  ): Omit<ModelRequest, 'reasoningEffort'> {
    return {
      ...this.frame(model, memoryBlock),
      messages: isClosing ? withNote(messages, wireNotes.budgetSpent) : messages,
      ...(isClosing ? { toolChoice: 'none' as const } : {}),
      maxOutputTokens: null,
      cacheKey: conversationId,
    };
  }
}

function callsTools(terminal: Terminal & { readonly outcome: 'complete' }): boolean {
  // An answer cut off by its length may hold half a call, which must never run.
  return (
    terminal.toolCalls.length > 0 && terminal.finish.unified !== 'length' && terminal.finish.unified !== 'contentFilter'
  );
}

function callIdsOf(rows: readonly Message[]): readonly string[] {
  return rows.flatMap((row) => (row.role === 'assistant' ? callsIn(row.parts).map(({ callId }) => callId) : []));
}

function toolCallPart(call: CompletedToolCall): ToolCallPart {
  const { callId, name, metadata } = call;
  return { kind: 'toolCall', callId, name, arguments: call.arguments, ...(metadata === undefined ? {} : { metadata }) };
}

/** State of a turn that was waiting for the user. */
interface WaitingCalls {
  /** The row that holds the calls. */
  readonly messageUid: string;
  /** Calls without a result, in order. */
  readonly calls: readonly ToolCallPart[];
  /** Decisions by call id. */
  readonly decided: ReadonlyMap<string, Approval>;
  /** Number of model requests that the turn has made. */
  readonly requests: number;
}

/** Reads from the store how to continue a turn that was waiting. Until its calls run, all of them are recorded as
 *  never run. */
async function waitingCalls(
  turn: Turn,
  store: Pick<SessionStore, 'activeMessages' | 'approvalsOf'>,
  recorder: TurnRecorder,
): Promise<WaitingCalls> {
  const rows = (await store.activeMessages(turn.sessionId)).filter((row) => row.turnUid === turn.uid);
  const assistantRows = rows.filter((row) => row.role === 'assistant');
  const last = assistantRows.at(-1);
  const results = rows
    .slice(last === undefined ? 0 : rows.indexOf(last))
    .flatMap((row) => (row.role === 'tool' ? [row.parts[0]] : []));
  const called = (last?.parts ?? []).filter((part): part is ToolCallPart => part.kind === 'toolCall');
  // In pairs: older versions stored calls of one answer under one id.
  const { answers } = matchResults(called, results);
  const calls = called.filter((call) => !answers.has(call));
  const messageUid = last?.uid ?? '';
  const approvals = await store.approvalsOf(turn.uid);
  const hasBegun = (callId: string): boolean =>
    approvals.some(({ callId: asked, request }) => asked === callId && request.access.kind === 'input');
  recorder.neverRan(
    messageUid,
    calls.filter(({ callId }) => !hasBegun(callId)),
  );
  const decided = approvals.filter(({ state, messageUid: asked }) => state.kind === 'decided' && asked === messageUid);
  return {
    messageUid,
    calls,
    decided: new Map(decided.map((approval) => [approval.callId, approval])),
    requests: assistantRows.length,
  };
}

/** What the user gave with a prompt, attached texts included. */
function promptText(parts: Message['parts']): string {
  return parts.flatMap((part) => (part.kind === 'text' || part.kind === 'attachment' ? [part.text] : [])).join('\n\n');
}

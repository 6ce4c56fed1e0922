import { t } from '../base/translate';
import type { Clock } from '../base/clock';
import type { Log } from '../base/log';
import { withinTime } from '../base/pause';
import { type AnyTool, type BoundCall, type ToolOutput, failed } from '../tools/tool';
import type { Message } from '../transcript/message';
import type { TurnOutcome } from '../transcript/turn';
import { maskedCopy, maskedInput, maskedMessages } from './maskedCopies';
import type {
  CompletedTurn,
  Delegation,
  MemoryProvider,
  MemoryWrite,
  StartingTurn,
  SwitchReason,
} from './memoryProvider';
import { ProviderQueue, type MadeProvider } from './providerQueue';
import { isTrivial, tidyRecall, withoutFences } from './recallText';
import { type TurnRecallRequest, type TurnMemory, TurnPreparation } from './turnPreparation';

/** Milliseconds that a tool waits until its provider knows the session. */
const readyTimeoutMs = 10_000;

interface RefusedTool {
  readonly name: string;
  readonly reason: 'core' | 'taken' | 'nameless';
}

/** Selects the provider tools that an agent gets: none with the name of one of Hermes' own (hermes-agent#40466), and
 *  no name twice. */
function sortTools(
  tools: readonly AnyTool[],
  core: ReadonlySet<string>,
  taken: ReadonlySet<string>,
): { readonly accepted: readonly AnyTool[]; readonly refused: readonly RefusedTool[] } {
  const accepted = new Map<string, AnyTool>();
  const refused: RefusedTool[] = [];
  for (const tool of tools) {
    const reason =
      tool.name.trim() === ''
        ? 'nameless'
        : core.has(tool.name)
          ? 'core'
          : taken.has(tool.name) || accepted.has(tool.name)
            ? 'taken'
            : null;
    if (reason === null) accepted.set(tool.name, tool);
    else refused.push({ name: tool.name, reason });
  }
  return { accepted: [...accepted.values()], refused };
}

/** Wraps a provider's tool for an agent. Masks secrets in the input, removes recall fences from the output, and runs
 *  the tool only after its provider knows the session. A failure is logged with the provider's name and returned as
 *  a failed call. */
function queuedTool(tool: AnyTool, queue: ProviderQueue, clock: Clock): AnyTool {
  const { name, description, parameters, readOnly } = tool;
  return { name, description, parameters, readOnly, bind: (input) => bound(tool, input, queue, clock) };
}

function bound(tool: AnyTool, input: unknown, queue: ProviderQueue, clock: Clock): BoundCall {
  const masked = maskedInput(input);
  const call = queue.ask<BoundCall>(tool.name, () => tool.bind(masked), {
    kind: 'invalid',
    problems: [`${tool.name} does not work at the moment`],
  });
  if (call.kind === 'invalid') return call;
  return {
    kind: 'ready',
    input: call.input ?? masked,
    run: async (signal, context): Promise<ToolOutput> => {
      const isReady = await withinTime(clock, readyTimeoutMs, queue.ready(), signal);
      signal.throwIfAborted();
      if (!isReady)
        return failed('Memory is still busy with an earlier session. Go on without it, or try again later.');
      try {
        const output = await call.run(signal, context);
        return { ...output, text: withoutFences(output.text) };
      } catch (error) {
        if (!signal.aborted) queue.warn(tool.name, error);
        throw error;
      }
    },
  };
}

/** Null, undefined and an empty id mean no session: providers are not notified of it. */
export type SessionName = string | null | undefined;

export interface SessionChange {
  readonly to: SessionName;
  readonly reason: SwitchReason;
  /** Parent of the new session. Null when there is none. */
  readonly parentSessionId: string | null;
}

/** A turn that has settled, with any outcome. */
export interface EndedTurn extends Omit<CompletedTurn, 'sessionId'> {
  readonly outcome: TurnOutcome;
  /** True when the user did not request the turn: a scheduled turn, a review. */
  readonly isAutomated?: boolean;
}

export interface MemoryManagerDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Names of Hermes' own tools, which no provider may use. */
  readonly coreTools?: readonly string[];
  /** Milliseconds that a turn waits for recall. Default: 2000. */
  readonly recallTimeoutMs?: () => number;
  /** True when this agent serves private sessions, which have no memory provider: all providers are refused. */
  readonly isPrivate?: boolean;
  /** True when an agent created now would get the same providers. Default: true. */
  readonly isCurrent?: () => boolean;
}

const usualRecallTimeoutMs = 2000;
/** Limits in characters and milliseconds for one provider's `onPreCompress` text. */
const preCompress = { length: 4000, timeoutMs: 5000 } as const;
const forgetTimeoutMs = 10_000;
/** Milliseconds left after the grace period of a shutdown, to hand over queued calls. */
const handOverMs = 800;

/** Distributes the events of one agent to its memory providers. Each has a serial queue, which keeps the order that
 *  memory depends on: the end of the old session, then the switch, then writes of the new one. Providers are
 *  isolated: one that fails or hangs is logged by name, and it affects neither the others nor the turn nor the
 *  switch, which never wait for it. Only `prepareTurn` is awaited, with a time limit. Rules and their sources:
 *  docs/memory.md. */
export class MemoryManager {
  private readonly queues: ProviderQueue[] = [];
  private readonly accepted = new Map<string, AnyTool>();
  private readonly preparation: TurnPreparation;
  private readonly forgotten = new Set<string>();
  private sessionId: string | null = null;
  private hasEnded = false;
  private turns = 0;
  private isClosed = false;

  constructor(private readonly deps: MemoryManagerDeps) {
    this.preparation = new TurnPreparation({
      ...deps,
      timeoutMs: deps.recallTimeoutMs ?? (() => usualRecallTimeoutMs),
    });
  }

  get currentSession(): string | null {
    return this.sessionId;
  }

  get isPrivate(): boolean {
    return this.deps.isPrivate === true;
  }

  /** False after another provider was chosen, registered or removed: an idle agent should then be replaced. */
  get isCurrent(): boolean {
    return this.deps.isCurrent?.() ?? true;
  }

  get providerNames(): readonly string[] {
    return this.queues.map((queue) => queue.name);
  }

  /** The providers' tools for the agent, in a fixed order. */
  get tools(): readonly AnyTool[] {
    return [...this.accepted.values()];
  }

  /** Memory's part of the system prompt for the session this agent serves. Empty before its first request. */
  get systemBlock(): string {
    return this.preparation.knownBlock(this.queues);
  }

  /** Adds a provider, before a session is served. Refuses, with a warning, a second external one and one that throws
   *  when asked about itself. A refused provider leaves nothing here (hermes-agent#9948). An agent of private
   *  sessions accepts none. */
  add(made: MadeProvider): boolean {
    if (this.isPrivate) return false;
    const queue = new ProviderQueue(made, this.deps);
    const external = this.queues.find(({ isExternal }) => isExternal);
    if (queue.isExternal && external !== undefined) {
      this.deps.log.warn(
        `Memory provider ${queue.name} is not used: ${external.name} is in use already, and one external ` +
          'provider is the most there can be.',
      );
      return false;
    }
    const offer = queue.ask(
      'isAvailable',
      (provider) => ((provider.isAvailable?.() ?? true) ? { tools: [...(provider.tools ?? [])] } : 'unavailable'),
      null,
    );
    if (offer === 'unavailable') this.deps.log.info(`Memory provider ${queue.name} is not set up, so it is not used.`);
    if (offer === 'unavailable' || offer === null) return false;
    const sorted = queue.ask(
      'tools',
      () => sortTools(offer.tools, new Set(this.deps.coreTools), new Set(this.accepted.keys())),
      null,
    );
    if (sorted === null) return false;
    for (const refused of sorted.refused) this.deps.log.warn(`Memory provider ${queue.name}: ${refusal(refused)}`);
    for (const tool of sorted.accepted) this.accepted.set(tool.name, queuedTool(tool, queue, this.deps.clock));
    this.queues.push(queue);
    return true;
  }

  /** Sets the first session that this agent serves. */
  initialize(sessionId: SessionName, parentSessionId: string | null = null): void {
    if (!sessionId || this.isClosed) return;
    this.serve(sessionId);
    for (const queue of this.queues)
      queue.notify('initialize', (provider, signal) => provider.initialize(sessionId, signal, { parentSessionId }));
  }

  /** Switches the agent to another session or, with the reason `rewind`, reports that the same one was rewound. */
  switchSession({ to, reason, parentSessionId }: SessionChange): void {
    const rewound = reason === 'rewind' && to === this.sessionId;
    if (!to || this.isClosed || (to === this.sessionId && !rewound)) return;
    const previousSessionId = this.sessionId;
    if (previousSessionId === null) return this.initialize(to, parentSessionId);
    const reset = reason === 'new_session' || reason === 'reset';
    if (reset) this.endSession();
    if (!rewound) this.serve(to, reason === 'compression' ? this.turns : 0);
    const change = { parentSessionId, previousSessionId, reset, rewound, reason };
    for (const queue of this.queues)
      queue.notify('onSessionSwitch', (provider, signal) => provider.onSessionSwitch?.(to, change, signal));
  }

  /** Called when the session is over for good. Notifies providers once. The switch to a new session also calls it,
   *  in case it was not called before. */
  endSession(): void {
    const ended = this.sessionId;
    if (ended === null || this.hasEnded || this.isClosed) return;
    this.hasEnded = true;
    this.fanOut('onSessionEnd', (provider, signal) => provider.onSessionEnd?.(ended, signal));
  }

  turnStarting(turn: Omit<StartingTurn, 'sessionId' | 'number'>): void {
    const sessionId = this.remembering();
    if (sessionId === null) return;
    const starting = maskedCopy({ ...turn, sessionId, number: ++this.turns }, 'prompt');
    this.fanOut('onTurnStart', (provider, signal) => provider.onTurnStart?.({ ...starting }, signal));
  }

  /** Returns the providers' texts for a turn's prompt. Waits at most `recallTimeoutMs`. Never rejects. */
  prepareTurn(request: TurnRecallRequest): Promise<TurnMemory> {
    const sessionId = this.isClosed ? null : this.sessionId;
    if (sessionId === null || this.queues.length === 0)
      return Promise.resolve({ systemBlock: '', recall: '', found: [] });
    return this.preparation.prepare(this.queues, sessionId, request);
  }

  /** Has providers remember a turn, under the session this agent serves now: a compression may have changed the id
   *  meanwhile. Skips turns that were cut off, are empty, or were not requested by the user (hermes-agent#15218,
   *  #45769). */
  syncTurn({ outcome, isAutomated, ...turn }: EndedTurn): void {
    const sessionId = this.remembering();
    if (sessionId === null || outcome !== 'complete' || isAutomated === true) return;
    if (turn.prompt.trim() === '' || turn.answer.trim() === '') return;
    const completed = maskedCopy({ ...turn, sessionId }, 'prompt', 'answer');
    const isKept = (): boolean => !this.forgotten.has(sessionId);
    this.fanOut('syncTurn', (provider, signal) => (isKept() ? provider.syncTurn({ ...completed }, signal) : undefined));
    if (isTrivial(turn.prompt)) return;
    this.fanOut('queuePrefetch', (provider, signal) =>
      isKept() ? provider.queuePrefetch?.(completed.prompt, sessionId, signal) : undefined,
    );
  }

  /** Returns the providers' wishes for a summary of these messages. Empty when there are none, or none in time.
   *  Never rejects. */
  async beforeCompression(messages: readonly Message[], signal: AbortSignal): Promise<string> {
    if (this.remembering() === null) return '';
    const over = new AbortController();
    const texts = new Map<ProviderQueue, string>();
    const work = this.queues.map(async (queue) => {
      const text = await queue.add('onPreCompress', (provider, own) =>
        over.signal.aborted
          ? undefined
          : provider.onPreCompress?.(maskedMessages(messages), AbortSignal.any([own, over.signal])),
      );
      texts.set(queue, typeof text === 'string' ? tidyRecall(text, preCompress.length) : '');
    });
    const isDone = await withinTime(this.deps.clock, preCompress.timeoutMs, Promise.all(work), signal);
    over.abort(new Error('The summary is made without it.'));
    const silent = this.queues.filter((queue) => !isDone && !signal.aborted && !texts.has(queue));
    for (const { name } of silent)
      this.deps.log.warn(
        `Memory provider ${name}: onPreCompress took longer than ${preCompress.timeoutMs / 1000} s; the summary ` +
          'was made without it.',
      );
    return this.queues.flatMap((queue) => texts.get(queue) || []).join('\n\n');
  }

  /** Notifies the external provider of a write of the built-in memory that is on disk. */
  mirrorWrite(write: MemoryWrite): void {
    if (this.remembering() === null) return;
    const copy = maskedCopy(write, 'content', 'previous');
    for (const queue of this.queues.filter(({ isExternal }) => isExternal)) {
      void queue.add('onMemoryWrite', (provider, signal) => provider.onMemoryWrite?.({ ...copy }, signal));
    }
  }

  delegated(delegation: Omit<Delegation, 'sessionId'>): void {
    const sessionId = this.remembering();
    if (sessionId === null) return;
    const copy = maskedCopy({ ...delegation, sessionId }, 'task', 'result');
    this.fanOut('onDelegation', (provider, signal) => provider.onDelegation?.({ ...copy }, signal));
  }

  /** Erases these sessions everywhere, at the user's request. Resolves with a sentence for everything that could not
   *  be erased. Drops their queued writes. Never rejects. */
  async forget(named: readonly SessionName[]): Promise<readonly string[]> {
    const sessionIds = named.filter((sessionId): sessionId is string => Boolean(sessionId));
    if (sessionIds.length === 0) return [];
    for (const sessionId of sessionIds) this.forgotten.add(sessionId);
    const sentences = new Map<ProviderQueue, string | null>();
    const work = this.queues.map(async (queue) => sentences.set(queue, await this.forgetAt(queue, sessionIds)));
    await withinTime(this.deps.clock, forgetTimeoutMs, Promise.all(work));
    return this.queues.flatMap((queue) => {
      const sentence = sentences.get(queue);
      return sentence === undefined
        ? [t('{memory} hasn’t confirmed that it deleted its copy.', { memory: queue.name })]
        : (sentence ?? []);
    });
  }

  /** Resolves when every queued call so far has been tried. */
  async drain(): Promise<void> {
    await Promise.all(this.queues.map((queue) => queue.idle()));
  }

  /** Lets queued work finish until `grace` is over (the caller owns its timer). Then runs the remaining calls with
   *  aborted signals, so that providers can store their data on disk, and shuts providers down. Time-limited,
   *  whatever providers do. With a null grace there is enough time: the window stays open, and only this agent is no
   *  longer needed. May be called again with a grace. */
  async shutdown(grace: Promise<unknown> | null): Promise<void> {
    if (!this.isClosed)
      for (const queue of this.queues) void queue.add('shutdown', (provider, signal) => provider.shutdown?.(signal));
    this.isClosed = true;
    await (grace === null ? this.drain() : Promise.race([this.drain(), grace]));
    for (const queue of this.queues) queue.abort();
    await withinTime(this.deps.clock, handOverMs, this.drain());
  }

  /** The session that providers may remember. Null when there is none. */
  private remembering(): string | null {
    return this.isClosed ? null : this.sessionId;
  }

  private serve(sessionId: string, turns = 0): void {
    this.sessionId = sessionId;
    this.hasEnded = false;
    this.turns = turns;
    this.preparation.forgetBlocks();
  }

  private async forgetAt(queue: ProviderQueue, sessionIds: readonly string[]): Promise<string | null> {
    const { provider, isExternal, name } = queue;
    if (provider.onSessionForgotten === undefined)
      return isExternal ? t('{memory} keeps its copy because it can’t delete sessions.', { memory: name }) : null;
    const answer = await queue.add('onSessionForgotten', async (own, signal) => ({
      sentence: (await own.onSessionForgotten?.(sessionIds, signal)) ?? null,
    }));
    return answer === null
      ? t('{memory} couldn’t delete its copy. See the log for details.', { memory: name })
      : answer.sentence;
  }

  private fanOut(
    hook: string,
    call: (provider: MemoryProvider, signal: AbortSignal) => Promise<void> | undefined,
  ): void {
    for (const queue of this.queues) void queue.add(hook, call);
  }
}

function refusal({ name, reason }: RefusedTool): string {
  switch (reason) {
    case 'core':
      return `its tool ${name} is not used, because Hermes has a tool of that name.`;
    case 'taken':
      return `its tool ${name} is not used, because there is one of that name already.`;
    case 'nameless':
      return 'a tool without a name is not used.';
    default:
      return reason satisfies never;
  }
}

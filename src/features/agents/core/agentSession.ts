import { errorMessage } from '../../../base/errorMessage';
import { pause, resultWithin } from '../../../base/pause';
import { t } from '../../../base/translate';
import { parsedJson } from '../../../transcript/json';
import { readInputRequest } from '../../../tools/askedInput';
import * as v from 'valibot';
import { AgentConnection, AgentGone } from './agentConnection';
import { markerOf } from '../../../tools/terminal/orphanedCommands';
import { PipedProcess, type PipedLaunch } from '../../../tools/terminal/pipedProcess';
import type { AgentProfile } from './agentRegistry';
import type { AgentCommand, AgentOption, AgentUpdate } from './agentUpdate';
import type { HostedAgentsDeps } from './hostedAgent';
import { LineReader, type ReadLine } from './lineReader';
import type { KnownSession } from './storedSession';
import {
  cancelledPermission,
  errorIn,
  fieldOf,
  initializeParams,
  messageSchema,
  methods,
  optionsAfter,
  readAbilities,
  readPermission,
  readPromptAnswer,
  readSession,
  readUpdate,
  setOptionRequest,
  subAgentCallId,
  textIn,
  type AgentAbilities,
  type PromptAnswer,
  type WireError,
  type WireMessage,
} from './protocol1';
import type { TurnDialog } from './turnDialog';

/** Milliseconds that the steps of an agent may take. */
const limitsMs = {
  initialize: 90_000,
  session: 90_000,
  load: 180_000,
  option: 20_000,
  cancel: 10_000,
  end: 2000,
  quiet: 1000,
  between: 40,
};
/** Quarters of the wanted silence that are waited at most. */
const mostPauses = 60;
/** Lines that may wait before the agent's output is read more slowly. */
const mostWaiting = 2000;

/** End of a prompt. `died`: the agent ended, or was ended because it did not react. */
export type PromptEnd =
  | { readonly kind: 'answered'; readonly answer: PromptAnswer }
  | { readonly kind: 'refused'; readonly error: WireError }
  | { readonly kind: 'died'; readonly how: string; readonly errorText: string };

/** One agent session in a process of its own. Everything the agent says goes through one chain, line by line: parsed,
 *  folded, stored, shown, and only then the next line. A prompt has ended when its answer has come to its place in
 *  the chain, or the process's exit has. */
export class AgentSession {
  options: readonly AgentOption[] = [];
  /** Null until it says so. */
  commands: readonly AgentCommand[] | null = null;
  /** Tokens of its context; null until it says so. */
  usage: { readonly used: number; readonly size: number } | null = null;
  private spentUsd = 0;
  sessionId = '';
  private process: PipedProcess | null = null;
  private connection = new AgentConnection((line) => this.write(line));
  private known: AgentAbilities | null = null;
  /** The turn that the agent works on now. It is told everything in the order of the agent's lines, and awaited. */
  private turn: TurnDialog | null = null;
  private replay: AgentUpdate[] | null = null;
  private readonly waiting: (ReadLine | { readonly exit: string })[] = [];
  private isWorking = false;
  private lastLineMs = 0;
  private exit: string | null = null;
  private readonly questions = new Map<unknown, AbortController>();
  /** Sessions of sub-agents that it has named. */
  private readonly subAgents = new Set<string>();

  /** `onState`: called when the options or commands of the session have changed. */
  constructor(
    private readonly profile: AgentProfile,
    private readonly deps: HostedAgentsDeps,
    private readonly onState: (session: AgentSession) => void,
  ) {}

  get abilities(): AgentAbilities {
    if (this.known === null) throw new Error('The agent was not initialized.');
    return this.known;
  }

  get isAlive(): boolean {
    return this.process?.ending === null && this.exit === null && this.known !== null;
  }

  /** True while a prompt is open. */
  get isPrompting(): boolean {
    return this.turn !== null;
  }

  /** Milliseconds since the agent's last line. */
  get silentMs(): number {
    return this.deps.clock.monotonicMs() - this.lastLineMs;
  }

  /** US dollars of the session that are counted already. Agents report the cost of all of it, most also after they were
   *  started again. */
  countedUsd = 0;

  /** Called for a session that goes on from an earlier one. */
  continueFrom({ context, countedUsd = 0 }: KnownSession): void {
    this.usage ??= context ?? null;
    this.countedUsd = countedUsd;
  }

  /** US dollars that the session has cost since this was last read. */
  takeCost(): number {
    const spent = this.spentUsd < this.countedUsd ? this.spentUsd : this.spentUsd - this.countedUsd;
    if (this.spentUsd > 0) this.countedUsd = this.spentUsd;
    return this.spentUsd > 0 ? spent : 0;
  }

  /** Starts the process and agrees on the protocol. Rejects with `AgentGone` or `AgentRefusal`, and with the system's
   *  error where the program cannot be started. Nothing is left of the process then. */
  async start(launch: PipedLaunch, signal: AbortSignal): Promise<void> {
    const { deps, profile } = this;
    const { clock } = deps;
    this.lastLineMs = clock.monotonicMs();
    const reader = new LineReader((line) => this.push(line));
    this.process = await PipedProcess.start(launch, {
      clock,
      // Nothing is left of it after its end, nor at the next start after a crash of ours (`endOrphanedCommands`).
      marker: markerOf(process.pid, `cmd-agent-${deps.ids.uid()}`),
      graceMs: limitsMs.end,
      onOutput: (bytes) => reader.push(bytes),
      onErrorText: (text) => deps.log.trace(`${profile.name}: ${text.trimEnd()}`),
      onExit: (exit) => this.push({ exit }),
    });
    try {
      const answer = await this.ask(
        methods.initialize,
        initializeParams(deps.version, profile.rules.fs === true),
        limitsMs.initialize,
        signal,
      );
      const abilities = readAbilities(answer);
      if (abilities.version !== 1)
        throw new AgentGone(
          t('It speaks version {version} of the protocol, which is not supported.', {
            version: String(abilities.version),
          }),
        );
      this.known = abilities;
    } catch (error) {
      const said = this.process.errorText;
      await this.end();
      if (error instanceof AgentGone && said !== '') throw new AgentGone(`${error.message} ${said.slice(-600)}`);
      throw error;
    }
  }

  /** Begins a session. `origin`: another one, of which it knows everything. */
  async create(
    folder: string,
    servers: readonly unknown[],
    signal: AbortSignal,
    origin: string | null = null,
  ): Promise<void> {
    const [method, from] = origin === null ? [methods.newSession, {}] : [methods.forkSession, { sessionId: origin }];
    const params = { ...from, cwd: folder, mcpServers: servers };
    const answer = readSession(await this.ask(method, params, limitsMs.session, signal));
    if (answer.sessionId === null) throw new AgentGone(t('It began no session.'));
    this.sessionId = answer.sessionId;
    this.setOptions(answer.options);
  }

  /** Continues a session of an earlier process. Resolves with what the agent replayed, if it
   *  replays anything. */
  async resume(
    sessionId: string,
    folder: string,
    servers: readonly unknown[],
    signal: AbortSignal,
  ): Promise<readonly AgentUpdate[]> {
    this.sessionId = sessionId;
    const params = { sessionId, cwd: folder, mcpServers: servers };
    const { resumes, loads } = this.abilities;
    if (!resumes && !loads) throw new AgentGone(t('It cannot continue earlier sessions.'));
    this.replay = [];
    try {
      const method = resumes ? methods.resumeSession : methods.loadSession;
      const answer = readSession(await this.ask(method, params, limitsMs.load, signal));
      // Gemini replays after its answer, in the same kinds as live news. Until it is quiet, everything is replay.
      await this.untilQuiet(limitsMs.quiet, signal);
      signal.throwIfAborted();
      this.setOptions(answer.options);
      return this.replay;
    } finally {
      this.replay = null;
    }
  }

  /** Sets an option, if the session has it with this value and another one is set. Resolves false if it has not. */
  async choose(category: string, value: string, signal: AbortSignal): Promise<boolean> {
    const option = this.options.find((known) => known.category === category);
    if (option === undefined || !option.choices.some((choice) => choice.value === value)) return false;
    if (option.current === value) return true;
    await this.setOption(option, value, signal);
    return true;
  }

  async setOption(option: AgentOption, value: string | boolean, signal: AbortSignal): Promise<void> {
    const { method, params } = setOptionRequest(this.sessionId, option, value);
    const answer = await this.ask(method, params, limitsMs.option, signal);
    this.setOptions(optionsAfter(answer, this.options, option, value));
  }

  /** Sends a prompt. `turn` gets everything that the agent says until its answer. An abort of `signal` cancels the
   *  prompt: the agent may go on for a while, and what it says is kept. It is ended when it does not react. */
  async prompt(blocks: readonly unknown[], turn: TurnDialog, signal: AbortSignal): Promise<PromptEnd> {
    // News that comes right after the last answer belongs to no turn, and nothing in it says so.
    await this.untilQuiet(limitsMs.between, signal);
    this.turn = turn;
    this.lastLineMs = this.deps.clock.monotonicMs();
    let end: PromptEnd | null = null;
    const answered = this.connection
      .request(methods.prompt, { sessionId: this.sessionId, prompt: blocks }, async (message) => {
        // The turn ends here, in the answer's place among the lines.
        await turn.fold.flushCalls();
        const error = errorIn(message);
        end =
          error === null
            ? { kind: 'answered', answer: readPromptAnswer(message['result']) }
            : { kind: 'refused', error };
        this.turn = null;
      })
      .catch(() => undefined);
    const stop = (): void => {
      // A window that closes has no time to wait for the agent.
      if (fieldOf(signal.reason, 'reason') === 'windowClosed') this.endNow();
      else void this.cancel(answered);
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    try {
      await answered;
    } finally {
      signal.removeEventListener('abort', stop);
      this.turn = null;
      for (const question of this.questions.values()) question.abort();
    }
    return (
      end ?? { kind: 'died', how: this.exit ?? t('without an exit code'), errorText: this.process?.errorText ?? '' }
    );
  }

  /** Ends the process and everything it started. */
  async end(): Promise<void> {
    const { process } = this;
    if (process === null) return;
    await process.end();
    this.connection.close(new AgentGone(t('It was ended.')));
  }

  endNow(): void {
    this.process?.endNow();
  }

  private async cancel(answered: Promise<unknown>): Promise<void> {
    this.connection.notify(methods.cancel, { sessionId: this.sessionId });
    // Agents wait for open questions: Gemini and Cline never answer the prompt otherwise.
    for (const question of this.questions.values()) question.abort();
    const isDone = await resultWithin(
      this.deps.clock,
      limitsMs.cancel,
      answered.then(() => true),
      false,
    );
    if (isDone) return;
    this.deps.log.warn(`${this.profile.name} did not react to a stop and was ended.`);
    await this.end();
  }

  /** Waits until no line has come for `ms` milliseconds, but not for ever: an agent may never be quiet. */
  private async untilQuiet(ms: number, signal: AbortSignal): Promise<void> {
    for (let count = 0; count < mostPauses && this.isAlive && this.silentMs < ms; count++)
      if (!(await pause(this.deps.clock, ms / 4, signal))) return;
  }

  private setOptions(options: readonly AgentOption[]): void {
    if (options.length > 0) this.options = options;
    this.onState(this);
  }

  private async ask(method: string, params: unknown, limitMs: number, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted();
    const late = Symbol('late');
    const answer = await resultWithin(this.deps.clock, limitMs, this.connection.request(method, params), late, signal);
    signal.throwIfAborted();
    if (answer === late)
      throw new AgentGone(t('It did not answer within {seconds} seconds.', { seconds: String(limitMs / 1000) }));
    return answer;
  }

  private write(line: string): Promise<void> {
    return this.process?.write(`${line}\n`) ?? Promise.reject(new Error('The agent was not started.'));
  }

  private push(line: ReadLine | { readonly exit: string }): void {
    this.waiting.push(line);
    this.lastLineMs = this.deps.clock.monotonicMs();
    if (this.waiting.length > mostWaiting) this.process?.setReading(false);
    if (!this.isWorking) void this.work();
  }

  /** The chain: takes one line after the other. Never rejects. */
  private async work(): Promise<void> {
    this.isWorking = true;
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      try {
        if ('exit' in next) await this.exited(next.exit);
        else await this.take(next);
        if (this.waiting.length === 0) await this.turn?.fold.flushCalls();
      } catch (error) {
        // The recorder has stopped the turn when nothing more could be stored; the rest concerns this line only.
        this.deps.log.warn(`A line of ${this.profile.name} could not be used: ${errorMessage(error)}`);
      }
      if (this.waiting.length === 0) this.process?.setReading(true);
    }
    this.isWorking = false;
  }

  private async exited(how: string): Promise<void> {
    this.exit = how;
    await this.turn?.fold.flushCalls();
    for (const question of this.questions.values()) question.abort();
    this.connection.close(new AgentGone(t('It ended {how}.', { how })));
    // What it started may have left its group.
    void this.process?.end();
  }

  private async take(line: ReadLine): Promise<void> {
    if (line.bytes !== undefined) {
      await this.turn?.fold.take({
        kind: 'unknown',
        name: t('{bytes} bytes in one line', { bytes: String(line.bytes) }),
        raw: line.text,
      });
      return;
    }
    const parsed = v.safeParse(messageSchema, parsedJson(line.text));
    if (!parsed.success) {
      this.deps.log.info(`${this.profile.name} wrote a line that is no message: ${line.text.slice(0, 300)}`);
      return;
    }
    const message = parsed.output;
    if (message.method === undefined) return this.connection.receive(message);
    if (message.id === undefined) return this.notified(message);
    return this.requested(message);
  }

  private async notified(message: WireMessage): Promise<void> {
    const params = message['params'];
    if (message.method === methods.cancelRequest) return void this.questions.get(fieldOf(params, 'requestId'))?.abort();
    if (message.method !== methods.update) return;
    const sessionId = fieldOf(params, 'sessionId');
    const update = readUpdate(params);
    if (typeof sessionId === 'string' && this.subAgents.has(sessionId)) {
      const nested = update.kind === 'nested' ? update.update : update;
      if (nested.kind === 'subAgent') this.subAgents.add(nested.sessionId);
      if (this.replay === null)
        await this.turn?.fold.take({ kind: 'nested', parent: subAgentCallId(sessionId), update: nested });
      return;
    }
    // Copilot sends news before it has said the session's id.
    if (sessionId !== this.sessionId && this.sessionId !== '') {
      this.deps.log.info(`${this.profile.name} sent news of another session: ${JSON.stringify(update).slice(0, 300)}`);
      return;
    }
    this.follow(update);
    if (this.replay !== null) this.replay.push(update);
    else if (this.turn !== null) await this.turn.fold.take(update);
    // News outside a turn belongs to no answer (a greeting, "[MODE_UPDATE]").
    else this.deps.log.info(`${this.profile.name}, outside a turn: ${JSON.stringify(update).slice(0, 300)}`);
  }

  private follow(update: AgentUpdate): void {
    switch (update.kind) {
      case 'subAgent':
        this.subAgents.add(update.sessionId);
        return;
      case 'commands':
        this.commands = update.commands;
        break;
      case 'options':
        this.options = update.options;
        break;
      case 'mode':
        this.options = this.options.map((option) =>
          option.category === 'mode' ? { ...option, current: update.mode } : option,
        );
        break;
      case 'usage':
        this.usage = { used: update.used, size: update.size };
        this.spentUsd = update.costUsd ?? this.spentUsd;
        return;
      default:
        return;
    }
    this.onState(this);
  }

  /** Resolves when the question is stored and shown. It is answered once the user decides: the chain does not wait. */
  private async question(
    id: unknown,
    ask: (withdrawn: AbortSignal) => Promise<{ readonly answer: Promise<unknown> } | null | undefined>,
    cancelled: object,
  ): Promise<void> {
    const withdrawn = new AbortController();
    this.questions.set(id, withdrawn);
    const asked = await ask(withdrawn.signal);
    void Promise.resolve(asked?.answer ?? cancelled)
      .catch(() => cancelled)
      .then((answer) => {
        this.questions.delete(id);
        this.connection.answer(id, answer);
      });
  }

  private async requested(message: WireMessage): Promise<void> {
    const { id, method } = message;
    const params = message['params'];
    const { turn } = this;
    switch (method) {
      case methods.requestPermission:
        return this.question(
          id,
          async (withdrawn) => turn?.ask(readPermission(params), withdrawn),
          cancelledPermission,
        );
      case methods.elicit: {
        const request = readInputRequest(params);
        const ask = async (withdrawn: AbortSignal) => (request === null ? null : turn?.elicit(request, withdrawn));
        return this.question(id, ask, { action: 'cancel' });
      }
      case methods.readFile:
      case methods.writeFile: {
        const [path, line, limit] = [textIn(params, 'path'), fieldOf(params, 'line'), fieldOf(params, 'limit')];
        if (turn === null || path === null) return this.connection.refuse(id, -32603, 'No prompt is open.');
        const done =
          method === methods.readFile
            ? turn.read(path, numberOrNull(line), numberOrNull(limit)).then((content) => ({ content }))
            : turn.write(path, textIn(params, 'content') ?? '').then(() => null);
        void done.then(
          (result) => this.connection.answer(id, result),
          (error: unknown) => this.connection.refuse(id, -32603, errorMessage(error)),
        );
        return;
      }
      default:
        this.connection.refuse(id, -32601, `Method not found: ${String(method)}`);
    }
  }
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

import type { TurnAgent } from '../../../agent/agent';
import type { LiveRun, TurnRun } from '../../../agent/liveRun';
import type { askPerson, rememberRules } from '../../../agent/personAsking';
import type { recordTurn, RecordingDeps, TurnResult } from '../../../agent/recordedTurn';
import type { Ending } from '../../../agent/turnEnding';
import type { TurnRecorder } from '../../../agent/turnRecorder';
import { errorMessage } from '../../../base/errorMessage';
import { joinSentences } from '../../../base/messageText';
import { pause } from '../../../base/pause';
import { setTranslations, t, type Translations } from '../../../base/translate';
import type { ModelError } from '../../../models/modelProvider';
import type { ApprovalPolicy } from '../../../tools/approval/approvalPolicy';
import type { EditJournal } from '../../../tools/files/editJournal';
import type { FileEditor } from '../../../tools/files/fileEditor';
import type { HandedServer } from '../../../tools/handedServer';
import type { WorkspaceFiles } from '../../../tools/workspaceFiles';
import type { AccessPath } from '../../../transcript/approval';
import { type Message, type UserMessage, answerText } from '../../../transcript/message';
import type { Failure, StopReason } from '../../../transcript/stopReason';
import type { Turn, TurnOutcome } from '../../../transcript/turn';
import { AgentFiles } from './agentFiles';
import type { PipedLaunch } from '../../../tools/terminal/pipedProcess';
import type { AgentProfile } from './agentRegistry';
import { AgentGone, AgentRefusal, LaunchProblem } from './agentConnection';
import type { AgentSession, PromptEnd } from './agentSession';
import { AgentSessions } from './agentSessions';
import type { AgentUpdate } from './agentUpdate';
import { compareReplay, handoffText, interruptionText, transcriptText } from './handoff';
import { serverParams, signInNeeded } from './protocol1';
import type { KnownSession } from './storedSession';
import { TurnDialog } from './turnDialog';
import { TurnFold } from './turnFold';

/** Parts of the window's own bundle. They compare errors by their class, so they must be its own copies. */
export interface TurnMachinery {
  readonly record: typeof recordTurn;
  readonly ask: typeof askPerson;
  readonly remember: typeof rememberRules;
  readonly isLeftWaiting: (error: unknown) => boolean;
  readonly modelError: (failure: Failure) => ModelError;
}

export interface HostedAgentsDeps extends RecordingDeps {
  readonly turns: TurnMachinery;
  readonly policy: ApprovalPolicy;
  readonly files: Pick<WorkspaceFiles, 'read'>;
  readonly locate: (path: string) => Promise<AccessPath>;
  readonly shownPath: (path: string) => string;
  readonly editor: FileEditor;
  readonly journal: EditJournal;
  /** Opens a web page that the user agreed to. */
  readonly openPage: (url: string) => Promise<void>;
  /** Folder in which sessions of a conversation work. */
  readonly folder: () => string;
  /** MCP servers that the user gives this agent; those that it cannot have, with the reason. Default: none. */
  readonly servers?: (
    profile: AgentProfile,
    folder: string,
    signal: AbortSignal,
  ) => Promise<readonly (HandedServer | { readonly name: string; readonly problem: string })[]>;
  /** Rejects with a sentence when the agent cannot be started. */
  readonly launch: (profile: AgentProfile, folder: string) => Promise<PipedLaunch>;
  readonly version: string;
  readonly translations: Translations;
  /** Called when the options or commands of a session have changed. */
  readonly onState?: (profile: AgentProfile, session: AgentSession) => void;
  /** Called when commands of a session are stored and others than before. */
  readonly onCommands?: () => void;
}

/** What one turn works with. */
export interface HostedTurn extends HostedAgentsDeps {
  readonly run: LiveRun;
  readonly recorder: TurnRecorder;
  /** Name of the agent. */
  readonly agent: string;
  /** Folder in which the agent works. */
  readonly cwd: string;
}

/** Milliseconds of silence in a running turn after which the user is told how long the agent has said nothing. */
const silenceMs = 10_000;
const mostPromptCharacters = 1024 * 1024;

/** Entry of the bundle: the agents of other makers in one window. */
export function createHostedAgents(deps: HostedAgentsDeps) {
  setTranslations(deps.translations);
  const sessions = new AgentSessions(deps);
  return {
    /** `model`: the agent's own id of the model, or "default". */
    agent: (profile: AgentProfile, model: string): TurnAgent => new HostedAgent(profile, model, sessions, deps),
    /** Ends every process. */
    close: () => sessions.close(),
    closeNow: () => sessions.closeNow(),
  };
}
export type HostedAgents = ReturnType<typeof createHostedAgents>;

/** Answers prompts with an agent of another maker, through the same recorder, gateway and cards as our own. */
class HostedAgent implements TurnAgent {
  readonly hasGatheredTools = false;

  constructor(
    private readonly profile: AgentProfile,
    private readonly model: string,
    private readonly sessions: AgentSessions,
    private readonly deps: HostedAgentsDeps,
  ) {}

  runTurn(run: TurnRun): Promise<TurnResult> {
    return this.deps.turns.record(run, this.deps, (live, recorder) => this.work(live, recorder));
  }

  /** The agent manages its own context: nothing here may send it requests beside the prompts. */
  openModel(): Promise<never> {
    return Promise.reject(
      this.deps.turns.modelError({
        cause: 'badRequest',
        sentence: t('{agent} manages its own context, so Hermes cannot summarize for it.', {
          agent: this.profile.name,
        }),
        technical: 'hosted agent',
      }),
    );
  }

  async reportedContext(conversationId: string): Promise<{ readonly used: number; readonly size: number } | null> {
    return (await this.sessions.known(conversationId, this.profile.id))?.context ?? null;
  }

  overhead(): { readonly system: number; readonly tools: number; readonly memory: number } {
    return { system: 0, tools: 0, memory: 0 };
  }

  subAgent(): never {
    throw new Error('An agent of another maker starts its own sub-agents.');
  }

  private async work(run: LiveRun, recorder: TurnRecorder): Promise<Ending> {
    const { turn, conversationId, controller } = run;
    const { signal } = controller;
    const name = this.profile.name;
    if (run.resumed)
      return ended('interrupted', 'connectionLost', {
        cause: 'network',
        sentence: t('{agent} ended while it waited for your decision. Send a prompt to continue.', { agent: name }),
        technical: 'the process that asked is gone',
      });
    const limit = await run.spendingLimit();
    if (limit !== null) return ended('interrupted', 'spendingLimit', limit);
    run.report({ kind: 'requesting', elapsedMs: 0 });
    const rows = await this.deps.store.activeMessages(turn.sessionId);
    const prompt = rows.find((row): row is UserMessage => row.uid === turn.userMessageUid && row.role === 'user');
    const whole: HostedTurn = { ...this.deps, run, recorder, agent: name, cwd: this.deps.folder() };
    const files = new AgentFiles({ sessionId: recorder.sessionId, turnUid: turn.uid }, whole);
    const fold = new TurnFold(whole, (call) => files.follow(call));
    const dialog = new TurnDialog(whole, fold);
    try {
      const prompted = async (): Promise<{ readonly session: AgentSession; readonly end: PromptEnd }> => {
        const { session, blocks } = await this.prepared(run, rows, prompt, dialog);
        const stopTicking = this.reportSilence(session, run);
        return { session, end: await session.prompt(blocks, dialog, signal).finally(stopTicking) };
      };
      const before = this.sessions.living(conversationId, this.profile.name);
      let { session, end } = await prompted();
      // It had ended since the last turn, and that was not known yet: it got nothing of this prompt.
      if (end.kind === 'died' && session === before && !fold.hasAnswered && !fold.hasThought && !signal.aborted)
        ({ session, end } = await prompted());
      await fold.finish();
      await files.finish();
      await this.countUsage(session, end, recorder);
      await this.remember(session, run);
      return this.ending(end, fold, signal);
    } catch (error) {
      if (this.deps.turns.isLeftWaiting(error) || recorder.failed || signal.aborted) throw error;
      const failure = startFailure(error, name);
      if (failure === null) throw error;
      return ended('failed', 'error', failure);
    }
  }

  /** The session for this turn and the prompt in the protocol's form, all stored that a later window needs. A session
   *  that was begun for this turn ends if that fails: it may still replay, or lacks the transcript it was to get. */
  private async prepared(
    run: LiveRun,
    rows: readonly Message[],
    prompt: UserMessage | undefined,
    dialog: TurnDialog,
  ): Promise<{ readonly session: AgentSession; readonly blocks: readonly unknown[] }> {
    const { conversationId } = run;
    const before = this.sessions.living(conversationId, this.profile.name);
    try {
      const { session, preface } = await this.sessionFor(run, rows, dialog);
      await this.choose(session, run);
      const blocks = await promptBlocks(prompt, preface, session, dialog.fold, this.profile.name);
      await this.remember(session, run);
      return { session, blocks };
    } catch (error) {
      if (this.sessions.living(conversationId, this.profile.name) !== before) await this.sessions.drop(conversationId);
      throw error;
    }
  }

  /** The agent's session for this turn: the one that lives, a continued one, or a new one. Whatever the agent does not
   *  know of the transcript above is said in a visible line, and handed over if the user allows it. */
  private async sessionFor(
    run: LiveRun,
    rows: readonly Message[],
    dialog: TurnDialog,
  ): Promise<{ readonly session: AgentSession; readonly preface: string | null }> {
    const { conversationId, turn, controller } = run;
    const { signal } = controller;
    const { id, name, rules } = this.profile;
    const above = rows.filter((row) => row.turnUid !== turn.uid);
    const lastTurn = above.findLast((row) => row.turnUid !== null)?.turnUid ?? null;
    const known = await this.sessions.known(conversationId, id);
    // The second try of a turn finds its own mark.
    const isCurrent = known !== null && (known.turn === lastTurn || known.turn === turn.uid);
    // Also for a turn that is stopped before its prompt is sent: the next one still finds the agent's session.
    if (isCurrent) await this.sessions.sent(conversationId, id, { ...known, turn: turn.uid });
    const living = this.sessions.living(conversationId, name);
    const previous = lastTurn === null ? null : await this.deps.store.getTurn(lastTurn);
    if (living !== null && isCurrent) return { session: living, preface: this.cutOff(previous, above, living) };
    await this.sessions.drop(conversationId);
    const folder = this.deps.folder();
    const launch = await this.deps.launch(this.profile, folder);
    const start = async (): Promise<AgentSession> => {
      const session = this.sessions.make(this.profile, conversationId);
      await session.start(launch, signal);
      this.sessions.keep(conversationId, name, session);
      return session;
    };
    let session = await start();
    const servers = await this.serversFor(session, dialog.fold, signal);
    let problem: string | null = null;
    /** Resolves false when the agent cannot: then another process waits for a session. */
    const continues = async (from: KnownSession, begin: () => Promise<void>): Promise<boolean> => {
      try {
        await begin();
        session.continueFrom(from);
        return true;
      } catch (error) {
        signal.throwIfAborted();
        problem = errorMessage(error);
        await this.sessions.drop(conversationId);
        session = await start();
        return false;
      }
    };
    const resume = async (id: string): Promise<void> =>
      this.compare(await session.resume(id, folder, servers, signal), above, lastTurn, dialog.fold);
    const { resumes, loads } = session.abilities;
    if (isCurrent && (resumes || (loads && rules.loadDestroys !== true)))
      if (await continues(known, () => resume(known.id)))
        return { session, preface: this.cutOff(previous, above, session) };
    const origin = session.abilities.forks ? await this.originOf(turn, lastTurn) : null;
    if (origin !== null && (await continues(origin, () => session.create(folder, servers, signal, origin.id))))
      return { session, preface: this.cutOff(previous, above, session) };
    await session.create(folder, servers, signal);
    // Nobody has answered yet: at most a prompt was stopped before the agent had begun its session.
    const isFirst = !above.some((row) => row.role !== 'user' && row.visibility.kind === 'shown');
    if (isFirst) return { session, preface: this.cutOff(previous, above, session) };
    const sentence = boundary(name, known, isCurrent || origin !== null, problem);
    const shares = await dialog.offerHandoff(sentence, transcriptText(above));
    return { session, preface: shares ? handoffText(transcriptText(above)) : null };
  }

  /** MCP servers in the protocol's form. Those that the agent does not get are named in a line. */
  private async serversFor(session: AgentSession, fold: TurnFold, signal: AbortSignal): Promise<readonly object[]> {
    const wanted = (await this.deps.servers?.(this.profile, this.deps.folder(), signal)) ?? [];
    const servers: object[] = [];
    for (const server of wanted) {
      const given = 'problem' in server ? null : serverParams(server, session.abilities);
      if (given !== null) servers.push(given);
      else {
        const reason = 'problem' in server ? server.problem : t('It does not take servers of this kind.');
        await fold.note(
          t('{agent} did not get the MCP server “{name}”: {reason}', {
            agent: this.profile.name,
            name: server.name,
            reason,
          }),
        );
      }
    }
    return servers;
  }

  /** The agent's session of the conversation that this one was branched from, if it knows exactly what is above. */
  private async originOf({ sessionId }: Turn, lastTurn: string | null): Promise<KnownSession | null> {
    const { store } = this.deps;
    const branch = await store.getSession(sessionId);
    if (branch?.parentKind !== 'branch' || branch.parentSessionId === null || lastTurn === null) return null;
    const origin = await store.getSession(branch.parentSessionId);
    if (origin === null) return null;
    const known = await this.sessions.known(origin.conversationId, this.profile.id);
    // Copies of turns are named after the branch. One that was copied in part has another outcome than its original.
    if (known === null || lastTurn !== `${sessionId}/${known.turn}`) return null;
    const [copy, original] = await Promise.all([store.getTurn(lastTurn), store.getTurn(known.turn)]);
    return outcomeOf(copy) === outcomeOf(original) ? known : null;
  }

  /** The part of a cut-off answer that the user has seen, for an agent that does not know it. */
  private cutOff(previous: Turn | null, above: readonly Message[], session: AgentSession): string | null {
    if (previous?.state !== 'settled' || previous.outcome !== 'interrupted') return null;
    const isStop = previous.stopReason === 'user' || previous.stopReason === 'newPrompt';
    if (isStop && this.profile.rules.remembersStopped === true && session.isAlive) return null;
    const of = (role: Message['role']): string =>
      above
        .filter((row) => row.turnUid === previous.uid && row.role === role && row.visibility.kind === 'shown')
        .map((row) => answerText(row.parts))
        .join('\n');
    return interruptionText(of('user'), of('assistant'));
  }

  /** Compares a replay with the rows. The rows are the truth: a replay adds at most what never arrived. */
  private async compare(
    replay: readonly AgentUpdate[],
    above: readonly Message[],
    lastTurn: string | null,
    fold: TurnFold,
  ): Promise<void> {
    // Agents replay their own context as messages of the user ("<session_context>").
    const from = replay.findLastIndex((update) => update.kind === 'prompt' && !update.text.trimStart().startsWith('<'));
    if (from === -1 || lastTurn === null) return;
    const last = above.filter((row) => row.turnUid === lastTurn);
    const question = last
      .filter(({ role }) => role === 'user')
      .map((row) => answerText(row.parts))
      .join('');
    const replayed = replay.slice(0, from + 1).flatMap((update) => (update.kind === 'prompt' ? [update.text] : []));
    if (!sameWords(replayed.join(''), question)) return;
    const stored = last
      .filter(({ role }) => role === 'assistant')
      .map((row) => answerText(row.parts))
      .join('');
    const theirs = replay
      .slice(from)
      .flatMap((update) => (update.kind === 'text' && update.channel === 'text' ? [update.text] : []))
      .join('');
    const found = compareReplay(stored, theirs);
    if (found.kind === 'more') await fold.note(t('Received after the interruption: {text}', { text: found.text }));
    if (found.kind === 'differs')
      await fold.note(t('{agent} remembers another answer: {text}', { agent: this.profile.name, text: theirs }));
  }

  /** Sets the model, the mode and the effort that the user chose here, where the agent has them. */
  private async choose(session: AgentSession, run: LiveRun): Promise<void> {
    const { signal } = run.controller;
    const mode = this.profile.rules.modes?.[await run.mode.get()];
    const effort = await run.effort();
    try {
      if (this.model !== 'default') await session.choose('model', this.model, signal);
      if (mode !== undefined) await session.choose('mode', mode, signal);
      if (effort !== 'default') await session.choose('thought_level', effort, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AgentGone) throw error;
      this.deps.log.warn(`${this.profile.name} refused an option: ${errorMessage(error)}`);
    }
  }

  private reportSilence(session: AgentSession, run: LiveRun): () => void {
    const over = new AbortController();
    const tick = async (): Promise<void> => {
      while (await pause(this.deps.clock, silenceMs / 2, over.signal))
        if (session.silentMs >= silenceMs) run.report({ kind: 'requesting', elapsedMs: session.silentMs });
    };
    void tick();
    return () => over.abort();
  }

  /** Stores what a later window needs to know of the agent's session. */
  private remember(
    { sessionId: id, usage, countedUsd }: AgentSession,
    { conversationId, turn }: LiveRun,
  ): Promise<void> {
    const context = usage ?? undefined;
    return this.sessions.sent(conversationId, this.profile.id, { id, turn: turn.uid, context, countedUsd });
  }

  private async countUsage(session: AgentSession, end: PromptEnd, recorder: TurnRecorder): Promise<void> {
    const costUsd = session.takeCost();
    const tokens =
      end.kind === 'answered' ? end.answer : { inputTokens: null, outputTokens: null, cachedInputTokens: null };
    if (costUsd === 0 && tokens.inputTokens === null && tokens.outputTokens === null) return;
    await recorder.addUsage({
      inputTokens: tokens.inputTokens,
      outputTokens: tokens.outputTokens,
      cachedInputTokens: tokens.cachedInputTokens,
      cacheWriteTokens: null,
      reasoningTokens: null,
      ...(costUsd > 0 ? { costUsd } : {}),
    });
  }

  /** The turn's outcome: what the agent says, and what the evidence says. */
  private ending(end: PromptEnd, fold: TurnFold, signal: AbortSignal): Ending {
    const agent = this.profile.name;
    if (signal.aborted) return ended('interrupted', reasonOf(signal));
    switch (end.kind) {
      case 'died':
        return ended('interrupted', 'connectionLost', {
          cause: 'network',
          sentence: joinSentences([
            t('{agent} ended {how} in the middle of its answer.', { agent, how: end.how }),
            t('Everything shown is saved.'),
            t('Your next prompt starts it again.'),
          ]),
          technical: end.errorText,
        });
      case 'refused':
        return ended('failed', 'error', refusalFailure(end.error, agent));
      case 'answered':
        break;
      default:
        return end satisfies never;
    }
    const { stopReason } = end.answer;
    if (stopReason === 'refusal') return ended('complete', 'refusal');
    if (stopReason === 'max_tokens') return ended('complete', 'length');
    if (stopReason === 'max_turn_requests') return ended('complete', 'iterations');
    const failure = fold.failure !== null || this.profile.rules.isFailure?.(fold.texts) === true;
    if (failure)
      return ended('failed', 'error', {
        cause: 'unknown',
        sentence: joinSentences([
          t('{agent} reported an error of its model.', { agent }),
          t('Everything shown is saved.'),
        ]),
        technical: fold.failure ?? fold.texts.at(-1)?.text ?? '',
      });
    if (stopReason === 'cancelled')
      return ended('interrupted', 'connectionLost', {
        cause: 'unknown',
        sentence: t('{agent} canceled the turn by itself. Everything shown is saved.', { agent }),
        technical: 'stop reason: cancelled',
      });
    if (!fold.hasAnswered)
      return ended('failed', 'empty', {
        cause: 'empty',
        sentence: joinSentences([t('{agent} ended without an answer.', { agent }), t('Your prompt is saved.')]),
        technical: `stop reason: ${stopReason || 'none'}`,
      });
    return ended('complete', 'stop', repeatedAnswer(fold, agent));
  }
}

function ended(outcome: TurnOutcome, stopReason: StopReason, failure: Failure | null = null): Ending {
  return { settlement: { outcome, stopReason, failure }, undelivered: 'store', terminal: null };
}

function outcomeOf(turn: Turn | null): string | null {
  return turn?.state === 'settled' ? `${turn.outcome} ${turn.stopReason}` : null;
}

function reasonOf(signal: AbortSignal): 'user' | 'newPrompt' | 'windowClosed' {
  const reason: unknown = typeof signal.reason === 'object' ? Reflect.get(signal.reason ?? {}, 'reason') : null;
  return reason === 'newPrompt' || reason === 'windowClosed' ? reason : 'user';
}

/** Agents whose connection broke answer again from the start, most without a mark. Both texts are kept. */
function repeatedAnswer({ texts }: TurnFold, agent: string): Failure | null {
  const long = texts.filter(({ text }) => text.trim().length >= 40);
  const isRepeated = long.some(
    ({ text }, index) => index > 0 && text.trimStart().startsWith((long[index - 1]?.text ?? '').trim().slice(0, 40)),
  );
  return isRepeated
    ? {
        cause: 'network',
        sentence: t('{agent} lost its connection and answered again from the start. Both texts are saved.', { agent }),
        technical: 'repeated answer',
      }
    : null;
}

function refusalFailure(
  { code, message }: { readonly code: number; readonly message: string },
  agent: string,
): Failure {
  const isSignIn = code === signInNeeded || code === 401;
  return {
    cause: isSignIn ? 'auth' : 'unknown',
    sentence: isSignIn
      ? t('{agent} needs you to sign in. Press “Choose Agent”, then “Sign In to Agent…”, and retry.', { agent })
      : joinSentences([t('{agent} refused: {reason}', { agent, reason: message }), t('Everything shown is saved.')]),
    technical: `${code}: ${message}`,
  };
}

/** Failure of an agent that could not be started, or did not begin a session. Null for an error of ours. */
function startFailure(error: unknown, agent: string): Failure | null {
  if (error instanceof AgentRefusal) return refusalFailure(error.error, agent);
  if (!(error instanceof Error)) return null;
  const isKnown = error instanceof AgentGone || error.name === 'LaunchProblem' || 'code' in error;
  if (!isKnown) return null;
  return {
    cause: 'network',
    sentence: joinSentences([t('{agent} could not be started.', { agent }), error.message, t('Your prompt is saved.')]),
    technical: error.message,
  };
}

function boundary(agent: string, known: KnownSession | null, isCurrent: boolean, problem: string | null): string {
  if (isCurrent && problem !== null)
    return t('{agent} could not continue its session, so it starts without what is above: {reason}', {
      agent,
      reason: problem,
    });
  if (isCurrent) return t('{agent} cannot continue its session, so it starts without what is above.', { agent });
  return known === null
    ? t('{agent} starts here, without what is above.', { agent })
    : t('What is above differs from what {agent} knows, so it starts without it.', { agent });
}

/** The prompt in the protocol's form. What the agent cannot take is said in a line. */
async function promptBlocks(
  prompt: UserMessage | undefined,
  preface: string | null,
  session: AgentSession,
  fold: TurnFold,
  agent: string,
): Promise<readonly unknown[]> {
  const { images, embeds } = session.abilities;
  const blocks: unknown[] = [];
  for (const part of prompt?.parts ?? []) {
    if (part.kind === 'text') blocks.push({ type: 'text', text: part.text });
    else if (part.kind === 'attachment')
      blocks.push(
        embeds
          ? { type: 'resource', resource: { uri: part.source, mimeType: 'text/plain', text: part.text } }
          : { type: 'text', text: `${part.label}\n\n${part.text}` },
      );
    else if (images) blocks.push({ type: 'image', mimeType: part.mediaType, data: part.dataBase64 });
    else await fold.note(t('{agent} takes no images, so the image was not sent.', { agent }));
  }
  if (blocks.length === 0) blocks.push({ type: 'text', text: '…' });
  // Agents look for a command at the beginning of the first block.
  const isCommand = answerText(prompt?.parts ?? []).startsWith('/');
  if (preface !== null) blocks.splice(isCommand ? blocks.length : 0, 0, { type: 'text', text: preface });
  if (JSON.stringify(blocks).length > mostPromptCharacters && !images)
    throw new LaunchProblem(t('The prompt is too long for an agent: at most one million characters.'));
  return blocks;
}

function sameWords(replayed: string, prompt: string): boolean {
  const plain = (text: string): string => text.replace(/\s+/g, '');
  return plain(prompt) === '' || plain(replayed).endsWith(plain(prompt));
}

import { join } from 'node:path';
import { errorMessage } from '../../../base/errorMessage';
import { resultWithin } from '../../../base/pause';
import type { Gateway } from '../../../gateway/conversationGateway';
import type { Surface } from '../../../gateway/gateway';
import type { Approval } from '../../../transcript/approval';
import { modes } from '../../../transcript/approvalChecks';
import { reasoningEfforts } from '../../../transcript/session';
import type { SessionEvent, TurnEvent } from '../../../transcript/turnEvent';
import { methods } from '../core/protocol1';
import type { AgentServer, ServedParts } from './agentServer';
import {
  codes,
  commandsUpdate,
  configOptions,
  elicitation,
  modesState,
  noticeUpdate,
  permissionRequest,
  promptUsage,
  readDecision,
  readElicited,
  readPrompt,
  usageUpdate,
} from './served1';
import { keyVariable } from './servedHome';
import { type SessionUpdate, ShownRows } from './shownRows';

/** A refusal of a request, with a sentence for the user. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: object,
  ) {
    super(message);
  }
}

type Settled = (TurnEvent & { readonly kind: 'turnSettled' })['turn'];

interface OpenPrompt {
  readonly uid: string;
  /** Cancelled, perhaps before its turn was there to be stopped. */
  isCancelled: boolean;
  readonly resolve: (turn: Settled) => void;
  readonly reject: (error: Error) => void;
}

/** Milliseconds that a session waits for what is not stored: the lists of its providers, how full its context is. */
const modelsTimeoutMs = 1500;
/** Rows read at once for a replay. */
const pageRows = 200;

/** A session that a client has open: a surface of its own gateway. Its updates go out in the order of the events, which
 *  report only what is stored. */
export class ServedSession implements Surface {
  readonly id: string;
  private rows = new ShownRows();
  /** Events that wait while the transcript is read; null: none do. */
  private held: TurnEvent[] | null = null;
  private open: OpenPrompt | null = null;
  /** Until the prompt of the last turn that settled is answered. Never rejects. */
  private settling = Promise.resolve();
  private readonly asked = new Set<string>();
  private shown: string;
  private title: string | null = null;
  private readonly gateway: Gateway;

  /** `client`: its name of the session, which stays when a compression continues it in another one. */
  constructor(
    private readonly client: string,
    private readonly parts: ServedParts,
    private readonly server: Pick<AgentServer, 'connection' | 'deps'>,
  ) {
    this.id = `acp:${client}`;
    this.shown = client;
    this.gateway = parts.gateway;
    this.gateway.surfaces.attach(this);
  }

  /** Shows the stored session. `replays`: sends its rows before this resolves. */
  async start(replays: boolean): Promise<void> {
    const { gateway, client: id } = this;
    this.held = [];
    const { sessionId } = await gateway.switching.switchSession(this.id, { reason: 'resume', sessionId: id });
    this.shown = sessionId ?? id;
    // The client has it from the list.
    this.title = (await gateway.store.getSession(this.shown))?.title ?? null;
    if (replays) await this.replay();
    const held = this.held;
    this.held = null;
    for (const event of held) this.take(event);
    const waiting = await gateway.approvals.pending(this.shown);
    if (waiting !== null) this.ask(waiting);
  }

  /** Sends what the client offers beside the transcript. Never rejects. */
  introduce(): void {
    const { prompts, notices } = this.parts;
    for (const notice of notices) this.update(noticeUpdate(notice) as SessionUpdate);
    const work = async (): Promise<void> => {
      const offered = await prompts();
      if (offered.length > 0) this.update(commandsUpdate(offered));
    };
    work().catch((error: unknown) =>
      this.warn(`The commands of the project could not be read: ${errorMessage(error)}`),
    );
  }

  async options() {
    const { gateway } = this;
    const [session, mode, effort, listed] = await Promise.all([
      gateway.store.getSession(this.shown),
      gateway.approvals.mode(this.id, this.shown),
      gateway.efforts.effort(this.id, this.shown),
      resultWithin(this.server.deps.clock, modelsTimeoutMs, this.parts.models(), []),
    ]);
    const model = gateway.sessions.modelOf(session);
    return { modes: modesState(mode), configOptions: configOptions({ mode, effort, model, models: listed }) };
  }

  /** Resolves when the turn of this prompt has settled. */
  async prompt(blocks: readonly unknown[]): Promise<object> {
    if (this.open !== null)
      throw new Refusal(codes.internal, 'A prompt is being answered in this session. Cancel it, or wait for its end.');
    const uid = this.server.deps.uid();
    const settled = new Promise<Settled>(
      (resolve, reject) => (this.open = { uid, isCancelled: false, resolve, reject }),
    );
    settled.catch(() => undefined);
    try {
      const { text, parts } = readPrompt(blocks);
      await this.gateway.intake.submit(this.id, { sessionId: this.shown, uid, text, parts, busy: 'queue' });
      if (this.isCancelled()) await this.cancel();
      return promptAnswer(await settled);
    } finally {
      this.open = null;
    }
  }

  /** Stops the turn that runs or waits. */
  async cancel(): Promise<void> {
    if (this.open !== null) this.open.isCancelled = true;
    await this.gateway.turns.stop(this.shown);
  }

  async setOption(id: string, value: string): Promise<void> {
    const { gateway } = this;
    const [mode, effort] = [modes.find((each) => each === value), reasoningEfforts.find((each) => each === value)];
    if (id === 'mode' && mode !== undefined) return gateway.approvals.setMode(this.id, this.shown, mode);
    if (id === 'model') return gateway.actions.selectModel(this.shown, value);
    if (id === 'effort' && effort !== undefined) return gateway.efforts.setEffort(this.id, this.shown, effort);
    throw new Refusal(codes.badParams, `There is no option ${id} with the value ${value}.`);
  }

  async close(): Promise<void> {
    await this.gateway.shutdown();
    await this.settling;
    this.open?.reject(new Refusal(codes.internal, 'The session was closed. What was shown is saved.'));
  }

  onTurnEvent(_: string, event: TurnEvent): void {
    if (this.held === null) this.take(event);
    else this.held.push(event);
  }

  onSessionEvent(event: SessionEvent): void {
    if (event.kind === 'modeChanged' && event.sessionId === this.shown)
      this.update({ sessionUpdate: 'current_mode_update', currentModeId: event.mode } as SessionUpdate);
    if (event.kind === 'sessionsChanged' && event.sessionIds.includes(this.shown))
      this.sendTitle().catch((error: unknown) => this.warn(`The title could not be read: ${errorMessage(error)}`));
  }

  onSessionSwitched(sessionId: string | null): void {
    if (sessionId !== null) this.shown = sessionId;
  }

  private async sendTitle(): Promise<void> {
    const title = (await this.gateway.store.getSession(this.shown))?.title ?? null;
    if (title === this.title || title === null) return;
    this.title = title;
    this.update({ sessionUpdate: 'session_info_update', title } as SessionUpdate);
  }

  /** Sends how full the context is and what the session has cost, where both are known in time. */
  private async sendUsage(): Promise<void> {
    const { gateway } = this;
    const asked = Promise.all([gateway.compression.contextUse(this.shown), gateway.spending.costs(this.shown)]);
    const known = await resultWithin(this.server.deps.clock, modelsTimeoutMs, asked, null).catch(() => null);
    if (known === null) return;
    const [{ tokens, window }, { session }] = known;
    const cost = session === null || session.unpriced > 0 ? null : session.usd;
    if (window !== null) this.update(usageUpdate(tokens, window, cost));
  }

  private isCancelled(): boolean {
    return this.open?.isCancelled === true;
  }

  private async replay(): Promise<void> {
    const { store } = this.gateway;
    for (let after: number | undefined = Number.NEGATIVE_INFINITY; after !== undefined;) {
      const { messages } = await store.readTranscript({
        sessionId: this.shown,
        limit: pageRows,
        after: after === Number.NEGATIVE_INFINITY ? -1 : after,
        isCounted: false,
      });
      for (const message of messages) this.send(this.rows.row(message));
      after = messages.length < pageRows ? undefined : messages.at(-1)?.position;
    }
  }

  private take(event: TurnEvent): void {
    switch (event.kind) {
      case 'turnOpened':
        // The client shows its own prompt already.
        if (event.userMessage.uid !== this.open?.uid) this.send(this.rows.row(event.userMessage));
        else this.rows.row(event.userMessage);
        return;
      case 'delivered':
        return event.chunks.forEach((chunk) => this.send(this.rows.chunk(chunk)));
      case 'messageStored':
        return this.send(this.rows.row(event.message));
      case 'toolProgress':
        return this.send(this.rows.progress(event.callId, event.progress));
      case 'activity':
        return event.activity.kind === 'runningTool' ? this.send(this.rows.running(event.activity.callId)) : undefined;
      case 'approvalRequested':
        return this.ask(event.approval);
      case 'subAgentAsks':
        return event.approval === null ? undefined : this.ask(event.approval);
      case 'turnSettled':
        for (const message of event.messages) this.send(this.rows.row(message));
        this.settling = this.settled(event.turn);
        return;
      case 'approvalDecided':
      case 'recalled':
        return;
      default:
        return event satisfies never;
    }
  }

  /** News of the turn go out before the answer to its prompt. */
  private async settled(turn: Settled): Promise<void> {
    const { open } = this;
    await this.sendUsage();
    if (turn.userMessageUid === open?.uid) open.resolve(turn);
  }

  /** Puts an approval to the user, and its decision to the gateway. Closing the question without a decision stops the
   *  turn. */
  private ask(approval: Approval): void {
    if (this.asked.has(approval.id)) return;
    this.asked.add(approval.id);
    const { gateway, client: id } = this;
    const { connection } = this.server;
    const { folder, asks } = this.parts;
    const callId = this.rows.toolCallId(approval.callId);
    const question = permissionRequest(id, callId, approval.request, (shown) => join(folder, shown));
    const { access, subject } = approval.request;
    const decide = async (): Promise<void> => {
      if (access.kind === 'input' && asks[access.asked.kind]) {
        const asked = elicitation(id, approval.id, access.asked, `${access.server}: ${subject}`);
        const answer = await connection.request(methods.elicit, asked);
        return void (await gateway.approvals.decide(approval.id, readElicited(answer)));
      }
      const answer = await connection.request(methods.requestPermission, question);
      const decision = readDecision(answer, approval.request);
      if (decision === null) await this.cancel();
      else await gateway.approvals.decide(approval.id, decision);
    };
    // A client that refuses the question has allowed nothing: the turn waits until the session is loaded again.
    decide().catch((error: unknown) => this.warn(`An approval was not decided: ${errorMessage(error)}`));
  }

  private send(updates: readonly SessionUpdate[]): void {
    for (const update of updates) this.update(update);
  }

  private update(update: SessionUpdate): void {
    this.server.connection.notify(methods.update, { sessionId: this.client, update });
  }

  private warn(sentence: string): void {
    this.server.deps.warn(sentence);
  }
}

/** The sentence of a failure speaks of the editor, in which this key was not entered. */
function keyHint(cause: string, model: string): string {
  if (cause !== 'noKey' && cause !== 'auth') return '';
  return ` Here the key comes from the environment: set ${keyVariable(model.split('/')[0] ?? '')}.`;
}

function promptAnswer({ outcome, stopReason, failure, model, usage: counted }: Settled): object {
  const usage = promptUsage(counted);
  const meta = { ...(usage === null ? {} : { usage }), _meta: { hermes: { outcome, stopReason } } };
  if (outcome === 'interrupted' && (stopReason === 'user' || stopReason === 'newPrompt'))
    return { stopReason: 'cancelled', ...meta };
  if (outcome !== 'complete' && failure !== null)
    throw new Refusal(codes.internal, failure.sentence + keyHint(failure.cause, model), {
      cause: failure.cause,
      technical: failure.technical,
    });
  switch (stopReason) {
    case 'length':
      return { stopReason: 'max_tokens', ...meta };
    case 'refusal':
      return { stopReason: 'refusal', ...meta };
    case 'iterations':
      return { stopReason: 'max_turn_requests', ...meta };
    default:
      if (outcome === 'complete') return { stopReason: 'end_turn', ...meta };
      throw new Refusal(codes.internal, `The answer ended early (${stopReason}). What was shown is saved.`);
  }
}

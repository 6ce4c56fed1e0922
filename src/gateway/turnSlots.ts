import { t } from '../base/translate';
import type { SettleTurn } from '../store/requests';
import { continuationPart } from '../transcript/continuation';
import { promptParts } from '../transcript/draftPart';
import { answerText, type Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { GatewayParts } from './conversationGateway';
import type { SubAgentRun } from './runningTurn';
import { GatewayError, type PromptSubmission, type SwitchReason } from './gateway';

/** Runs work of one key strictly in the order it was requested. Different keys run in parallel. */
export class Sequencer {
  private readonly tails = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.tails.get(key) ?? Promise.resolve();
    // Earlier work reports its failure to its own caller.
    const result = before.then(work, work);
    const tail = result.then(
      () => undefined,
      () => undefined,
    );
    this.tails.set(key, tail);
    void tail.then(() => {
      if (this.tails.get(key) === tail) this.tails.delete(key);
    });
    return result;
  }

  /** Resolves when no work is left, including work that was added meanwhile. */
  async idle(): Promise<void> {
    while (this.tails.size > 0) await Promise.all(this.tails.values());
  }
}
/** Input for opening the turn of a prompt. */
export interface PromptTurn {
  readonly prompt: Pick<PromptSubmission, 'uid' | 'text' | 'parts' | 'draft'>;
  readonly reason: SwitchReason;
  /** Set when the user wrote no prompt: continues the answer to the prompt in `asked`. */
  readonly continuation?: { readonly asked: Message | null };
  readonly queuedUid?: string;
  readonly replaces?: { readonly turnUid: string; readonly reason: 'retried' | 'edited' };
  /** The session that the surface showed when a prompt that begins a session was sent. */
  readonly from?: string | null;
  /** Set when the prompt is a task that another run delegated. */
  readonly subAgent?: SubAgentRun;
  /** True for a sub-agent's conversation. Default: read from the store. */
  readonly isSubAgent?: boolean;
}

/** One running turn per conversation. A slot is taken inside the conversation's sequence before the turn's row is
 *  written, and freed after the turn has settled and was verified. */
export class TurnSlots {
  private readonly sequencer = new Sequencer();
  private closing = false;
  private closed = false;

  constructor(private readonly parts: GatewayParts) {}

  /** Runs work strictly after earlier requests for the same conversation. Before it runs, writes what its last turn
   *  could not store, so the work uses a complete history. */
  async inSequence<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
    if (this.closed) throw closingError();
    return this.sequencer.run(conversationId, async () => {
      await this.parts.runner.settleShown(conversationId);
      await this.parts.runner.deliveries.makeUp();
      return work();
    });
  }

  /** Runs `work` inside the conversation's sequence with its newest segment. Rejects with `busy` and the sentence when
   *  a turn runs or waits there. `opensTurn`: see `prepare`. */
  async whileIdle<T>(
    sessionId: string,
    work: (tip: Session) => Promise<T>,
    { sentence, opensTurn = false }: { readonly sentence?: string; readonly opensTurn?: boolean } = {},
  ): Promise<T> {
    const { sessions } = this.parts;
    const found = await sessions.tipOf(sessionId);
    return this.inSequence(found.conversationId, async () => {
      if (opensTurn) await this.prepare(found.conversationId);
      const tip = await sessions.tipOf(found.id);
      await this.refuseBusy(tip, sentence);
      return work(tip);
    });
  }

  /** Called inside the conversation's sequence, before what a turn depends on is read. Rejects when no turn may begin
   *  there now. */
  async prepare(conversationId: string): Promise<void> {
    this.refuseWhenClosing();
    if (this.parts.runner.runningIn(conversationId) === null) await this.parts.beforeTurn?.(conversationId);
  }

  /** Asked inside the conversation's sequence, in which turns are opened. `known`: the open turn as it was read
   *  there. */
  async isBusy(session: Session, known?: Turn | null): Promise<boolean> {
    const { runner, compression } = this.parts;
    const { conversationId } = session;
    return (
      runner.runningIn(conversationId) !== null ||
      compression.isRunning(conversationId) ||
      this.waitsInStore(session, known)
    );
  }

  async refuseBusy(
    session: Session,
    sentence = t('Hermes is answering in this session. Stop it first, or wait.'),
  ): Promise<void> {
    if (await this.isBusy(session)) throw new GatewayError('busy', sentence);
  }

  /** Opens the turn on disk and runs it. Called inside the conversation's sequence, with its slot free. */
  async open(
    surfaceId: string,
    session: Session,
    { reason, from = null, subAgent, isSubAgent, ...how }: PromptTurn,
  ): Promise<Turn> {
    const { sessions, surfaces, runner, switching } = this.parts;
    this.refuseWhenClosing();
    if (subAgent === undefined) await sessions.refuseSubAgent(session, isSubAgent);
    const chosen = sessions.modelOf(session);
    const { asked = null } = how.continuation ?? {};
    const text = asked === null ? how.prompt.text : answerText(asked.parts);
    const ofFile = subAgent === undefined ? await this.parts.modelOfFile?.({ prompt: text }, chosen) : null;
    this.refuseWhenClosing();
    const { turn, userMessage } = await this.store(session, ofFile ?? chosen, how);
    const surfaceAgent = switching.agentForTurn(surfaceId, session, reason, from);
    surfaces.notifyTurn(session.id, { kind: 'turnOpened', turn, userMessage });
    runner.start({
      surfaceId,
      session,
      turn,
      prompt: asked ?? userMessage,
      surfaceAgent,
      ...(subAgent === undefined ? {} : { subAgent }),
    });
    return turn;
  }

  get isClosing(): boolean {
    return this.closing;
  }

  /** Refuses new turns from now on. */
  close(): void {
    this.closing = true;
  }

  /** Resolves when all current work in the conversations has ended. Later work is refused. */
  async drain(): Promise<void> {
    await this.sequencer.idle();
    this.closed = true;
  }

  refuseWhenClosing(): void {
    if (this.closing) throw closingError();
  }

  /** Writes a turn's first rows: its prompt and the turn itself, on disk before any request to a model. */
  private async store(
    session: Session,
    model: string,
    { prompt, continuation, ...how }: Pick<PromptTurn, 'prompt' | 'continuation' | 'queuedUid' | 'replaces'>,
  ): Promise<{ readonly turn: Turn & { readonly state: 'running' }; readonly userMessage: Message }> {
    const now = this.parts.clock.now();
    const turnUid = this.parts.ids.uid();
    const { turn, userMessage } = await this.parts.store.openTurn({
      turnUid,
      sessionId: session.id,
      userMessage: {
        uid: prompt.uid,
        sessionId: session.id,
        turnUid,
        createdAt: now,
        visibility: { kind: 'shown' },
        carriedFrom: null,
        role: 'user',
        parts: continuation === undefined ? promptParts(prompt.text, prompt.parts) : [continuationPart()],
      },
      model,
      startedAt: now,
      ...(prompt.draft === undefined ? {} : { draft: prompt.draft }),
      ...how,
    });
    if (turn.state !== 'running') throw new GatewayError('busy', t('This prompt was already answered.'));
    return { turn, userMessage };
  }

  /** Returns true when a stored turn waits for the user. Called only when no turn runs here, so a `running` row
   *  means that its opening was stored although the store reported a failure. That turn is closed and its prompt
   *  kept; otherwise the session would stay busy. `known`: the open turn as just read. If it was running then, it
   *  is read again. */
  private async waitsInStore(session: Session, known?: Turn | null): Promise<boolean> {
    const isKnown = known !== undefined && known?.state !== 'running';
    const open = isKnown ? known : await this.parts.store.openTurnOf(session.id);
    if (open?.state === 'running') await this.parts.store.settleTurn(neverRan(open.uid, this.parts.clock.now()));
    return open?.state === 'waiting';
  }
}

/** Said of a session that cannot be left or removed while its turn runs. */
export function stopFirst(): string {
  return t('Hermes is answering in this session. Stop it first.');
}

function closingError(): GatewayError {
  return new GatewayError('closing', t('This window is closing. Your prompt is kept.'));
}

/** The settlement for a turn that was opened and never ran: its prompt is stored, and Retry sends it again. */
function neverRan(turnUid: string, now: number): SettleTurn {
  const sentence = t('This prompt was saved, but it was not sent because the disk reported a problem. Retry.');
  const failure = { cause: 'unknown' as const, sentence, technical: 'The turn was opened and nobody runs it.' };
  return {
    turnUid,
    settledAt: now,
    settlement: { outcome: 'failed', stopReason: 'storeFailed', failure },
    messages: [],
  };
}

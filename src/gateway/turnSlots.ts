import { t } from '../base/translate';
import type { PromptDraft, SentPart } from '../transcript/draftPart';
import { answerText, type Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { Turn } from '../transcript/turn';
import type { CompressionScheduler } from './compressionScheduler';
import type { SubAgentRun } from './runningTurn';
import { GatewayError, type SwitchReason } from './gateway';
import type { GatewayServices } from './gatewayServices';
import { Sequencer } from './sequencer';
import type { SurfaceAgent } from './agents/surfaceAgent';
import type { SessionDirectory } from './sessionDirectory';
import type { SurfaceRegistry } from './surfaceRegistry';
import type { TurnOpening } from './turnOpening';
import type { TurnRunner } from './turnRunner';

interface SlotDeps {
  readonly sessions: SessionDirectory;
  readonly surfaces: SurfaceRegistry;
  readonly opening: TurnOpening;
  readonly runner: TurnRunner;
  readonly compressionScheduler: CompressionScheduler;
  /** Returns the agent that runs the turn. `from`: the session that the surface showed when the prompt was sent. */
  readonly agentFor: (surfaceId: string, session: Session, reason: SwitchReason, from: string | null) => SurfaceAgent;
  readonly beforeTurn?: (conversationId: string) => Promise<void>;
  readonly modelOfFile?: GatewayServices['modelOfFile'];
}

/** Input for opening the turn of a prompt. */
export interface PromptTurn {
  readonly prompt: {
    readonly uid: string;
    readonly text: string;
    readonly parts?: readonly SentPart[];
    readonly draft?: PromptDraft;
  };
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

  constructor(private readonly deps: SlotDeps) {}

  /** Runs work strictly after earlier requests for the same conversation. Before it runs, writes what its last turn
   *  could not store, so the work uses a complete history. */
  async inSequence<T>(conversationId: string, work: () => Promise<T>): Promise<T> {
    if (this.closed) throw closingError();
    return this.sequencer.run(conversationId, async () => {
      await this.deps.runner.settleShown(conversationId);
      await this.deps.runner.backfillShownText();
      return work();
    });
  }

  /** Called inside the conversation's sequence, before what a turn depends on is read. Rejects when no turn may begin
   *  there now. */
  async prepare(conversationId: string): Promise<void> {
    this.refuseWhenClosing();
    if (this.deps.runner.runningIn(conversationId) === null) await this.deps.beforeTurn?.(conversationId);
  }

  /** Asked inside the conversation's sequence, in which turns are opened. `known`: the open turn as it was read
   *  there. */
  async isBusy(session: Session, known?: Turn | null): Promise<boolean> {
    const { runner, compressionScheduler, opening } = this.deps;
    const { conversationId } = session;
    return (
      runner.runningIn(conversationId) !== null ||
      compressionScheduler.isRunning(conversationId) ||
      opening.waitsInStore(session, known)
    );
  }

  /** Opens the turn on disk and runs it. Called inside the conversation's sequence, with its slot free. */
  async open(
    surfaceId: string,
    session: Session,
    { reason, from = null, subAgent, isSubAgent, ...how }: PromptTurn,
  ): Promise<Turn> {
    const { sessions, surfaces, opening, runner, agentFor } = this.deps;
    this.refuseWhenClosing();
    if (subAgent === undefined) await sessions.refuseSubAgent(session, isSubAgent);
    const chosen = sessions.modelOf(session);
    const { asked = null } = how.continuation ?? {};
    const text = asked === null ? how.prompt.text : answerText(asked.parts);
    const ofFile = subAgent === undefined ? await this.deps.modelOfFile?.({ prompt: text }, chosen) : null;
    this.refuseWhenClosing();
    const opened = await opening.open({ session, model: ofFile ?? chosen, ...how });
    const surfaceAgent = agentFor(surfaceId, session, reason, from);
    surfaces.notifyTurn(session.id, { kind: 'turnOpened', turn: opened.turn, userMessage: opened.userMessage });
    runner.start({
      surfaceId,
      session,
      turn: opened.turn,
      prompt: how.continuation?.asked ?? opened.userMessage,
      surfaceAgent,
      ...(subAgent === undefined ? {} : { subAgent }),
    });
    return opened.turn;
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
}

function closingError(): GatewayError {
  return new GatewayError('closing', t('This window is closing. Your prompt is kept.'));
}

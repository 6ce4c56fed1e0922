import { t } from '../base/translate';
import { isContinuation } from '../transcript/continuation';
import { isSendable, type SentPart, sentParts } from '../transcript/draftPart';
import { answerText, type Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import { isSteering } from '../transcript/steering';
import type { Turn } from '../transcript/turn';
import { GatewayError, type BeforeAsking, type SubmitReceipt } from './gateway';
import { earlierPrompt } from './earlierPrompt';
import type { PromptTurn } from './turnSlots';
import type { GatewayParts } from './conversationGateway';

/** The input for opening a turn, except its uid. */
type Asked = Pick<PromptTurn, 'continuation'> & PromptContent;
interface PromptContent {
  readonly text: string;
  readonly parts: readonly SentPart[];
}
type Resend = { readonly before: BeforeAsking | undefined } & (
  { readonly reason: 'retried' } | ({ readonly reason: 'edited'; readonly uid: string } & PromptContent)
);

interface EditedPrompt {
  readonly uid: string;
  readonly text: string;
  readonly parts: readonly SentPart[] | undefined;
}

const inBranch = (): string =>
  t('This prompt comes before a summary, so it was sent again in a branch. The original session is unchanged.');

/** Sends prompts again, unchanged or edited. Hides the earlier answer, never deletes it: it is the earlier version. */
export class PromptVersionSwitching {
  constructor(private readonly parts: GatewayParts) {}

  /** Runs the prompt of a settled turn again. Hides its rows and those of every later turn, never deletes them: they
   *  are the earlier version. A turn before a summary is run again in a branch, which the surface then shows. */
  async retry(surfaceId: string, turnUid: string, before?: BeforeAsking): Promise<SubmitReceipt> {
    await this.parts.modelChoices.settled(this.parts.surfaces.shownSession(surfaceId));
    return this.askAgain(surfaceId, turnUid, { reason: 'retried', before });
  }

  /** Without `parts` the prompt keeps its attachments. */
  async edit(surfaceId: string, turnUid: string, prompt: EditedPrompt, before?: BeforeAsking): Promise<SubmitReceipt> {
    const { uid, text, parts = await this.partsOf(turnUid) } = prompt;
    if (!isSendable(text, parts))
      throw new GatewayError('invalid', t('There is nothing to send. Type a prompt first.'));
    return this.askAgain(surfaceId, turnUid, { reason: 'edited', uid, text, parts, before });
  }

  /** Shows another version of a prompt and of the rows after it. `turnUid`: the turn that heads the version. */
  async show(turnUid: string): Promise<void> {
    const { store, clock, slots, switching } = this.parts;
    await slots.whileIdle((await this.turnOf(turnUid)).sessionId, async (session) => {
      await store.showVersion({ sessionId: session.id, turnUid, now: clock.now() });
      switching.reread(session);
    });
  }

  private async askAgain(surfaceId: string, turnUid: string, asking: Resend): Promise<SubmitReceipt> {
    const { slots, ids } = this.parts;
    slots.refuseWhenClosing();
    const turn = await this.turnOf(turnUid);
    const uid = asking.reason === 'edited' ? asking.uid : ids.uid();
    const again = async (session: Session): Promise<SubmitReceipt | Asked> => {
      const segment = await this.segmentOf(turn, session);
      const asked =
        asking.reason === 'edited' ? { text: asking.text, parts: asking.parts } : await this.askedIn(turn, session);
      await asking.before?.();
      if (segment.isEarlier) return asked;
      const isLast = segment.rows.at(-1)?.turnUid === turn.uid;
      const stoodAlone = segment.rows.some(
        (row) => row.uid === turn.userMessageUid || row.carriedFrom === turn.userMessageUid,
      );
      const { text, parts, ...how } = asked;
      const opened = await slots.open(surfaceId, session, {
        prompt: { uid, text, parts },
        ...how,
        reason: 'resume',
        replaces: { turnUid, reason: asking.reason },
      });
      // A surface removes the rows of the retried turn itself. It must read again when later turns went too, or when
      // the prompt was merged with another.
      if (!isLast || !stoodAlone) this.parts.switching.reread(session);
      return { kind: 'started', sessionId: session.id, turnUid: opened.uid };
    };
    const done = await slots.whileIdle(turn.sessionId, again, { opensTurn: true });
    // Outside the conversation's sequence, because branching enters that sequence itself.
    return 'kind' in done ? done : this.askInBranch(surfaceId, turn, uid, done);
  }

  /** An earlier segment is never changed: its prompt is sent again in a copy of everything before it. */
  private async askInBranch(
    surfaceId: string,
    turn: Turn,
    uid: string,
    { text, parts, ...how }: Asked,
  ): Promise<SubmitReceipt> {
    const { sessions, slots, switching } = this.parts;
    const { sessionId } = await switching.branchToAsk(surfaceId, turn.sessionId, turn.userMessageUid);
    if (sessionId === null) throw new GatewayError('notFound', t('Couldn’t open the branch.'));
    const branch = await sessions.get(sessionId);
    try {
      const opened = await slots.inSequence(branch.conversationId, () =>
        slots.open(surfaceId, branch, { prompt: { uid, text, parts }, ...how, reason: 'resume' }),
      );
      return { kind: 'started', sessionId: branch.id, turnUid: opened.uid, notice: inBranch() };
    } catch (error) {
      await this.handBack(branch, { text, parts });
      throw error;
    }
  }

  /** Puts a prompt that could not be sent into the composer of its session. Never rejects: the caller already
   *  reports the error. */
  private async handBack(session: Session, { text, parts }: PromptContent): Promise<void> {
    await this.parts.store.setDraft(session.id, text, parts).catch(() => undefined);
    this.parts.switching.reread(session);
  }

  private async turnOf(turnUid: string): Promise<Turn> {
    const turn = await this.parts.store.getTurn(turnUid);
    if (turn === null) throw new GatewayError('notFound', t('This turn no longer exists, so it can’t be sent again.'));
    return turn;
  }

  /** Returns the rows around a turn: those of the newest segment, or of the turn's own segment when the newest one
   *  has none of its rows. */
  private async segmentOf(
    turn: Turn,
    tip: Session,
  ): Promise<{ readonly rows: readonly Message[]; readonly isEarlier: boolean }> {
    const { store } = this.parts;
    const rows = await store.activeMessages(tip.id);
    if (turn.sessionId === tip.id || rows.some((row) => row.turnUid === turn.uid)) return { rows, isEarlier: false };
    return { rows: await store.activeMessages(turn.sessionId), isEarlier: true };
  }

  /** Returns the prompt together with the user's steering during its turn: a retry sends both as the prompt. A turn
   *  that continued an answer without any steering continues it again. */
  private async askedIn(turn: Turn, session: Session): Promise<Asked> {
    const prompt = await this.parts.store.getMessage(turn.userMessageUid);
    if (prompt?.role !== 'user')
      throw new GatewayError('notFound', t('This turn no longer exists, so it can’t be sent again.'));
    const written = [prompt, ...(await this.steeringOf(turn))].filter((message) => !isContinuation(message));
    if (written.length === 0)
      return { text: '', parts: [], continuation: { asked: await earlierPrompt(this.parts.store, session.id, 1) } };
    const texts = written.map(({ parts }) => answerText(parts)).filter((text) => text !== '');
    return { text: texts.join('\n\n'), parts: written.flatMap(({ parts }) => sentParts(parts)) };
  }

  /** Returns the attachments of a turn's prompt. */
  private async partsOf(turnUid: string): Promise<readonly SentPart[]> {
    const { userMessageUid } = await this.turnOf(turnUid);
    return sentParts((await this.parts.store.getMessage(userMessageUid))?.parts ?? []);
  }

  /** Reads every segment that the turn spans: a turn that was compressed midway began in an earlier one. */
  private async steeringOf(turn: Turn): Promise<readonly Message[]> {
    const { store } = this.parts;
    let steering: readonly Message[] = [];
    for (let segment = await store.getSession(turn.sessionId); segment !== null;) {
      const rows = await store.activeMessages(segment.id);
      if (!rows.some((row) => row.turnUid === turn.uid)) break;
      steering = [
        ...rows.filter((row, index) => row.turnUid === turn.uid && row.carriedFrom === null && isSteering(rows, index)),
        ...steering,
      ];
      segment =
        segment.parentKind === 'compression' && segment.parentSessionId !== null
          ? await store.getSession(segment.parentSessionId)
          : null;
    }
    return steering;
  }
}

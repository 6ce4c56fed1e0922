import { joinSentences } from '../base/messageText';
import { t } from '../base/translate';
import { errorMessage } from '../base/errorMessage';
import type { SwitchReason } from '../memory/memoryProvider';
import type { SessionStore } from '../store/session/sessionStore';
import { StoreError } from '../store/storeError';
import type { SentPart } from '../transcript/draftPart';
import type { Message } from '../transcript/message';
import type { Session } from '../transcript/session';
import type { SurfaceAgent } from './agents/surfaceAgent';
import { GatewayError, type SwitchOutcome, type SwitchTarget } from './gateway';
import { earlierPrompt } from './earlierPrompt';
import { Sequencer } from './turnSlots';
import { type Beginning, usualBeginning } from './surfaceRegistry';
import { stopFirst } from './turnSlots';
import type { GatewayParts } from './conversationGateway';

type TargetOf<R extends SwitchReason> = Extract<SwitchTarget, { readonly reason: R }>;

const unchanged = { draft: null, notice: null } as const;
const notices = {
  empty: (): string => t('This session has no messages yet. Send a prompt to start.'),
  rewoundInBranch: (): string =>
    t('This prompt comes before a summary, so Hermes rewound it in a branch. The original session is unchanged.'),
} as const;

/** Switches sessions. Every change of the session that a surface shows, and that its agent serves, goes through
 *  `switchTo`. Switches of one surface run one after another. A refusal changes nothing. */
export class SessionSwitching {
  /** By surface. Always entered before a conversation's sequence, never from inside one. */
  private readonly sequencer = new Sequencer();
  /** Maps each segment to the one that followed it while this window was open. Code that read a session before its
   *  compression finds the segment to show here, without waiting. */
  private readonly followers = new Map<string, Session>();

  constructor(private readonly parts: GatewayParts) {}

  /** The only place where the session of a surface changes. Showing another session never stops a turn: it continues
   *  in the background. Reset and rewind of a session with a turn are refused (`busy`). A refusal changes nothing. */
  async switchSession(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    this.parts.slots.refuseWhenClosing();
    return this.sequencer.run(surfaceId, () => this.carryOut(surfaceId, target));
  }

  /** Creates a branch that ends before a prompt. That prompt is sent there at once, so it is not put into the
   *  composer. */
  async branchToAsk(surfaceId: string, sessionId: string, prompt: string): Promise<SwitchOutcome> {
    return this.sequencer.run(surfaceId, () => this.branch(surfaceId, { sessionId, from: prompt }, false));
  }

  /** Resolves when no surface is being switched. */
  idle(): Promise<void> {
    return this.sequencer.idle();
  }

  /** Returns the agent that runs a turn. If the surface still shows `from`, its first prompt begins the session that
   *  it shows from now on. A turn of a session that no surface shows runs in the background. */
  agentForTurn(surfaceId: string, session: Session, reason: SwitchReason, from: string | null): SurfaceAgent {
    const { surfaces, agents } = this.parts;
    const begins = (reason === 'new_session' || reason === 'reset') && surfaces.shownSession(surfaceId) === from;
    if (begins) this.switchTo(surfaceId, session, reason);
    const showing = surfaces.shownSession(surfaceId) === session.id ? surfaceId : surfaces.showing(session.id);
    return showing === null ? agents.agentInBackground(session) : agents.agentFor(showing, session, reason);
  }

  /** Shows a session that this surface's empty state began earlier. */
  showBegun(surfaceId: string, session: Session): void {
    if (this.parts.surfaces.shownSession(surfaceId) === null)
      this.switchTo(surfaceId, this.newest(session), 'new_session');
  }

  /** Moves a conversation to its next segment, on every surface that shows it and every agent that serves it. */
  rolledOver(parent: Session, child: Session): void {
    const { surfaces, agents } = this.parts;
    this.followers.set(parent.id, child);
    agents.movedOn(parent.id, child);
    for (const surfaceId of surfaces.allShowing(parent.id)) this.switchTo(surfaceId, child, 'compression');
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [parent.id, child.id] });
  }

  /** Switches surfaces that show one of these deleted sessions to the empty state. */
  emptied(sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds)
      for (const surfaceId of this.parts.surfaces.allShowing(sessionId)) this.switchTo(surfaceId, null, 'new_session');
  }

  /** Called when the rows of a session changed without events. Its surfaces read it again. */
  reread(session: Session): void {
    for (const surfaceId of this.parts.surfaces.allShowing(session.id)) this.switchTo(surfaceId, session, 'resume');
  }

  /** Called after rows of a conversation were replaced by those of another machine. Its surfaces show what is stored
   *  now: its newest segment; or the branch, in which their own text is. */
  async received(conversationId: string, branchId: string | null): Promise<void> {
    const { surfaces, sessions, store } = this.parts;
    const branch = branchId === null ? null : await store.getSession(branchId);
    const changed = [conversationId, ...(branch === null ? [] : [branch.id])];
    for (const sessionId of surfaces.allShown()) {
      if ((await sessions.conversationOf(sessionId)) !== conversationId) continue;
      const session = await store.getSession(sessionId);
      if (session === null) {
        this.emptied([sessionId]);
        continue;
      }
      if (branch !== null) {
        for (const surfaceId of surfaces.allShowing(sessionId)) this.switchTo(surfaceId, branch, 'branch');
        continue;
      }
      const tip = await sessions.tipOf(sessionId);
      changed.push(sessionId, tip.id);
      if (tip.id === sessionId) this.reread(tip);
      else this.rolledOver(session, tip);
    }
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [...new Set(changed)] });
  }

  /** Marks a session that the user can see as read. Never rejects. */
  async noteSeen(sessionId: string): Promise<void> {
    try {
      if (!this.parts.surfaces.isSeen(sessionId)) return;
      await this.parts.store.setSeen(sessionId, this.parts.clock.now());
      this.parts.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
    } catch (error) {
      this.parts.log.warn(`That session ${sessionId} was seen could not be noted: ${errorMessage(error)}`);
    }
  }

  private carryOut(surfaceId: string, target: SwitchTarget): Promise<SwitchOutcome> {
    switch (target.reason) {
      case 'new_session':
        // Its first prompt creates the session itself.
        return Promise.resolve(
          this.showEmptyState(surfaceId, { ...usualBeginning, isPrivate: target.private ?? false }),
        );
      case 'reset':
        return this.reset(surfaceId);
      case 'resume':
        return this.resume(surfaceId, target.sessionId);
      case 'branch':
        return this.branch(surfaceId, target);
      case 'rewind':
        return this.rewind(surfaceId, target);
      default:
        return target satisfies never;
    }
  }

  private async reset(surfaceId: string): Promise<SwitchOutcome> {
    const { surfaces, slots, store, agents } = this.parts;
    const shown = surfaces.shownSession(surfaceId);
    if (shown === null) return this.showEmptyState(surfaceId, usualBeginning);
    const reset = async (session: Session): Promise<SwitchOutcome> => {
      await store.endSession(session.id, 'reset');
      agents.endAt(surfaceId, session);
      surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [session.id] });
      return this.showEmptyState(surfaceId, { ...usualBeginning, reason: 'reset' });
    };
    return slots.whileIdle(shown, reset, { sentence: stopFirst() });
  }

  private async resume(surfaceId: string, sessionId: string): Promise<SwitchOutcome> {
    const { sessions, store } = this.parts;
    const found = await sessions.toOpen(sessionId);
    const { total } = await store.readTranscript({ sessionId: found.id, limit: 1, includeHidden: true });
    // A compression published from here on moves this surface along. One published before did not know of it.
    const session = this.newest(found);
    this.switchTo(surfaceId, session, 'resume');
    return { ...unchanged, sessionId: session.id, notice: total === 0 ? notices.empty() : null };
  }

  private async branch(
    surfaceId: string,
    { sessionId, from, title }: Omit<TargetOf<'branch'>, 'reason'>,
    handsBack = true,
  ): Promise<SwitchOutcome> {
    const { sessions, store, slots, clock, ids, surfaces } = this.parts;
    const origin = await sessions.get(sessionId);
    const now = clock.now();
    const childId = ids.sessionId(now);
    const copy = (): ReturnType<SessionStore['branchSession']> =>
      store.branchSession({ sessionId, upTo: from, childId, now });
    const { session, draft: prompt, draftParts } = await slots.inSequence(origin.conversationId, copy);
    const draft = handsBack ? prompt : null;
    if (draft !== null) await store.setDraft(session.id, draft, draftParts);
    const refusal = title === undefined ? null : await this.titled(session.id, title);
    this.switchTo(surfaceId, session, 'branch');
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [session.id] });
    return { sessionId: session.id, draft, notice: refusal };
  }

  private async rewind(surfaceId: string, target: TargetOf<'rewind'>): Promise<SwitchOutcome> {
    const { sessions, slots } = this.parts;
    const found = await sessions.toOpen(target.sessionId);
    const done = await slots.inSequence(found.conversationId, () => this.rewindTip(surfaceId, found, target));
    if ('sessionId' in done) return done;
    // Outside the conversation's sequence, because branching enters that sequence itself.
    const branched = await this.branch(surfaceId, { sessionId: found.id, from: done.beforeSummary.uid });
    return { ...branched, notice: notices.rewoundInBranch(), ...rewoundTurn(done.beforeSummary) };
  }

  /** Rewinds the newest segment. An earlier segment is never changed: a prompt in one is returned as
   *  `beforeSummary`. */
  private async rewindTip(
    surfaceId: string,
    found: Session,
    target: TargetOf<'rewind'>,
  ): Promise<SwitchOutcome | { readonly beforeSummary: Message }> {
    const { sessions, store, clock, surfaces, agents, slots } = this.parts;
    const session = await sessions.tipOf(found.id);
    await slots.refuseBusy(session, stopFirst());
    // Counted as the user sees them, before a repair merges several into one.
    const named = 'to' in target ? target.to : (await earlierPrompt(store, session.id, target.turns))?.uid;
    if (named === undefined) throw new GatewayError('invalid', t('There is no prompt to rewind to in this session.'));
    // Rewinds by the messages that the model would get: prompts without an answer between them are one.
    await store.repairTranscript(session.id);
    const prompt = await this.mergedPromptOf(named);
    try {
      const rewound = await store.rewindSession({ sessionId: session.id, to: prompt.uid, now: clock.now() });
      const draft = await this.putBack(session, rewound.draft, rewound.draftParts);
      if (surfaces.shownSession(surfaceId) !== session.id) this.switchTo(surfaceId, session, 'resume');
      agents.rewound(surfaceId, session);
      for (const each of surfaces.allShowing(session.id)) this.switchTo(each, session, 'rewind');
      surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [session.id] });
      return { sessionId: session.id, draft, notice: null, ...rewoundTurn(prompt) };
    } catch (error) {
      const isEarlier =
        error instanceof StoreError &&
        error.causeClass === 'invalid' &&
        prompt.sessionId !== session.id &&
        prompt.visibility.kind === 'shown';
      if (!isEarlier) throw error;
      return { beforeSummary: prompt };
    }
  }

  /** Returns the prompt that an absorbed prompt was merged into. Rewinding one removes both. */
  private async mergedPromptOf(uid: string): Promise<Message> {
    let message = await this.parts.store.getMessage(uid);
    while (message?.visibility.kind === 'hidden' && message.visibility.absorbedInto !== null)
      message = await this.parts.store.getMessage(message.visibility.absorbedInto);
    if (message?.role !== 'user')
      throw new GatewayError('notFound', t('This prompt no longer exists, so you can’t rewind to it.'));
    return message;
  }

  /** Puts a removed prompt before the text that is already in the composer. */
  private async putBack(session: Session, prompt: string, parts: readonly SentPart[]): Promise<string> {
    const { store } = this.parts;
    const typed = await store.draft(session.id);
    const draft = typed.trim() === '' ? prompt : prompt === '' ? typed : `${prompt}\n\n${typed}`;
    await store.setDraft(
      session.id,
      draft,
      parts.length === 0 ? undefined : [...parts, ...(await store.draftParts(session.id))],
    );
    return draft;
  }

  /** Sets the title. Returns null on success, otherwise the reason. */
  private async titled(sessionId: string, title: string): Promise<string | null> {
    try {
      await this.parts.store.setTitle(sessionId, title, 'person');
      return null;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return joinSentences([t('The branch was created without this title.'), error.message]);
    }
  }

  private showEmptyState(surfaceId: string, beginning: Beginning): SwitchOutcome {
    const { surfaces, agents } = this.parts;
    if (surfaces.shownSession(surfaceId) !== null) agents.leaveForNew(surfaceId);
    this.switchTo(surfaceId, null, beginning.reason, beginning);
    return { ...unchanged, sessionId: null };
  }

  private newest(session: Session): Session {
    const follower = this.followers.get(session.id);
    return follower === undefined ? session : this.newest(follower);
  }

  /** The only code that sets the session of a surface. Memory work for the switch is queued after it, and no caller
   *  waits for that work. */
  private switchTo(surfaceId: string, session: Session | null, reason: SwitchReason, beginning?: Beginning): void {
    const { surfaces, agents } = this.parts;
    const leaving = surfaces.shownSession(surfaceId);
    surfaces.bind(surfaceId, session?.id ?? null, reason, beginning);
    if (session !== null && reason !== 'rewind') agents.agentFor(surfaceId, session, reason);
    if (leaving !== null && leaving !== session?.id) void this.parts.runner.deliveries.makeUp();
    if (session !== null) void this.noteSeen(session.id);
  }
}

function rewoundTurn({ turnUid }: Message): Pick<SwitchOutcome, 'rewoundTurn'> {
  return turnUid === null ? {} : { rewoundTurn: turnUid };
}

import { t } from '../base/translate';
import type { CopyToThisFolder, CopiedSessions } from '../store/sessionCopying';
import type { Session } from '../transcript/session';
import { type ForgetReport, GatewayError } from './gateway';
import { stopFirst } from './turnSlots';
import type { GatewayParts } from './conversationGateway';

/** The user's actions on a stored session, applied to all its segments at once. */
export class SessionActions {
  constructor(private readonly parts: GatewayParts) {}

  async rename(sessionId: string, title: string): Promise<void> {
    await this.parts.store.setTitle(sessionId, title, 'person');
    this.changed(sessionId);
  }

  async setPinned(sessionId: string, on: boolean): Promise<void> {
    await this.parts.store.setPinned(sessionId, on);
    this.changed(sessionId);
  }

  async setArchived(sessionId: string, on: boolean): Promise<void> {
    await this.parts.store.setArchived(sessionId, on);
    this.changed(sessionId);
  }

  /** Marks the answers of this session as seen. Visible surfaces need not call it: the gateway knows which sessions
   *  they show. */
  async setSeen(sessionId: string): Promise<void> {
    await this.parts.store.setSeen(sessionId, this.parts.clock.now());
    this.changed(sessionId);
  }

  /** Chooses the model for a session. Also for new sessions when `sessionId` is null or no model was chosen for them
   *  yet. */
  async selectModel(sessionId: string | null, ref: string): Promise<void> {
    await this.parts.modelChoices.choose(sessionId, ref);
    this.parts.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: sessionId === null ? [] : [sessionId] });
  }

  /** Moves a session to the trash. Surfaces that show it switch to the empty state. Rejects with `busy` while a turn
   *  runs or waits. */
  async trash(sessionId: string): Promise<void> {
    const { store, clock, agents, slots, switching } = this.parts;
    await this.refuseSubAgent(sessionId);
    const trashed = async (session: Session): Promise<void> => {
      await store.trashSession(session.id, clock.now());
      switching.emptied([session.id]);
      agents.release([session.id]);
      this.changed(session.id);
    };
    await slots.whileIdle(sessionId, trashed, { sentence: stopFirst() });
  }

  async restore(sessionId: string): Promise<void> {
    await this.parts.store.restoreSession(sessionId);
    this.changed(sessionId);
  }

  /** Imports sessions from another folder's store. None of their turns runs here, and no memory provider is
   *  notified: they are in the past. */
  async copyToThisFolder(input: CopyToThisFolder): Promise<CopiedSessions> {
    const { store, surfaces, switching } = this.parts;
    const brought = await store.copyToThisFolder(input);
    // A session that was continued in the other store has new rows here.
    for (const shown of surfaces.allShown().filter((id) => input.sessionIds.includes(id))) {
      const session = await store.getSession(shown);
      if (session !== null) await switching.received(session.conversationId, null);
    }
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: input.sessionIds.map((id) => brought.newIds[id] ?? id) });
    return brought;
  }

  /** Has memory erase sessions that were forgotten on another machine. Resolves with a sentence for everything that it
   *  could not erase. */
  forgetInMemory(sessionIds: readonly string[]): Promise<readonly string[]> {
    return this.parts.agents.forget(sessionIds);
  }

  /** Erases a session for good, here and at the memory providers that support it. Rejects with `busy` while a turn
   *  runs or waits. */
  async forget(sessionId: string): Promise<ForgetReport> {
    const { store, agents, slots, switching } = this.parts;
    await this.refuseSubAgent(sessionId);
    const forgotten = async (session: Session) => {
      const erased = await store.forgetSession(session.id);
      switching.emptied(erased.sessionIds);
      return { session, ...erased };
    };
    const { session, sessionIds, branches, isComplete } = await slots.whileIdle(sessionId, forgotten, {
      sentence: stopFirst(),
    });
    this.parts.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds });
    // No data of a private session was ever sent anywhere, but its agent is still released.
    if (session.private) agents.release(sessionIds);
    const left = isComplete ? [] : [t('Traces may remain in the session file until it is rewritten.')];
    const sentences = [...left, ...(session.private ? [] : await agents.forget(sessionIds))];
    return {
      sessionIds,
      branches: branches.map((branch) => ({ sessionId: branch.sessionId, title: branch.title })),
      sentences,
    };
  }

  /** Throws `GatewayError` for a sub-agent's session. It is part of the work of the session it serves, and no list
   *  shows it, so the user could not restore it. */
  private async refuseSubAgent(sessionId: string): Promise<void> {
    const { sessions } = this.parts;
    if (await sessions.isSubAgent(await sessions.get(sessionId)))
      throw new GatewayError(
        'invalid',
        t('This session belongs to a sub-agent. It is deleted with its parent session.'),
      );
  }

  private changed(sessionId: string): void {
    this.parts.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }
}

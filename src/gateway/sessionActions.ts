import { t } from '../base/translate';
import type { Clock } from '../base/clock';
import type { CopyToThisFolder, CopiedSessions } from '../store/sessionCopying';
import type { SessionStore } from '../store/sessionStore';
import type { Session } from '../transcript/session';
import { type ForgetReport, GatewayError } from './gateway';
import type { ModelChoices } from './modelChoices';
import type { AgentPool } from './agents/agentPool';
import type { SessionDirectory } from './sessionDirectory';
import type { SessionSwitching } from './sessionSwitching';
import type { SurfaceRegistry } from './surfaceRegistry';
import type { TurnSlots } from './turnSlots';

interface ActionDeps {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly modelChoices: ModelChoices;
  readonly sessions: SessionDirectory;
  readonly surfaces: SurfaceRegistry;
  readonly agentPool: AgentPool;
  readonly slots: TurnSlots;
  readonly switching: SessionSwitching;
}

/** The user's actions on a stored session, applied to all its segments at once. */
export class SessionActions {
  constructor(private readonly deps: ActionDeps) {}

  async rename(sessionId: string, title: string): Promise<void> {
    await this.deps.store.setTitle(sessionId, title, 'person');
    this.changed(sessionId);
  }

  async setPinned(sessionId: string, on: boolean): Promise<void> {
    await this.deps.store.setPinned(sessionId, on);
    this.changed(sessionId);
  }

  async setArchived(sessionId: string, on: boolean): Promise<void> {
    await this.deps.store.setArchived(sessionId, on);
    this.changed(sessionId);
  }

  async setSeen(sessionId: string): Promise<void> {
    await this.deps.store.setSeen(sessionId, this.deps.clock.now());
    this.changed(sessionId);
  }

  async selectModel(sessionId: string | null, ref: string): Promise<void> {
    await this.deps.modelChoices.choose(sessionId, ref);
    this.deps.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: sessionId === null ? [] : [sessionId] });
  }

  async trash(sessionId: string): Promise<void> {
    const { store, clock, agentPool, switching } = this.deps;
    await this.refuseSubAgent(sessionId);
    await this.whileIdle(
      sessionId,
      t('Hermes is answering in this session. Stop it before you delete the session.'),
      async (session) => {
        await store.trashSession(session.id, clock.now());
        switching.emptied([session.id]);
        agentPool.release([session.id]);
        this.changed(session.id);
      },
    );
  }

  async restore(sessionId: string): Promise<void> {
    await this.deps.store.restoreSession(sessionId);
    this.changed(sessionId);
  }

  async copyToThisFolder(input: CopyToThisFolder): Promise<CopiedSessions> {
    const { store, surfaces, switching } = this.deps;
    const brought = await store.copyToThisFolder(input);
    // A session that was continued in the other store has new rows here.
    for (const shown of surfaces.allShown().filter((id) => input.sessionIds.includes(id))) {
      const session = await store.getSession(shown);
      if (session !== null) await switching.received(session.conversationId, null);
    }
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: input.sessionIds });
    return brought;
  }

  async forget(sessionId: string): Promise<ForgetReport> {
    const { store, agentPool, switching } = this.deps;
    await this.refuseSubAgent(sessionId);
    const sentence = t('Hermes is answering in this session. Stop it before you forget the session.');
    const { session, sessionIds, branches, isComplete } = await this.whileIdle(sessionId, sentence, async (found) => {
      const forgotten = await store.forgetSession(found.id);
      switching.emptied(forgotten.sessionIds);
      return { session: found, ...forgotten };
    });
    this.deps.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds });
    // No data of a private session was ever sent anywhere, but its agent is still released.
    if (session.private) agentPool.release(sessionIds);
    const left = isComplete ? [] : [t('Traces may remain in the session file until it is rewritten.')];
    const sentences = [...left, ...(session.private ? [] : await agentPool.forget(sessionIds))];
    return {
      sessionIds,
      branches: branches.map((branch) => ({ sessionId: branch.sessionId, title: branch.title })),
      sentences,
    };
  }

  /** Throws `GatewayError` for a sub-agent's session. It is part of the work of the session it serves, and no list
   *  shows it, so the user could not restore it. */
  private async refuseSubAgent(sessionId: string): Promise<void> {
    const { sessions } = this.deps;
    if (await sessions.isSubAgent(await sessions.get(sessionId)))
      throw new GatewayError(
        'invalid',
        t('This session belongs to a sub-agent. It is deleted with its parent session.'),
      );
  }

  /** Runs `work` on a conversation without a running turn. Throws `GatewayError` (`busy`) when a turn runs. */
  private async whileIdle<T>(sessionId: string, busy: string, work: (tip: Session) => Promise<T>): Promise<T> {
    const { sessions, slots } = this.deps;
    const found = await sessions.tipOf(sessionId);
    return slots.inSequence(found.conversationId, async () => {
      const tip = await sessions.tipOf(found.id);
      if (await slots.isBusy(tip)) throw new GatewayError('busy', busy);
      return work(tip);
    });
  }

  private changed(sessionId: string): void {
    this.deps.surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }
}

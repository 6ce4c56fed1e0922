import type { Session } from '../transcript/session';
import type { Beginning } from './surfaceRegistry';
import type { GatewayParts } from './conversationGateway';

interface PendingChoice {
  readonly sessionId: string | null;
  /** Rejects when the choice could not be stored, so the session keeps its old model. */
  readonly stored: Promise<void>;
  /** Never rejects. */
  readonly done: Promise<unknown>;
}

/** Model choices, and the order of choices and prompts: a prompt sent after a choice goes to the chosen model,
 *  however long storing the choice takes. */
export class ModelChoices {
  private readonly pending = new Set<PendingChoice>();
  /** By session: a model that its agent's file asked for, and the session's own one before. */
  private readonly ofAgents = new Map<string, { readonly model: string; readonly before: string | null }>();

  constructor(private readonly parts: GatewayParts) {}

  /** Sets the model of one session. New sessions use the model chosen for them, or else the first one ever chosen. */
  async choose(sessionId: string | null, ref: string): Promise<void> {
    if (sessionId === null) this.parts.surfaces.modelChosenForBeginnings();
    else this.ofAgents.delete(sessionId);
    const stored = sessionId === null ? Promise.resolve() : this.parts.store.setSessionModel(sessionId, ref);
    return this.during(sessionId, stored, this.keepForNewOnes(stored, sessionId, ref));
  }

  /** Sets the model that the session's agent asks for, or the user's own one if it asks for none. Called when the user
   *  chose the agent: what they choose afterwards counts. Null as the session: for the one that this surface's empty
   *  state begins. */
  async followAgent(surfaceId: string, sessionId: string | null, agent: string | null): Promise<void> {
    const following = sessionId === null ? this.begin(surfaceId, agent) : this.follow(sessionId, agent);
    return this.during(sessionId, following, following);
  }

  /** Called when a session began with this model of an agent: with another agent, the user's own one is back. */
  begun({ id, model }: Session, asked: Beginning['model']): void {
    if (asked !== null && asked.ref === model) this.ofAgents.set(id, { model, before: asked.chosen });
  }

  private async begin(surfaceId: string, agent: string | null): Promise<void> {
    const { surfaces } = this.parts;
    surfaces.chooseForBeginning(surfaceId, { agent, model: null });
    const chosen = this.parts.defaultModel();
    const ref = await this.modelOf(agent, chosen);
    const isCurrent = this.parts.defaultModel() === chosen && surfaces.beginningAt(surfaceId).agent === agent;
    if (ref !== null && chosen !== null && isCurrent)
      surfaces.chooseForBeginning(surfaceId, { model: { ref, chosen } });
  }

  private async follow(sessionId: string, agent: string | null): Promise<void> {
    const { store, surfaces } = this.parts;
    const current = (await store.getSession(sessionId))?.model ?? null;
    const earlier = this.ofAgents.get(sessionId);
    const own = earlier?.model === current ? earlier.before : current;
    const asked = await this.modelOf(agent, own ?? this.parts.defaultModel());
    const after = await store.getSession(sessionId);
    // The user chose another model or agent meanwhile.
    if (after === null || after.model !== current || (after.agent ?? null) !== agent) return;
    if (asked === null) this.ofAgents.delete(sessionId);
    else this.ofAgents.set(sessionId, { model: asked, before: own });
    const model = asked ?? own;
    if (model === current) return;
    await store.setSessionModel(sessionId, model);
    surfaces.notifyAll({ kind: 'sessionsChanged', sessionIds: [sessionId] });
  }

  private async modelOf(agent: string | null, chosen: string | null): Promise<string | null> {
    return agent === null || chosen === null ? null : ((await this.parts.modelOfFile?.({ agent }, chosen)) ?? null);
  }

  /** `stored`: rejects when the choice could not be stored. */
  private async during(sessionId: string | null, stored: Promise<void>, choosing: Promise<void>): Promise<void> {
    const choice = { sessionId, stored, done: choosing.catch(() => undefined) };
    this.pending.add(choice);
    try {
      await choosing;
    } finally {
      this.pending.delete(choice);
    }
  }

  /** Resolves when every choice made before now is in effect. Rejects when a choice for this session failed
   *  meanwhile: the next prompt was meant for another model, perhaps on another service. A default that could not be
   *  written to the settings is still in effect. */
  async settled(sessionId: string | null): Promise<void> {
    const before = [...this.pending];
    await Promise.all(before.map(({ done }) => done));
    for (const choice of before) if (choice.sessionId === sessionId) await choice.stored;
  }

  private async keepForNewOnes(stored: Promise<void>, sessionId: string | null, ref: string): Promise<void> {
    await stored;
    if (sessionId === null || this.parts.defaultModel() === null) await this.parts.saveDefaultModel(ref);
  }
}

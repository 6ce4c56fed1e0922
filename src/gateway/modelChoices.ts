import type { GatewayServices } from './gatewayServices';

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

  constructor(private readonly parts: Pick<GatewayServices, 'store' | 'defaultModel' | 'saveDefaultModel'>) {}

  /** Sets the model of one session. New sessions use the model chosen for them, or else the first one ever chosen. */
  async choose(sessionId: string | null, ref: string): Promise<void> {
    const stored = sessionId === null ? Promise.resolve() : this.parts.store.setSessionModel(sessionId, ref);
    const choosing = this.keepForNewOnes(stored, sessionId, ref);
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

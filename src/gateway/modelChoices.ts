import type { SessionStore } from '../store/sessionStore';

interface ModelChoiceParts {
  readonly store: Pick<SessionStore, 'setSessionModel'>;
  readonly defaultModel: () => string | null;
  readonly saveDefaultModel: (ref: string) => Promise<void>;
}

interface PendingChoice {
  readonly sessionId: string | null;
  /** Rejects where the session keeps the model it had. */
  readonly stored: Promise<void>;
  /** Never rejects. */
  readonly done: Promise<unknown>;
}

/** Models as they are chosen, and the order of choices and prompts: what is sent behind a choice goes to the model that was chosen, however long
 *  storing that takes. */
export class ModelChoices {
  private readonly pending = new Set<PendingChoice>();

  constructor(private readonly parts: ModelChoiceParts) {}

  /** A model chosen in a session is that session's; new ones take the one chosen for them, or the first one that is chosen at all. */
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

  /** Resolves when every choice made before now is in force. Rejects where one for this session failed meanwhile: what is sent behind it was meant
   *  for another model, perhaps at another place. A default that could not be written to the settings is in force all the same. */
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

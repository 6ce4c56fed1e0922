/** Lets another part of the window act before a turn begins. The gateway asks it, and is built before that part. */
export class TurnGate {
  private ask: (conversationId: string) => Promise<void> = () => Promise.resolve();

  /** Rejects when no turn may begin in the conversation now. */
  readonly before = (conversationId: string): Promise<void> => this.ask(conversationId);

  set(ask: (conversationId: string) => Promise<void>): void {
    this.ask = ask;
  }
}

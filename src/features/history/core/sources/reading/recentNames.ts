const most = 10_000;

/** Names of recent tool calls by call id: many formats name the tool only in the call. Forgets the oldest. */
export class RecentNames {
  private readonly names = new Map<string, string>();

  add(callId: string, name: string): void {
    this.names.set(callId, name);
    if (this.names.size <= most) return;
    for (const oldest of this.names.keys()) {
      this.names.delete(oldest);
      return;
    }
  }

  readonly nameOf = (callId: string): string | null => this.names.get(callId) ?? null;
}

import type { Steering } from '../agent/liveRun';

/** The queued prompts that are meant for one running turn. The list ends with that turn: a prompt that was not taken
 *  becomes an ordinary queued prompt. */
export class PendingSteering implements Steering {
  private uids: readonly string[] = [];

  constructor(private readonly onGiven: () => void) {}

  get waiting(): readonly string[] {
    return this.uids;
  }

  add(uid: string): void {
    this.uids = [...this.uids, uid];
  }

  take(): readonly string[] {
    const taken = this.uids;
    this.uids = [];
    return taken;
  }

  given(): void {
    this.onGiven();
  }
}

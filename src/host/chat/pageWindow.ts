import type { Gateway, SessionSnapshot } from '../../gateway/gateway';

/** Messages of a session that a view is given at once; earlier ones are loaded when the person scrolls to them. */
export const pageSize = 60;
/** The most that a drawing takes in beyond the first page because a view had loaded it: a view lets go of more than that by itself. */
const mostEarlier = 180;
/** The most that is read to reach back to one message. */
const farthest = 4000;

/** How much of a session a drawing takes in, so that a view that is drawn again has what it had. */
export class PageWindow {
  /** Rows that the view has loaded beyond the first page. */
  private earlier = 0;
  private messageUid: string | null = null;

  /** Another session, or another page that knows nothing yet. */
  startOver(): void {
    this.earlier = 0;
  }

  loaded(rows: number): void {
    this.earlier = Math.min(mostEarlier, this.earlier + rows);
  }

  /** The next reading takes in this message, where it is still shown. */
  reachTo(messageUid: string): void {
    this.messageUid = messageUid;
  }

  async read(gateway: Pick<Gateway, 'snapshot'>, sessionId: string): Promise<SessionSnapshot> {
    const wanted = this.messageUid;
    this.messageUid = null;
    for (let size = pageSize + this.earlier; ; size *= 4) {
      const snapshot = await gateway.snapshot(sessionId, size);
      const { messages, hasEarlier } = snapshot.page;
      const isThere = wanted === null || messages.some(({ uid }) => uid === wanted);
      if (!isThere && hasEarlier && size < farthest) continue;
      this.earlier = Math.min(mostEarlier, Math.max(this.earlier, messages.length - pageSize));
      return snapshot;
    }
  }
}

import type { SessionSnapshot } from '../../gateway/gateway';
import type { Gateway } from '../../gateway/conversationGateway';

/** Messages of a session that a view gets at once. Earlier ones load when the user scrolls to them. */
export const pageSize = 60;
/** Maximum number of rows beyond the first page that a snapshot includes because a view had loaded them. A view
 *  unloads more than that anyway. */
const mostEarlier = 180;
/** Number of rows at which a read that reaches back to one message stops growing. */
const farthest = 4000;

/** Tracks how much of a session a snapshot includes, so that a view that is rendered again has the rows it had. */
export class PageWindow {
  /** Rows that the view has loaded beyond the first page. */
  private earlier = 0;
  private messageUid: string | null = null;

  /** Called for another session, or for another page that has no rows yet. */
  startOver(): void {
    this.earlier = 0;
  }

  loaded(rows: number): void {
    this.earlier = Math.min(mostEarlier, this.earlier + rows);
  }

  /** Makes the next snapshot include this message, if it is still shown. */
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

import type { QueuedPrompt } from '../transcript/session';

/** The queued prompts for whose sake a running turn was stopped: each is next although that turn was cut off. Known to this process alone, so
 *  that after a crash they wait for the person as every other queued prompt does. */
export class TakeOvers {
  private readonly uids = new Map<string, readonly string[]>();

  of(conversationId: string): readonly string[] {
    return this.uids.get(conversationId) ?? [];
  }

  add(conversationId: string, uid: string): void {
    this.uids.set(conversationId, [...this.of(conversationId), uid]);
  }

  clear(conversationId: string): void {
    this.uids.delete(conversationId);
  }

  /** The one whose turn it is, which then counts no more; undefined when none of them is queued. */
  takeFrom(queue: readonly QueuedPrompt[], conversationId: string): QueuedPrompt | undefined {
    const [next, ...rest] = this.of(conversationId).flatMap((uid) => queue.filter((prompt) => prompt.uid === uid));
    if (rest.length === 0) this.clear(conversationId);
    else
      this.uids.set(
        conversationId,
        rest.map(({ uid }) => uid),
      );
    return next;
  }
}

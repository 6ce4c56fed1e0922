import type { QueuedPrompt } from '../transcript/session';

/** The queued prompts for which a running turn was stopped. Each is next, although that turn was cut off. Kept only
 *  in this process, so after a crash they wait for the user like any other queued prompt. */
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

  /** Removes and returns the next one. Undefined when none of them is queued. */
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

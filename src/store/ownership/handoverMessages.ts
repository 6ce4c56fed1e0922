import * as v from 'valibot';

/** What a newcomer asks the owner of a store over the owner's socket, and what it hears. One JSON object per line. Another build of the
 *  extension may be on the other side: fields are only ever added, and an owner that does not know an ask refuses it. */
export const askSchema = v.object({
  v: v.literal(1),
  /** From the lock file, which only the same user can read. */
  token: v.string(),
  /** handOver: now, unless a turn runs · wait: as soon as no turn runs · stop: stop the running turn, then hand over. */
  ask: v.picklist(['handOver', 'wait', 'stop']),
});
export type HandoverAsk = v.InferOutput<typeof askSchema>;

export const answerSchema = v.variant('answer', [
  /** The store is closed and its lock is gone. */
  v.object({ answer: v.literal('released') }),
  /** Heard; the owner is closing. Sent at once, so that a slow disk is told from a stopped process. */
  v.object({ answer: v.literal('closing') }),
  /** A turn runs. The newcomer may keep the line open and ask `wait` or `stop`; it hears `released` when that came about. */
  v.object({ answer: v.literal('busy'), sessionTitle: v.nullable(v.string()) }),
  v.object({ answer: v.literal('refused'), reason: v.string() }),
]);
export type HandoverAnswer = v.InferOutput<typeof answerSchema>;

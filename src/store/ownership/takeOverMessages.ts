import * as v from 'valibot';

/** The request of another window to the owner of a store over the owner's socket, and the answers. One JSON object
 *  per line. Another build of the extension may be on the other side: an owner refuses an unknown request. */
export const askSchema = v.object({
  v: v.literal(1),
  /** Token from the lock file, which only the same user can read. */
  token: v.string(),
  /** stop: the user pressed Take Over. handOver: a window merely starts or reads; the owner refuses unless its own
   *  page is gone. Earlier builds also ask `wait`: they are told that the owner is busy. */
  ask: v.picklist(['handOver', 'wait', 'stop']),
});
export type TakeOverAsk = v.InferOutput<typeof askSchema>;

export const answerSchema = v.variant('answer', [
  /** The store is closed and its lock is removed. */
  v.object({ answer: v.literal('released') }),
  /** The work is settled, and the owner is closing. */
  v.object({ answer: v.literal('closing') }),
  /** The owner lives. Sent at once, so that work which takes long can be distinguished from a stopped process. */
  v.object({ answer: v.literal('busy'), sessionTitle: v.nullable(v.string()) }),
  v.object({ answer: v.literal('refused'), reason: v.string() }),
]);
export type TakeOverAnswer = v.InferOutput<typeof answerSchema>;

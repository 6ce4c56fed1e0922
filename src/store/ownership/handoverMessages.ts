import * as v from 'valibot';

/** Requests of another window to the owner of a store over the owner's socket, and the responses. One JSON object
 *  per line. Another build of the extension may be on the other side: fields are only ever added, and an owner
 *  refuses an unknown request. */
export const askSchema = v.object({
  v: v.literal(1),
  /** Token from the lock file, which only the same user can read. */
  token: v.string(),
  /** handOver: now, unless a turn is running · wait: as soon as no turn is running · stop: stop the running turn,
   *  then hand over. */
  ask: v.picklist(['handOver', 'wait', 'stop']),
});
export type HandoverAsk = v.InferOutput<typeof askSchema>;

export const answerSchema = v.variant('answer', [
  /** The store is closed and its lock is removed. */
  v.object({ answer: v.literal('released') }),
  /** The request was received and the owner is closing. Sent at once, so that a slow disk can be distinguished from
   *  a stopped process. */
  v.object({ answer: v.literal('closing') }),
  /** A turn is running. The requester may keep the connection open and send `wait` or `stop`; it gets `released`
   *  once the store is free. */
  v.object({ answer: v.literal('busy'), sessionTitle: v.nullable(v.string()) }),
  v.object({ answer: v.literal('refused'), reason: v.string() }),
]);
export type HandoverAnswer = v.InferOutput<typeof answerSchema>;

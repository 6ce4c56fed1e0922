/** What becomes of a prompt that is sent while an answer is being written. queue: it waits its turn · interrupt: the answer is stopped and the
 *  prompt is next · steer: the running turn is told of it before its next request. */
export const busyModes = ['queue', 'interrupt', 'steer'] as const;
export type BusyMode = (typeof busyModes)[number];

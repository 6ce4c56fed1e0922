/** Handling of a prompt that the user sends during a response. queue: it waits. interrupt: the response is stopped
 *  and the prompt runs next. steer: the running turn gets it before its next request. */
export const busyModes = ['queue', 'interrupt', 'steer'] as const;
export type BusyMode = (typeof busyModes)[number];

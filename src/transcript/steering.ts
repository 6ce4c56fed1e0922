import type { Message } from './message';

/** Handling of a prompt that the user sends during a response. queue: it waits. interrupt: the response is stopped
 *  and the prompt runs next. steer: the running turn gets it before its next request. */
export const busyModes = ['queue', 'interrupt', 'steer'] as const;
export type BusyMode = (typeof busyModes)[number];

/** True when the row at `index` is steering: text that the user sent to a running turn between two of its requests.
 *  It follows tool results of its own turn, directly or after other steering. A prompt never does, because a settled
 *  turn ends with an answer. */
export function isSteering(messages: readonly Message[], index: number): boolean {
  const row = messages[index];
  if (row?.role !== 'user' || row.turnUid === null) return false;
  let before = index - 1;
  while (messages[before]?.role === 'user' && messages[before]?.turnUid === row.turnUid) before--;
  return messages[before]?.role === 'tool' && messages[before]?.turnUid === row.turnUid;
}

/** Steering text for a model: at the end of the tool result before it, because strict chat templates reject a user
 *  message there. */
export function steeringText(text: string): string {
  return (
    "(The following is not part of the tool's output. The person wrote it while you were working; take it into " +
    `account from here on.)\n${text}`
  );
}

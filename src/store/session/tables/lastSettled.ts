/** SQL for the time at which the newest settled turn of a conversation was settled. Newest by number: times may come
 *  from wrong clocks. */
export function lastSettled(conversation: string): string {
  return `(SELECT t.settled_at FROM turns t WHERE t.conversation_id = ${conversation} AND t.state = 'settled' ORDER BY t.id DESC LIMIT 1)`;
}

/** SQL for when the newest settled turn of a conversation was settled. Newest by its number: times come from clocks that may have been wrong. */
export function lastSettled(conversation: string): string {
  return `(SELECT t.settled_at FROM turns t WHERE t.conversation_id = ${conversation} AND t.state = 'settled' ORDER BY t.id DESC LIMIT 1)`;
}

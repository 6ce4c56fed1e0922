import { isHandoff } from '../../src/transcript/handoff';
import type { Message } from '../../src/transcript/message';
import type { WireMessage } from '../../src/transcript/wireMessage';

/** What every provider asks of a stored history, in the words of the tests: calls answered right behind, no stray results, no two prompts in
 *  a row, nothing blank, an answer at the end. Returns what is wrong. */
export function historyFaults(messages: readonly Message[]): readonly string[] {
  const found: string[] = [];
  let open = new Set<string>();
  let previous: Message | null = null;
  for (const message of messages) {
    if (message.role === 'tool') {
      const [{ callId }] = message.parts;
      if (!open.delete(callId)) found.push(`stray result ${callId}`);
    } else {
      if (open.size > 0) found.push(`unanswered before ${message.uid}`);
      // What a person tells a turn while it runs is sent with the results ahead of it, however much it is.
      const isSteering = message.turnUid !== null && message.turnUid === previous?.turnUid;
      if (message.role === 'user' && previous?.role === 'user' && !isSteering)
        found.push(`two prompts at ${message.uid}`);
      open = new Set(message.parts.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : [])));
      if (message.role === 'assistant' && message.parts.every((part) => part.kind !== 'toolCall' && part.text === ''))
        found.push(`blank ${message.uid}`);
    }
    previous = message;
  }
  if (open.size > 0) found.push('unanswered at the end');
  if (previous !== null && previous.role !== 'assistant') found.push(`ends with ${previous.role}`);
  return found;
}

/** Rows of a segment as the rules above take them: a handoff is sent with the prompt behind it, as one message, and before an answer it
 *  stands for the prompt. */
export function withoutHandoff(rows: readonly Message[]): readonly Message[] {
  return rows[0] !== undefined && isHandoff(rows[0]) && rows[1]?.role !== 'assistant' ? rows.slice(1) : rows;
}

/** The same of what is sent: begins with a prompt, roles alternate, every call has its result in the next message, and the model is asked
 *  something at the end. */
export function wireFaults(messages: readonly WireMessage[]): readonly string[] {
  const found: string[] = [];
  if (messages[0]?.role !== 'user') found.push('does not begin with a prompt');
  if (messages.at(-1)?.role === 'assistant') found.push('ends with an answer');
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    if (before?.role === message.role) found.push(`two ${message.role} messages at ${index}`);
    const calls =
      before?.role === 'assistant'
        ? before.content.flatMap((part) => (part.kind === 'toolCall' ? [part.callId] : []))
        : [];
    const results = message.role === 'tool' ? message.results.map((result) => result.callId) : [];
    if (calls.join() !== results.join()) found.push(`calls ${calls.join()} are followed by results ${results.join()}`);
    const content = message.role === 'tool' ? message.results : message.content;
    if (content.length === 0) found.push(`empty message at ${index}`);
    if (message.role !== 'tool' && message.content.some((part) => part.kind === 'text' && part.text.trim() === ''))
      found.push(`blank text at ${index}`);
  }
  return found;
}

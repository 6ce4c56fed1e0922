import type { ThinkingPart } from '../transcript/part';
import type { StopReason } from '../transcript/stopReason';
import type { WireMessage } from '../transcript/wireMessage';

/** Notes that a request may carry in addition to the transcript. Sent, never stored, never shown. */
export const wireNotes = {
  budgetSpent: '(No further tool calls are possible in this turn. Say what you found, what is done and what is left.)',
  cutAtLimit:
    '(Your answer was cut off at the output limit. Go on exactly where it stopped: repeat nothing, and say ' +
    'nothing about the interruption.)',
  brokenOff:
    '(The connection broke while your answer was being sent. What arrived of it is above. Go on exactly where it ' +
    'stops: repeat nothing, and say nothing about the interruption.)',
  callCutAtLimit:
    '(Your answer reached the output limit while a tool call was being written. That call was not run. Make it ' +
    'again with less in it, or go on without it.)',
  resultsWaiting: '(The results of your tool calls are above. Go on from them: call another tool, or answer.)',
  planMode:
    '(Plan mode: look around as much as you need, and change nothing; tools that could change something are ' +
    'refused. When you know what to do, present your plan, with exit_plan_mode where you have that tool. The ' +
    'person decides whether it is carried out.)',
  onlyThought: '(You ended after thinking, without an answer. Give the answer now.)',
} as const;

/** Adds a note to the end of a wire copy. Appends it to the last message: strict chat templates refuse two user
 *  messages in a row, and a user message right after a tool result. */
export function withNote(messages: readonly WireMessage[], note: string): readonly WireMessage[] {
  const last = messages.at(-1);
  const before = messages.slice(0, -1);
  if (last === undefined || last.role === 'assistant')
    return [...messages, { role: 'user', content: [{ kind: 'text', text: note }] }];
  if (last.role === 'user') return [...before, withTextAfter(last, note)];
  const results = last.results.map((result, index) =>
    index === last.results.length - 1 ? { ...result, text: `${result.text}\n\n${note}` } : result,
  );
  return [...before, { role: 'tool', results }];
}

/** Builds the request that asks a model to continue an answer that was cut off. The delivered text becomes an
 *  assistant message, after the thinking that services need back with it. */
export function goingOn(
  messages: readonly WireMessage[],
  thought: readonly ThinkingPart[],
  delivered: string,
  note: string,
): readonly WireMessage[] {
  if (delivered.trim() === '') return withNote(messages, note);
  return withNote([...messages, { role: 'assistant', content: [...thought, { kind: 'text', text: delivered }] }], note);
}

/** Puts a note before the newest prompt. It stays in the same place for the whole turn, so the request's cached
 *  beginning stays valid. */
export function beforePrompt(messages: readonly WireMessage[], note: string): readonly WireMessage[] {
  const index = messages.findLastIndex((message) => message.role === 'user');
  return messages.map((message, at) =>
    at === index && message.role === 'user' ? withTextBefore(message, note) : message,
  );
}

type WireUser = Extract<WireMessage, { readonly role: 'user' }>;

function withTextAfter(message: WireUser, note: string): WireUser {
  const last = message.content.at(-1);
  if (last?.kind !== 'text') return { role: 'user', content: [...message.content, { kind: 'text', text: note }] };
  return {
    role: 'user',
    content: [...message.content.slice(0, -1), { kind: 'text', text: `${last.text}\n\n${note}` }],
  };
}

function withTextBefore(message: WireUser, note: string): WireUser {
  const first = message.content[0];
  if (first?.kind !== 'text') return { role: 'user', content: [{ kind: 'text', text: note }, ...message.content] };
  return { role: 'user', content: [{ kind: 'text', text: `${note}\n\n${first.text}` }, ...message.content.slice(1)] };
}

/** Returns the note before a prompt that follows an answer that was cut off (hermes-agent#4493: the next prompt
 *  silently abandons the work). */
export function interruptionNote(reason: StopReason): string {
  return (
    `(Your previous turn ${howItEnded(reason)}, so its answer may be incomplete, and a tool it had called may have ` +
    'run without a result on record. Answer the message below; take the earlier work up again only where it asks ' +
    'for that.)'
  );
}

function howItEnded(reason: StopReason): string {
  switch (reason) {
    case 'user':
      return 'was stopped by the person';
    case 'newPrompt':
      return 'was stopped in favour of this message';
    case 'windowClosed':
      return 'ended when the window was closed';
    case 'crash':
      return 'ended when the program ended unexpectedly';
    case 'spendingLimit':
      return 'was paused at the spending limit of the session';
    default:
      return 'ended when the connection was lost';
  }
}

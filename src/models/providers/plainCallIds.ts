import type { WireMessage } from '../../transcript/wireMessage';

/** Returns the messages with call ids of letters, digits, `_` and `-` only. Other services use ids such as
 *  `functions.read_file:0`, or two names in one (`call|item`), and a session that began there may continue at a
 *  service that refuses them. The same id always gives the same result, so a call and its result stay a pair and a
 *  provider's prompt cache stays valid. */
export function withPlainCallIds(messages: readonly WireMessage[]): readonly WireMessage[] {
  return messages.map((message): WireMessage => {
    switch (message.role) {
      case 'user':
        return message;
      case 'assistant':
        return {
          ...message,
          content: message.content.map((part) =>
            part.kind === 'toolCall' ? { ...part, callId: plain(part.callId) } : part,
          ),
        };
      case 'tool':
        return { ...message, results: message.results.map((result) => ({ ...result, callId: plain(result.callId) })) };
    }
  });
}

function plain(callId: string): string {
  return callId.replace(/[^A-Za-z0-9_-]/gu, (character) => `_${(character.codePointAt(0) ?? 0).toString(16)}`);
}

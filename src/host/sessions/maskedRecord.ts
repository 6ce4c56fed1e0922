import { maskSecrets } from '../../models/secrecy/secrecy';
import type { JsonValue } from '../../transcript/json';
import type { Message } from '../../transcript/message';
import type { AssistantPart, ToolResultPart, UserPart } from '../../transcript/part';
import type { Session } from '../../transcript/session';
import type { Turn } from '../../transcript/turn';

// Masks credentials, because an export is made to be shared. Masks each text separately: in the finished JSON, a mask
// could swallow quotes. Stored data stays unchanged.

export function maskedSession(session: Session): Session {
  return session.title === null ? session : { ...session, title: maskSecrets(session.title) };
}

export function maskedMessage(message: Message): Message {
  switch (message.role) {
    case 'user':
      return { ...message, parts: message.parts.map(userPart) };
    case 'assistant':
      return { ...message, parts: message.parts.map(assistantPart) };
    case 'tool':
      return { ...message, parts: [resultPart(message.parts[0])] };
    default:
      return message satisfies never;
  }
}

export function maskedTurn(turn: Turn): Turn {
  if (turn.state !== 'settled' || turn.failure === null) return turn;
  const { sentence, technical } = turn.failure;
  return { ...turn, failure: { ...turn.failure, sentence: maskSecrets(sentence), technical: maskSecrets(technical) } };
}

function userPart(part: UserPart): UserPart {
  // Image data is not text: a token-like piece of its base64 is no token.
  return part.kind === 'image' ? part : { ...part, text: maskSecrets(part.text) };
}

function assistantPart(part: AssistantPart): AssistantPart {
  return part.kind === 'toolCall'
    ? { ...part, arguments: maskSecrets(part.arguments) }
    : { ...part, text: maskSecrets(part.text) };
}

function resultPart(part: ToolResultPart): ToolResultPart {
  return {
    ...part,
    text: maskSecrets(part.text),
    ...(part.details === undefined ? {} : { details: maskedJson(part.details) }),
  };
}

function maskedJson(value: JsonValue): JsonValue {
  if (typeof value === 'string') return maskSecrets(value);
  if (Array.isArray(value)) return value.map(maskedJson);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, maskedJson(entry)]));
}

import { maskSecrets } from '../../../../../models/secrecy/secrecy';
import type { JsonValue } from '../../../../../transcript/json';
import type { Message } from '../../../../../transcript/message';
import type { AssistantPart, ToolResultPart, UserPart } from '../../../../../transcript/part';
import type { Session } from '../../../../../transcript/session';
import type { Turn } from '../../../../../transcript/turn';

// Masks credentials, because an export is made to be shared. Masks each text separately: in the finished JSON, a mask
// could swallow quotes. Stored data stays unchanged.

type Mask = (text: string) => string;

export function maskedSession(session: Session, mask: Mask = maskSecrets): Session {
  return session.title === null ? session : { ...session, title: mask(session.title) };
}

export function maskedMessage(message: Message, mask: Mask = maskSecrets): Message {
  switch (message.role) {
    case 'user':
      return { ...message, parts: message.parts.map((part) => userPart(part, mask)) };
    case 'assistant':
      return { ...message, parts: message.parts.map((part) => assistantPart(part, mask)) };
    case 'tool':
      return { ...message, parts: [resultPart(message.parts[0], mask)] };
    default:
      return message satisfies never;
  }
}

export function maskedTurn(turn: Turn, mask: Mask = maskSecrets): Turn {
  if (turn.state !== 'settled' || turn.failure === null) return turn;
  const { sentence, technical } = turn.failure;
  return { ...turn, failure: { ...turn.failure, sentence: mask(sentence), technical: mask(technical) } };
}

function userPart(part: UserPart, mask: Mask): UserPart {
  // Image data is not text: a token-like piece of its base64 is no token.
  return part.kind === 'image' ? part : { ...part, text: mask(part.text) };
}

function assistantPart(part: AssistantPart, mask: Mask): AssistantPart {
  if (part.kind === 'toolCall') return { ...part, arguments: mask(part.arguments) };
  const masked = { ...part, text: mask(part.text) };
  if (part.metadata === undefined) return masked;
  // A provider's data repeats the text: a changed copy of it is worth nothing, an unchanged one would hold the secret.
  const data = JSON.stringify(part.metadata);
  if (masked.text === part.text && mask(data) === data) return masked;
  const { metadata: _, ...bare } = masked;
  return bare;
}

function resultPart(part: ToolResultPart, mask: Mask): ToolResultPart {
  return {
    ...part,
    text: mask(part.text),
    ...(part.details === undefined ? {} : { details: maskedJson(part.details, mask) }),
  };
}

/** `kept`: keys whose values stay as they are. */
export function maskedJson(value: JsonValue, mask: Mask, kept: ReadonlySet<string> = new Set()): JsonValue {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((entry) => maskedJson(entry, mask, kept));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [key, kept.has(key) ? entry : maskedJson(entry, mask, kept)]),
  );
}

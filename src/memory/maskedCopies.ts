import { maskSecrets } from '../models/secrecy/secrecy';
import type { Message } from '../transcript/message';
import type { AssistantPart, ToolResultPart, UserPart } from '../transcript/part';
import { withoutFences } from './recallText';

// Copies for providers: possible secrets are masked and recalled text is removed. The originals stay unchanged
// (hermes-agent#115104). Provider metadata and data for surfaces are not copied.

/** Returns text in the form that a provider may receive. */
export function masked(text: string): string {
  return maskSecrets(withoutFences(text));
}

/** Copy whose fields with these names are masked, if they are text. */
export function maskedCopy<T extends object>(value: T, ...names: readonly (string & keyof T)[]): T {
  const fields = Object.entries(value).map(([name, text]: [string, unknown]) => [
    name,
    typeof text === 'string' && names.some((each) => each === name) ? masked(text) : text,
  ]);
  return { ...value, ...Object.fromEntries(fields) };
}

export function maskedMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message): Message => {
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
  });
}

/** Masks the arguments of a call, whatever their shape. */
export function maskedInput(input: unknown): unknown {
  if (typeof input === 'string') return maskSecrets(input);
  if (Array.isArray(input)) return input.map(maskedInput);
  if (typeof input !== 'object' || input === null) return input;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, maskedInput(value)]));
}

function userPart(part: UserPart): UserPart {
  return part.kind === 'text' ? { kind: 'text', text: masked(part.text) } : { ...part };
}

function assistantPart(part: AssistantPart): AssistantPart {
  if (part.kind === 'toolCall')
    return { kind: 'toolCall', callId: part.callId, name: part.name, arguments: maskSecrets(part.arguments) };
  return { kind: part.kind, text: masked(part.text) };
}

function resultPart({ callId, name, outcome, text }: ToolResultPart): ToolResultPart {
  return { kind: 'toolResult', callId, name, outcome, text: maskSecrets(text) };
}

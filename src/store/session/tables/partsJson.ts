import { parsedAs } from '../../../transcript/json';
import * as v from 'valibot';
import type { DraftPart, SentPart } from '../../../transcript/draftPart';
import type { Role } from '../../../transcript/message';
import {
  attachmentPart,
  imagePart,
  textPart,
  thinkingPart,
  toolCallPart,
  toolResultPart,
  type AssistantPart,
  type Part,
  type ToolResultPart,
  type UserPart,
} from '../../../transcript/part';

/** Parts that a message of each role may hold. */
export type RoleParts =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly parts: readonly [ToolResultPart] };

export const userParts = v.array(v.variant('kind', [textPart, imagePart, attachmentPart]));
export const assistantParts = v.array(v.variant('kind', [textPart, thinkingPart, toolCallPart]));
export const toolParts = v.tuple([toolResultPart]);

const mention = v.object({ kind: v.literal('mention'), source: v.string(), label: v.string() });
const sent = v.array(v.variant('kind', [imagePart, attachmentPart]));
const draft = v.array(v.variant('kind', [mention, imagePart, attachmentPart]));

/** The `parts` column. JSON escapes a lone surrogate, so the model's text is restored exactly, unlike from a plain
 *  TEXT column. */
export function encodeParts(parts: readonly Part[]): string {
  return JSON.stringify(parts);
}

/** Stored parts, or null when the text is not valid for a message of this role. */
export function decodeParts(role: Role, stored: string): RoleParts | null {
  switch (role) {
    case 'user':
      return withRole(role, parsedAs(userParts, stored));
    case 'assistant':
      return withRole(role, parsedAs(assistantParts, stored));
    case 'tool':
      return withRole(role, parsedAs(toolParts, stored));
  }
}

function withRole<R extends Role, P>(role: R, parts: P | null): { readonly role: R; readonly parts: P } | null {
  return parts === null ? null : { role, parts };
}

/** The `parts` column of `queue` and `drafts`; null when there are no parts. */
export function encodeAlong(parts: readonly DraftPart[]): string | null {
  return parts.length === 0 ? null : JSON.stringify(parts);
}

/** Attachments of a queued prompt. A prompt with unreadable parts is sent without them: its text is what the user
 *  wrote. */
export function decodeSent(stored: string | null): readonly SentPart[] {
  return parsedAs(sent, stored) ?? [];
}

export function decodeDraft(stored: string | null): readonly DraftPart[] {
  return parsedAs(draft, stored) ?? [];
}

const wireCalls = v.array(
  v.object({ id: v.string(), function: v.object({ name: v.string(), arguments: v.string() }) }),
);

/** The derived `tool_calls` column: an OpenAI-style list, as Hermes stores it; null without calls. */
export function encodeToolCalls(parts: readonly Part[]): string | null {
  const calls = parts.flatMap((part) =>
    part.kind === 'toolCall'
      ? [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } }]
      : [],
  );
  return calls.length === 0 ? null : JSON.stringify(calls);
}

/** Calls from the derived column, for a row whose `parts` cannot be read. */
export function decodeToolCalls(stored: string): readonly AssistantPart[] {
  return (parsedAs(wireCalls, stored) ?? []).map((call) => ({
    kind: 'toolCall',
    callId: call.id,
    name: call.function.name,
    arguments: call.function.arguments,
  }));
}

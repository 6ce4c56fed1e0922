import { isJsonObject } from '../../transcript/json';
import type { ProviderMetadata } from '../../transcript/part';
import type { WireAssistantContent, WireMessage } from '../../transcript/wireMessage';

/** Key of our own metadata for parts that came over the OpenAI protocol. */
export const metadataKey = 'endpoint';

/** Replaces required reasoning that does not exist. A space, because DeepSeek V4 Pro refuses an empty text if the
 *  answer had none (hermes-agent#18263), and because no model could take it for its own words. */
const noReasoning = ' ';

/** Returns metadata for thinking that goes back in the field `reasoning_content`. `always`: also when no tool was
 *  called. */
export function inReasoningField(always = false): ProviderMetadata {
  return { [metadataKey]: { field: 'reasoning_content', ...(always ? { always } : {}) } };
}

/** Returns the text of an answer's `reasoning_content`, "" included. Null when it came without the field. `near`:
 *  true when this answer, or another one between the same two prompts, called a tool. */
export function reasoningContent(content: readonly WireAssistantContent[], near: boolean): string | null {
  const parts = content.filter((part) => {
    const ours = part.kind === 'thinking' ? part.metadata?.[metadataKey] : undefined;
    return isJsonObject(ours) && ours['field'] === 'reasoning_content' && (near || ours['always'] === true);
  });
  return parts.length === 0 ? null : parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('');
}

/** True when an answer with a tool call would be sent without any reasoning. */
export function lacksReasoning(message: WireMessage): boolean {
  return (
    message.role === 'assistant' &&
    message.content.some((part) => part.kind === 'toolCall') &&
    (reasoningContent(message.content, true) ?? '').trim() === ''
  );
}

/** Returns the message with reasoning that every service accepts as its own: the known reasoning, or else a
 *  placeholder. Services that require it on Anthropic's protocol sign nothing, so an empty signature is added if
 *  there is none. */
export function withReasoning(message: WireMessage): WireMessage {
  if (message.role !== 'assistant') return message;
  const thinking = message.content.flatMap((part) =>
    part.kind === 'thinking' && part.text.trim() !== '' ? [part] : [],
  );
  const known = thinking.length > 0 ? thinking : [{ kind: 'thinking' as const, text: noReasoning }];
  const marked = known.map((part) => ({
    ...part,
    metadata: { anthropic: { signature: '' }, ...('metadata' in part ? part.metadata : {}), ...inReasoningField(true) },
  }));
  return { role: 'assistant', content: [...marked, ...message.content.filter((part) => part.kind !== 'thinking')] };
}

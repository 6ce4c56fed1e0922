import type { JsonObject, JsonValue } from '../../transcript/json';
import type { ProviderMetadata } from '../../transcript/part';
import type { WireAssistantContent, WireMessage } from '../../transcript/wireMessage';

/** Key of our own metadata for parts that came over the OpenAI protocol. */
export const metadataKey = 'endpoint';

/** Stands for reasoning that a service asks for and nobody has. A space, because DeepSeek V4 Pro refuses an empty text where none was given
 *  (hermes-agent#18263), and nothing that a model could take for words of its own. */
const noReasoning = ' ';

/** Metadata of thinking that goes back in the field `reasoning_content`. `always`: also where no call was made. */
export function inReasoningField(always = false): ProviderMetadata {
  return { [metadataKey]: { field: 'reasoning_content', ...(always ? { always } : {}) } };
}

/** The text of an answer's `reasoning_content`, "" included; null where it came without the field. `near`: whether it called, or stands
 *  between two prompts with an answer that did. */
export function reasoningContent(content: readonly WireAssistantContent[], near: boolean): string | null {
  const parts = content.filter((part) => {
    const ours = part.kind === 'thinking' ? part.metadata?.[metadataKey] : undefined;
    return isObject(ours) && ours['field'] === 'reasoning_content' && (near || ours['always'] === true);
  });
  return parts.length === 0 ? null : parts.map((part) => (part.kind === 'thinking' ? part.text : '')).join('');
}

/** Whether an answer that called would be sent without a word of reasoning. */
export function lacksReasoning(message: WireMessage): boolean {
  return (
    message.role === 'assistant' &&
    message.content.some((part) => part.kind === 'toolCall') &&
    (reasoningContent(message.content, true) ?? '').trim() === ''
  );
}

/** The message with reasoning that every service takes for its own: what is known of it, else a stand-in. On Anthropic's protocol services that
 *  ask for it sign nothing, so an empty signature is added where there is none. */
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

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

import * as v from 'valibot';
import type { SqlValue } from '../../../../../store/engine/sqlDatabase';
import type { Message } from '../../../../../transcript/message';
import type { ImagePart, Part, ThinkingPart } from '../../../../../transcript/part';

export type Columns = Readonly<Record<string, SqlValue>>;

/** Marks content that is JSON and no plain text. */
const jsonMark = '\0json:';
/** Begins a summary. Versions of Hermes Agent without the column `_compressed_summary` know it by this alone. */
const summaryMark = '[CONTEXT SUMMARY]:';

/** Details of OpenRouter are the only ones that Hermes' column holds. */
const openrouterDetails = v.object({ openrouter: v.object({ reasoning_details: v.array(v.unknown()) }) });

/** Columns of a row of `messages`, without its session. A row that the user took back is neither active nor compacted;
 *  one that a summary replaced within its session is compacted. */
export function hermesRow(message: Message): Columns {
  const { visibility } = message;
  const isSummary = visibility.kind === 'handoff';
  const isCompacted = visibility.kind === 'hidden' && visibility.reason === 'compressed';
  const content = contentOf(message);
  return {
    role: message.role,
    content: isSummary ? `${summaryMark}\n${content}` : content,
    ...columnsOf(message),
    timestamp: message.createdAt,
    _compressed_summary: isSummary ? 1 : 0,
    active: visibility.kind === 'hidden' ? 0 : 1,
    compacted: isCompacted ? 1 : 0,
  };
}

function columnsOf(message: Message): Columns {
  switch (message.role) {
    case 'user':
      return {};
    case 'tool': {
      const [{ callId, name }] = message.parts;
      return { tool_call_id: callId, tool_name: name };
    }
    case 'assistant': {
      const thoughts = message.parts.filter((part) => part.kind === 'thinking');
      const thinking = thoughts.map(({ text }) => text).join('\n\n');
      const calls = message.parts.flatMap((part) =>
        part.kind === 'toolCall'
          ? [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } }]
          : [],
      );
      return {
        reasoning: thinking === '' ? null : thinking,
        reasoning_content: thinking === '' ? null : thinking,
        reasoning_details: detailsOf(thoughts),
        tool_calls: calls.length === 0 ? null : JSON.stringify(calls),
        finish_reason: message.finishReason,
        token_count: message.usage?.outputTokens ?? null,
      };
    }
    default:
      return message satisfies never;
  }
}

function detailsOf(thoughts: readonly ThinkingPart[]): string | null {
  const details = thoughts.flatMap(({ metadata }) => {
    const held = v.safeParse(openrouterDetails, metadata);
    return held.success ? held.output.openrouter.reasoning_details : [];
  });
  return details.length === 0 ? null : JSON.stringify(details);
}

function contentOf({ parts: all }: Message): string {
  const parts: readonly Part[] = all.flatMap((part): readonly Part[] =>
    part.kind === 'toolResult' ? [{ kind: 'text', text: part.text }, ...(part.images ?? [])] : [part],
  );
  const texts = parts.flatMap((part) =>
    part.kind === 'text' ? [part.text] : part.kind === 'attachment' ? [`${part.label}\n\n${part.text}`] : [],
  );
  const images = parts.filter((part): part is ImagePart => part.kind === 'image');
  if (images.length === 0) return texts.join('\n');
  return `${jsonMark}${JSON.stringify([
    ...texts.map((text) => ({ type: 'text', text })),
    ...images.map(({ mediaType, dataBase64 }) => ({
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${dataBase64}` },
    })),
  ])}`;
}

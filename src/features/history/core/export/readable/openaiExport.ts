import type { Message } from '../../../../../transcript/message';
import type { ImagePart, UserPart } from '../../../../../transcript/part';
import type { ExportedSession } from '../../../../../transcript/readable/transcriptExport';

/** Renders a conversation as one line of JSON with messages of OpenAI's chat completions. Thinking is in
 *  `reasoning_content`. A tool's images follow its results as a message of the user, because a result holds only text.
 *  Hidden messages are left out: the API has no place for them. */
export function openaiLine({ session, messages }: ExportedSession): string {
  const shown = messages.filter(({ visibility }) => visibility.kind !== 'hidden');
  const list: object[] = [];
  let images: readonly ImagePart[] = [];
  for (const message of shown) {
    if (message.role !== 'tool' && images.length > 0) list.push(imageMessage(images));
    if (message.role !== 'tool') images = [];
    else images = [...images, ...(message.parts[0].images ?? [])];
    list.push(...openaiMessage(message));
  }
  if (images.length > 0) list.push(imageMessage(images));
  return JSON.stringify({
    id: session.id,
    title: session.title,
    model: session.model,
    created_at: session.startedAt,
    messages: list,
  });
}

function openaiMessage(message: Message): readonly object[] {
  switch (message.role) {
    case 'user':
      return message.parts.length === 0 ? [] : [{ role: 'user', content: userContent(message.parts) }];
    case 'tool':
      return [{ role: 'tool', tool_call_id: message.parts[0].callId, content: message.parts[0].text }];
    case 'assistant': {
      const text = message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('');
      const thinking = message.parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : [])).join('\n\n');
      const calls = message.parts.flatMap((part) =>
        part.kind === 'toolCall'
          ? [{ id: part.callId, type: 'function', function: { name: part.name, arguments: part.arguments } }]
          : [],
      );
      if (text === '' && thinking === '' && calls.length === 0) return [];
      return [
        {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          ...(thinking === '' ? {} : { reasoning_content: thinking }),
          ...(calls.length === 0 ? {} : { tool_calls: calls }),
        },
      ];
    }
    default:
      return message satisfies never;
  }
}

function userContent(parts: readonly UserPart[]): string | readonly object[] {
  const [only] = parts;
  if (parts.length === 1 && only?.kind === 'text') return only.text;
  return parts.map((part) => {
    switch (part.kind) {
      case 'text':
        return { type: 'text', text: part.text };
      case 'attachment':
        return { type: 'text', text: `${part.label}\n\n${part.text}` };
      case 'image':
        return imageContent(part);
      default:
        return part satisfies never;
    }
  });
}

function imageMessage(images: readonly ImagePart[]): object {
  return { role: 'user', content: images.map(imageContent) };
}

function imageContent({ mediaType, dataBase64 }: ImagePart): object {
  return { type: 'image_url', image_url: { url: `data:${mediaType};base64,${dataBase64}` } };
}

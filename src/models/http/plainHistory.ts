import type { WireAssistantContent, WireMessage, WireToolResult } from '../../transcript/wireMessage';
import { imagesOf, leftOut } from './wireContract';

/** Returns these messages as text that takes turns between user and model, which every service accepts: no calls, no
 *  pictures, no thinking and no data of a provider. Two messages of one role are joined. */
export function plainHistory(messages: readonly WireMessage[]): readonly WireMessage[] {
  const plain: (WireMessage & { readonly role: 'user' | 'assistant' })[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const text = textOf(message).join('\n\n');
    const content = [{ kind: 'text' as const, text: text.trim() === '' ? leftOut.nothing : text }];
    const last = plain.at(-1);
    if (last?.role === role) plain[plain.length - 1] = { role, content: [...textsIn(last), ...content] };
    else plain.push({ role, content });
  }
  return plain;
}

function textsIn({ content }: WireMessage & { readonly role: 'user' | 'assistant' }) {
  return content.flatMap((part) => (part.kind === 'text' ? [{ kind: part.kind, text: part.text }] : []));
}

function textOf(message: WireMessage): readonly string[] {
  switch (message.role) {
    case 'user':
      return [
        ...message.content.flatMap((part) => (part.kind === 'text' ? [part.text] : [])),
        ...imagesOf(message).map(() => leftOut.image),
      ];
    case 'assistant':
      return message.content.flatMap(answerText);
    case 'tool':
      return message.results.map(resultText);
    default:
      return message satisfies never;
  }
}

function answerText(part: WireAssistantContent): readonly string[] {
  switch (part.kind) {
    case 'text':
      return [part.text];
    case 'thinking':
      return [];
    case 'toolCall':
      return [`(Called the tool ${part.name} with ${JSON.stringify(part.arguments)}.)`];
    default:
      return part satisfies never;
  }
}

function resultText({ name, text, isError, images = [] }: WireToolResult): string {
  return [`(Result of ${name}${isError ? ', which failed' : ''}:)\n${text}`, ...images.map(() => leftOut.image)].join(
    '\n\n',
  );
}

import type { Message } from './message';
import type { Part } from './part';

/** Searchable text of a stored row, including thinking, arguments, results, and attachments. */
function storedText(parts: readonly Part[]): string {
  return parts.map(partText).join('\n');
}

/** True when a row contains the text. */
export function holdsText(parts: readonly Part[], text: string, matchCase: boolean): boolean {
  const stored = storedText(parts);
  return matchCase ? stored.includes(text) : stored.toLocaleLowerCase().includes(text.toLocaleLowerCase());
}

/** True when a result was created because its call had none, by a repair or when its turn was closed. */
export function isMadeUpResult(message: Message): boolean {
  return message.role === 'tool' && message.uid.endsWith(`/result/${message.parts[0].callId}`);
}

function partText(part: Part): string {
  switch (part.kind) {
    case 'text':
    case 'thinking':
      return part.text;
    case 'toolCall':
      return `${part.name} ${part.arguments}`;
    case 'toolResult':
      return `${part.name} ${part.text}`;
    case 'attachment':
      return `${part.label} ${part.text}`;
    case 'image':
      return part.name ?? '';
    default:
      return part satisfies never;
  }
}

import type { ForeignMessage, ForeignPart, ImageLinkPart } from '../sources/foreign';
import type { AssistantPart, ImagePart, ToolResultPart, UserPart } from '../../../../transcript/part';

/** A row made of a message. A message has one row for its text, and one for each tool result. */
export type DraftRow =
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly AssistantPart[] }
  | { readonly role: 'tool'; readonly parts: readonly [ToolResultPart] };

interface DraftRows {
  readonly rows: readonly DraftRow[];
  /** Sentences about content that has no place in a row. */
  readonly omitted: readonly string[];
}

/** Rows of a message, without empty ones. Results come first: they answer calls before the message's own text. */
export function draftRows({ role, parts }: ForeignMessage): DraftRows {
  const results = parts.filter((part) => part.kind === 'toolResult');
  const rest = parts.filter((part) => part.kind !== 'toolResult');
  const own = role === 'assistant' ? answerRow(rest) : userRow(rest);
  const answers = results.map((result): DraftRow => ({ role: 'tool', parts: [result] }));
  return { rows: role === 'assistant' ? [...own.rows, ...answers] : [...answers, ...own.rows], omitted: own.omitted };
}

type OwnPart = Exclude<ForeignPart, ToolResultPart>;

function answerRow(found: readonly OwnPart[]): DraftRows {
  const parts = found.flatMap((part): readonly AssistantPart[] => {
    switch (part.kind) {
      case 'text':
        return part.text === '' ? [] : [part];
      case 'thinking':
        return part.text === '' && part.metadata === undefined ? [] : [part];
      case 'toolCall':
        return [part];
      case 'image':
      case 'imageLink':
        return [{ kind: 'text', text: imageText(part) }];
      default:
        return part satisfies never;
    }
  });
  const omitted = found.some((part) => part.kind === 'image')
    ? ['An image in an answer is kept as a note, because answers hold no images.']
    : [];
  return { rows: parts.length === 0 ? [] : [{ role: 'assistant', parts }], omitted };
}

function userRow(found: readonly OwnPart[]): DraftRows {
  const parts = found.flatMap((part): readonly UserPart[] => {
    switch (part.kind) {
      case 'text':
        return part.text === '' ? [] : [part];
      case 'image':
        return [part];
      case 'imageLink':
        return [{ kind: 'text', text: imageText(part) }];
      case 'thinking':
      case 'toolCall':
        return [];
      default:
        return part satisfies never;
    }
  });
  const hasStray = found.some((part) => part.kind === 'thinking' || part.kind === 'toolCall');
  const omitted = hasStray ? ['A tool call or a thought in the user’s name was left out.'] : [];
  return { rows: parts.length === 0 ? [] : [{ role: 'user', parts }], omitted };
}

/** Text in place of an image, for the user and the model. */
function imageText(part: ImagePart | ImageLinkPart): string {
  return part.kind === 'image' ? `[Image: ${part.name ?? part.mediaType}]` : `[Image: ${part.url}]`;
}

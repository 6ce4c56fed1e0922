import type { JsonObject } from '../../../../../transcript/json';
import type { ImagePart, ToolOutcome } from '../../../../../transcript/part';
import type { ForeignPart, SkipKind } from '../foreign';
import { asObject, isSet, listOf, nameOf, objectOf, textOf } from '../reading/fields';
import { argumentsOf, imageOf } from '../reading/content';
import { unreadable } from '../reading/records';

/** Result of reading one part.
 *  said: content of the message.
 *  context: a text that the program added to the user's.
 *  tool: a call with its result; a call that never ended has none.
 *  step: the next request of the same message begins. */
type OpencodePart =
  | { readonly kind: 'said'; readonly part: ForeignPart }
  | { readonly kind: 'context'; readonly part: ForeignPart }
  | { readonly kind: 'tool'; readonly call: ForeignPart; readonly result: ForeignPart | null }
  | { readonly kind: 'step' }
  | { readonly kind: SkipKind; readonly reason: string };

export function opencodePart(value: JsonObject | null): OpencodePart {
  if (value === null) return { kind: 'damaged', reason: unreadable() };
  const type = textOf(value, 'type');
  switch (type) {
    case 'text': {
      const text = textOf(value, 'text') ?? '';
      if (text === '') return { kind: 'bookkeeping', reason: 'The text is empty.' };
      return { kind: isSet(value, 'synthetic') ? 'context' : 'said', part: { kind: 'text', text } };
    }
    case 'reasoning':
      return { kind: 'said', part: { kind: 'thinking', text: textOf(value, 'text') ?? '' } };
    case 'subtask':
      return { kind: 'said', part: { kind: 'text', text: textOf(value, 'prompt') ?? '' } };
    case 'tool':
      return toolPart(value);
    case 'file':
      return filePart(value);
    case 'step-start':
      return { kind: 'step' };
    case 'step-finish':
    case 'snapshot':
    case 'patch':
    case 'agent':
    case 'retry':
    case 'compaction':
      return { kind: 'bookkeeping', reason: `A record of type “${type}” holds no message.` };
    default:
      return { kind: 'unknown', reason: `Records of type “${type ?? 'none'}” are not known.` };
  }
}

function toolPart(value: JsonObject): OpencodePart {
  const [callId, name, state] = [nameOf(value, 'callID'), nameOf(value, 'tool'), objectOf(value, 'state')];
  if (callId === null || name === null) {
    return { kind: 'damaged', reason: 'A tool call without an id or a name was left out.' };
  }
  const call = { kind: 'toolCall', callId, name, arguments: argumentsOf(state, 'input') } as const;
  const status = textOf(state, 'status');
  if (status !== 'completed' && status !== 'error') return { kind: 'tool', call, result: null };
  const metadata = objectOf(state, 'metadata');
  const outcome: ToolOutcome =
    status === 'completed' ? 'done' : isSet(metadata, 'interrupted') ? 'interrupted' : failure(state);
  const text = (status === 'completed' ? null : textOf(state, 'error')) ?? textOf(state, 'output') ?? '';
  const images = imagesOf(state);
  const result = { kind: 'toolResult', callId, name, outcome, text } as const;
  return { kind: 'tool', call, result: images.length === 0 ? result : { ...result, images } };
}

/** opencode tells a refusal and a stop only in the text. */
function failure(state: JsonObject | null): ToolOutcome {
  const error = textOf(state, 'error') ?? '';
  if (error.startsWith('The user rejected permission')) return 'denied';
  return error.startsWith('Tool execution aborted') ? 'interrupted' : 'failed';
}

function imagesOf(state: JsonObject | null): readonly ImagePart[] {
  return (listOf(state, 'attachments') ?? []).flatMap((item) => {
    const part = imageOf(nameOf(asObject(item), 'url') ?? '');
    return part.kind === 'image' && part.mediaType.startsWith('image/') ? [part] : [];
  });
}

/** opencode adds the content of text files and folders to the prompt as a text of its own. */
function filePart(value: JsonObject): OpencodePart {
  const [mime, url] = [textOf(value, 'mime') ?? '', nameOf(value, 'url')];
  if (mime.startsWith('image/') && url !== null) return { kind: 'said', part: imageOf(url) };
  if (mime === 'text/plain' || mime === 'application/x-directory') {
    return { kind: 'bookkeeping', reason: 'The content of an attached file is part of the prompt.' };
  }
  return { kind: 'unknown', reason: `An attached file of type “${mime}” was left out.` };
}

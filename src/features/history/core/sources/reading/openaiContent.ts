import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ForeignPart } from '../foreign';
import { joined, omit, type ReadContent } from './anthropicBlocks';
import { asList, asObject, nameOf, objectOf, own, textOf } from './fields';

/** Reads the content of a message of OpenAI's chat completions or Responses API: a text, or a list of parts. */
export function openaiContent(content: JsonValue | undefined): ReadContent {
  if (typeof content === 'string') return texts(content);
  return joined(
    (asList(content) ?? []).map((part) => (typeof part === 'string' ? texts(part) : readPart(asObject(part)))),
  );
}

function readPart(part: JsonObject | null): ReadContent {
  const type = textOf(part, 'type');
  switch (type) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'summary_text':
    case 'reasoning_text':
      return texts(textOf(part, 'text') ?? '');
    case 'refusal':
      return texts(textOf(part, 'refusal') ?? '');
    case 'image_url':
    case 'input_image': {
      const url = nameOf(part, 'image_url') ?? nameOf(objectOf(part, 'image_url'), 'url');
      return url === null ? omit('An image without data was left out.') : one(imageOf(url));
    }
    default:
      return omit(`A block of type “${type ?? 'none'}” was left out.`);
  }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)(?:;[^,;]*)*;base64,/;

/** An image from a `data:` URL, or a reference to one. */
export function imageOf(url: string): ForeignPart {
  const found = dataUrl.exec(url.slice(0, 200));
  if (found === null) return { kind: 'imageLink', url };
  return { kind: 'image', mediaType: found[1] ?? '', dataBase64: url.slice(found[0].length) };
}

function texts(text: string): ReadContent {
  return { parts: text === '' ? [] : [{ kind: 'text', text }], omitted: [] };
}

function one(part: ForeignPart): ReadContent {
  return { parts: [part], omitted: [] };
}

/** Arguments of a call as the model wrote them. Some programs store them parsed. */
export function argumentsOf(record: JsonObject | null, name: string): string {
  const value = own(record, name);
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

import { parsedJson, type JsonValue, parseJsonObject } from '../../../transcript/json';
import type { ImagePart } from '../../../transcript/part';
import { imageMediaType } from '../../../transcript/imageFile';
import type { ToolOutput } from '../../../tools/tool';
import type { McpContent, McpResult } from './mcpConnection';

const longestText = 100_000;
const mostImages = 8;
/** Length of base64: the most that providers accept. */
const longestImage = 6_990_000;

/** Text and images of a result for the model. Names the content that cannot be passed on. */
export function resultOutput(result: McpResult, details: JsonValue): ToolOutput {
  const images: ImagePart[] = [];
  const texts = result.content.map((content) => contentText(content, images));
  const text = capped(withStructured(texts, result).join('\n'));
  return {
    outcome: result.isError ? 'failed' : 'done',
    text:
      text.trim() !== ''
        ? text
        : result.isError
          ? 'The tool failed and did not say why.'
          : 'The tool returned nothing.',
    details,
    ...(images.length === 0 ? {} : { images }),
  };
}

/** Text of a piece for the model. Adds what is an image to `images`. */
export function contentText(content: McpContent, images: ImagePart[]): string {
  switch (content.kind) {
    case 'text':
      return content.text;
    case 'image':
      return imageText(content, images, 'An image');
    case 'audio':
      return `[Audio, ${content.mediaType}, ${sizeOf(content.dataBase64)}: it cannot be passed on.]`;
    case 'resource':
      return `[${content.uri}]\n${content.text}`;
    case 'binary':
      if (content.mediaType?.startsWith('image/') === true)
        return imageText({ mediaType: content.mediaType, dataBase64: content.dataBase64 }, images, content.uri);
      return `[${content.uri}, ${content.mediaType ?? 'binary'}, ${sizeOf(content.dataBase64)}: it is not text.]`;
    case 'link':
      return `[${content.name}: ${content.uri}${content.description === null ? '' : `, ${content.description}`}]`;
  }
}

function imageText(
  { mediaType: said, dataBase64 }: { readonly mediaType: string; readonly dataBase64: string },
  images: ImagePart[],
  name: string,
): string {
  // A model refuses an image whose bytes are of another type than is said, and with it the whole session.
  const mediaType = imageMediaType(Buffer.from(dataBase64.slice(0, 32), 'base64'));
  const about = `${name}, ${mediaType ?? said}, ${sizeOf(dataBase64)}`;
  if (mediaType === null) return `[${about}: its format cannot be passed on.]`;
  if (dataBase64.length > longestImage) return `[${about}: it is too large to be passed on.]`;
  if (images.length >= mostImages) return `[${about}: only ${mostImages} images are passed on.]`;
  images.push({ kind: 'image', mediaType, dataBase64 });
  return `[${about}]`;
}

/** Adds a structured result that is not repeated as text, as servers should do. Otherwise the model would get
 *  nothing. */
function withStructured(texts: readonly string[], { structured }: McpResult): readonly string[] {
  if (
    structured === null ||
    texts.some((text) => JSON.stringify(parsedJson(text)) === structured) ||
    wraps(structured, texts)
  )
    return texts;
  return [...texts, structured];
}

/** True for `{"content": "…"}` around the same text, which many servers send. */
function wraps(structured: string, texts: readonly string[]): boolean {
  const parsed = parseJsonObject(structured);
  if (parsed.kind === 'invalid') return false;
  const values = Object.values(parsed.value);
  return values.length === 1 && values[0] === texts.join('\n');
}

/** Text for the model, and how much of it is left out. */
export function capped(text: string): string {
  if (text.length <= longestText) return text;
  return (
    `${text.slice(0, longestText)}\n[The result has ${text.length} characters; the first ${longestText} are shown. ` +
    'Ask for less, for example with a filter or a range.]'
  );
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.length * 3) / 4);
  return bytes < 1024 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KB`;
}

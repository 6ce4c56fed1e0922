import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ForeignPart } from '../foreign';
import { asObject, isSet, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';
import { pathOf } from './vscodeTexts';

/** Kinds of variables that VS Code or an extension adds to each prompt. */
const added = new Set(['promptText', 'workspace', 'implicit', 'tool', 'toolset']);

/** The text of a prompt: plain in the first version, `{text, parts}` since. */
export function promptText(request: JsonObject | null): string {
  return textOf(request, 'message') ?? textOf(objectOf(request, 'message'), 'text') ?? '';
}

/** Parts of a prompt: its text, attached images, and notes about other attachments. */
export function promptParts(request: JsonObject): readonly ForeignPart[] {
  const text = promptText(request);
  const variables = listOf(objectOf(request, 'variableData'), 'variables') ?? [];
  return [
    ...(text === '' ? [] : [{ kind: 'text', text } as const]),
    ...variables.flatMap((variable) => variablePart(asObject(variable))),
  ];
}

function variablePart(variable: JsonObject | null): readonly ForeignPart[] {
  const kind = textOf(variable, 'kind') ?? '';
  // Variables inside the prompt's text have a range.
  if (
    variable === null ||
    added.has(kind) ||
    isSet(variable, 'automaticallyAdded') ||
    own(variable, 'range') !== undefined
  )
    return [];
  const value = own(variable, 'value');
  const name = nameOf(variable, 'name');
  const image = kind === 'image' ? imageData(value) : null;
  if (image !== null) {
    const mediaType = nameOf(variable, 'mimeType') ?? 'image/png';
    return [{ kind: 'image', mediaType, dataBase64: image, ...(name === null ? {} : { name }) }];
  }
  if (kind === 'paste') {
    const code = textOf(variable, 'code') ?? textOf(variable, 'value') ?? '';
    return code === '' ? [] : [{ kind: 'text', text: code }];
  }
  const label = pathOf(value) ?? name;
  return label === null ? [] : [{ kind: 'text', text: `[Attached: ${label.slice(0, 1000)}]` }];
}

/** Bytes of an image in Base64. VS Code stores them under `$base64`, and as an object of numbers before. */
function imageData(value: JsonValue | undefined): string | null {
  const object = asObject(value);
  const encoded = nameOf(object, '$base64');
  if (encoded !== null || object === null) return encoded;
  const bytes = Object.values(object);
  const isBytes = bytes.length > 0 && bytes.every((byte) => typeof byte === 'number');
  return isBytes ? Buffer.from(bytes.map(Number)).toString('base64') : null;
}

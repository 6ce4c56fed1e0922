import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import { asList, asObject, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';

/** Text of a Markdown string: plain, or `{value}`. Empty when there is none. */
export function markdownOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : (textOf(asObject(value), 'value') ?? '');
}

/** Path of an address (`UriComponents` or text), or of the address of a location or symbol. Null when there is none. */
export function pathOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  const object = asObject(value);
  if (object === null) return null;
  const inner = own(object, 'uri') ?? own(object, 'location');
  if (inner !== undefined) return pathOf(inner);
  return nameOf(object, 'fsPath') ?? nameOf(object, 'path') ?? nameOf(object, 'external');
}

/** A link to a file or symbol inside a text, as code. */
export function referenceText(part: JsonObject): string {
  const reference = own(part, 'inlineReference');
  const name = nameOf(part, 'name') ?? nameOf(asObject(reference), 'name');
  const path = pathOf(reference);
  const text = name ?? (path === null ? null : path.slice(path.lastIndexOf('/') + 1));
  return text === null ? '' : `\`${text}\``;
}

/** Files that an edit touched, and its new text where it is stored. */
export function editText(part: JsonObject): string {
  const paths = [pathOf(own(part, 'uri')), ...editedIn(part)].filter((path) => path !== null);
  const head = `[Edited: ${[...new Set(paths)].join(', ')}]`;
  const texts = newTexts(own(part, 'edits')).filter((text) => text.trim() !== '');
  return [head, ...texts.map((text) => `\n\`\`\`\n${text}\n\`\`\``)].join('\n');
}

function editedIn(part: JsonObject): readonly (string | null)[] {
  return (listOf(part, 'edits') ?? []).map((edit) => {
    const object = asObject(edit);
    return pathOf(own(object, 'newResource')) ?? pathOf(own(object, 'oldResource'));
  });
}

/** Texts of edits, which come in lists of lists. */
function newTexts(value: JsonValue | undefined): readonly string[] {
  const list = asList(value);
  if (list !== null) return list.flatMap((item) => newTexts(item));
  const text = textOf(objectOf(asObject(value), 'edit') ?? asObject(value), 'text');
  return text === null ? [] : [text];
}

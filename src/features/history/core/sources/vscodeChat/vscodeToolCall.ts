import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ImagePart, ToolCallPart, ToolOutcome, ToolResultPart } from '../../../../../transcript/part';
import { asObject, isSet, listOf, nameOf, numberOf, objectOf, own, textOf, asList } from '../reading/fields';
import { argumentsOf } from '../reading/content';

/** Calls and results as the model saw them. Copilot Chat keeps them in the metadata of a response's result
 *  (`toolCallRounds`, `toolCallResults`), because VS Code itself stores no arguments. */
export interface ModelCalls {
  readonly calls: ReadonlyMap<string, { readonly name: string; readonly arguments: string }>;
  readonly results: ReadonlyMap<string, string>;
}

export function modelCalls(result: JsonObject | null): ModelCalls {
  const metadata = objectOf(result, 'metadata');
  const calls = new Map<string, { name: string; arguments: string }>();
  for (const round of listOf(metadata, 'toolCallRounds') ?? []) {
    for (const value of listOf(asObject(round), 'toolCalls') ?? []) {
      const call = asObject(value);
      const [id, name] = [nameOf(call, 'id'), nameOf(call, 'name')];
      if (id !== null && name !== null) calls.set(id, { name, arguments: argumentsOf(call, 'arguments') });
    }
  }
  const results = new Map<string, string>();
  for (const [id, value] of Object.entries(objectOf(metadata, 'toolCallResults') ?? {})) {
    const texts = (listOf(asObject(value), 'content') ?? []).map((part) => partText(own(asObject(part), 'value')));
    const text = texts.filter((found) => found !== '').join('\n');
    if (text !== '') results.set(id, text);
  }
  return { calls, results };
}

/** Text of a part of a tool result: a string, or a tree of a rendered prompt (`LanguageModelPromptTsxPart`). */
function partText(value: JsonValue | undefined, depth = 0): string {
  if (typeof value === 'string') return value;
  const node = objectOf(asObject(value), 'node') ?? asObject(value);
  if (node === null || depth > 100) return '';
  const below = (listOf(node, 'children') ?? []).map((child) => partText(child, depth + 1)).join('');
  return (textOf(node, 'text') ?? '') + below;
}

/** A finished tool call (`toolInvocationSerialized`). Null without an id or a name. */
export function toolCallOf(
  part: JsonObject,
  { calls, results }: ModelCalls,
): { readonly call: ToolCallPart; readonly result: ToolResultPart } | null {
  const callId = nameOf(part, 'toolCallId');
  const known = callId === null ? undefined : calls.get(callId);
  const name = known?.name ?? nameOf(part, 'toolId');
  if (callId === null || name === null) return null;
  const output = outputOf(part);
  const text = results.get(callId) ?? (output.text === '' ? shownText(part) : output.text);
  const result = { kind: 'toolResult', callId, name, outcome: outcomeOf(part), text } as const;
  return {
    call: { kind: 'toolCall', callId, name, arguments: known?.arguments ?? inputOf(part) },
    result: output.images.length === 0 ? result : { ...result, images: output.images },
  };
}

/** Arguments as far as VS Code stores them: the input that it shows with the result, or the command of a terminal. */
function inputOf(part: JsonObject): string {
  const input = nameOf(objectOf(part, 'resultDetails'), 'input');
  if (input !== null) return input;
  const data = objectOf(part, 'toolSpecificData');
  const raw = own(data, 'rawInput');
  if (raw !== undefined) return typeof raw === 'string' ? raw : JSON.stringify(raw);
  const line = objectOf(data, 'commandLine');
  const command =
    nameOf(line, 'userEdited') ?? nameOf(line, 'toolEdited') ?? nameOf(line, 'original') ?? nameOf(data, 'command');
  if (command !== null) return JSON.stringify({ command });
  const prompt = nameOf(data, 'prompt');
  return JSON.stringify(prompt === null ? {} : { prompt });
}

function outputOf(part: JsonObject): { readonly text: string; readonly images: readonly ImagePart[] } {
  const images: ImagePart[] = [];
  const texts: string[] = [];
  for (const value of listOf(objectOf(part, 'resultDetails'), 'output') ?? []) {
    const item = asObject(value);
    const [content, mediaType] = [textOf(item, 'value'), textOf(item, 'mimeType') ?? ''];
    if (content === null) continue;
    if (mediaType.startsWith('image/') && !isSet(item, 'isText'))
      images.push({ kind: 'image', mediaType, dataBase64: content });
    else if (own(item, 'isText') !== false) texts.push(content);
  }
  const data = objectOf(part, 'toolSpecificData');
  if (texts.length === 0)
    texts.push(textOf(objectOf(data, 'terminalCommandOutput'), 'text') ?? textOf(data, 'result') ?? '');
  return { text: texts.join('\n'), images };
}

/** Text of the panel about the call, where no result is stored. */
function shownText(part: JsonObject): string {
  return markdownOf(own(part, 'pastTenseMessage')) || markdownOf(own(part, 'invocationMessage'));
}

/** `ToolConfirmKind`: 0 is denied by the user, 5 is skipped. Versions before 1.104 store true or false. */
function outcomeOf(part: JsonObject): ToolOutcome {
  const confirmed = own(part, 'isConfirmed');
  const kind = numberOf(asObject(confirmed), 'type');
  if (confirmed === false || kind === 0) return 'denied';
  if (kind === 5) return 'cancelled';
  const error = own(part, 'resultError');
  const isError = error !== undefined && error !== null && error !== false && error !== '';
  if (isError || isSet(objectOf(part, 'resultDetails'), 'isError')) return 'failed';
  return own(part, 'isComplete') === false ? 'interrupted' : 'done';
}

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

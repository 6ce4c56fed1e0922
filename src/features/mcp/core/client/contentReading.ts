import { isJsonObject, type JsonObject } from '../../../../transcript/json';
import type { McpContent, McpListedTool, McpPrompt, McpResource, McpResult } from '../mcpConnection';

/** Key in `_meta` under which an answer carries what the server sent. */
export const sentKey = 'hermes/sent';

/** What the server sent, of an answer that the library got in a form that it takes. */
export function sentObject(answer: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): JsonObject {
  const sent = answer._meta?.[sentKey];
  return isJsonObject(sent) ? sent : {};
}

/** Reads a listed tool as its server sent it; a field of another type counts as absent. */
export function readListedTool(sent: JsonObject): McpListedTool {
  const annotations = objectIn(sent, 'annotations') ?? {};
  return {
    name: textIn(sent, 'name') ?? '',
    title: textIn(sent, 'title') ?? textIn(annotations, 'title'),
    description: textIn(sent, 'description') ?? '',
    inputSchema: readSchema(sent['inputSchema']),
    readOnly: annotations['readOnlyHint'] === true,
  };
}

export function readPrompt(sent: JsonObject): McpPrompt {
  const args = (Array.isArray(sent['arguments']) ? sent['arguments'] : []).filter(isJsonObject);
  return {
    name: textIn(sent, 'name') ?? '',
    title: textIn(sent, 'title'),
    description: textIn(sent, 'description') ?? '',
    args: args.flatMap((arg) => {
      const name = textIn(arg, 'name') ?? '';
      const description = textIn(arg, 'description') ?? '';
      return name === '' ? [] : [{ name, description, isRequired: arg['required'] === true }];
    }),
  };
}

export function readListedResource(sent: JsonObject): McpResource {
  return {
    uri: textIn(sent, 'uri') ?? '',
    name: textIn(sent, 'title') ?? textIn(sent, 'name') ?? '',
    description: textIn(sent, 'description') ?? '',
  };
}

/** Levels of a schema that are read. One that is nested some thousand times would take all of the stack. */
const mostLevels = 100;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1));
}

/** Null for what is no schema, or cannot be used. A tool that has none takes no arguments. */
export function readSchema(sent: unknown): JsonObject | null {
  if (sent === undefined || sent === null) return { type: 'object', properties: {} };
  if (!isJsonObject(sent) || isDeeper(sent, mostLevels)) return null;
  const given = Object.entries(sent).filter(([, value]) => value !== null);
  return { type: 'object', ...Object.fromEntries(given) };
}

/** Reads a result as its server sent it, piece by piece. A result without any known field is its own content. */
export function readResult(sent: JsonObject): McpResult {
  const { content, structuredContent, isError, _meta: _about, resultType: _kind, ...others } = sent;
  const pieces = content === undefined || content === null ? [] : [content].flat();
  const rest = Object.keys(others).length > 0 && pieces.length === 0 ? others : undefined;
  const structured = structuredContent ?? rest;
  return {
    isError: isError === true || isError === 'true',
    content: pieces.map(readContent),
    structured: structured === undefined ? null : JSON.stringify(structured),
  };
}

/** A piece of an unknown or odd form becomes text. */
export function readContent(piece: unknown): McpContent {
  return (isJsonObject(piece) ? readKnown(piece) : null) ?? { kind: 'text', text: textOf(piece) };
}

function readKnown(piece: JsonObject): McpContent | null {
  const [mediaType, dataBase64] = [textIn(piece, 'mimeType'), textIn(piece, 'data')];
  switch (piece['type']) {
    case 'text':
      return { kind: 'text', text: textOf(piece['text'] ?? '') };
    case 'image':
    case 'audio':
      return dataBase64 === null ? null : { kind: piece['type'], mediaType: mediaType ?? '', dataBase64 };
    case 'resource':
      return readResource(objectIn(piece, 'resource') ?? {});
    case 'resource_link': {
      const uri = textIn(piece, 'uri');
      const name = textIn(piece, 'title') ?? textIn(piece, 'name') ?? uri;
      return uri === null || name === null
        ? null
        : { kind: 'link', uri, name, description: textIn(piece, 'description') };
    }
    default:
      return null;
  }
}

/** Content of a resource. Null: it has neither text nor bytes. */
export function readResource(resource: JsonObject): McpContent | null {
  const [text, blob] = [textIn(resource, 'text'), textIn(resource, 'blob')];
  const about = { uri: textIn(resource, 'uri') ?? '', mediaType: textIn(resource, 'mimeType') };
  if (text !== null) return { kind: 'resource', ...about, text };
  return blob === null ? null : { kind: 'binary', ...about, dataBase64: blob };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function textIn(object: JsonObject, key: string): string | null {
  const value = object[key];
  return typeof value === 'string' ? value : null;
}

function objectIn(object: JsonObject, key: string): JsonObject | null {
  const value = object[key];
  return isJsonObject(value) ? value : null;
}

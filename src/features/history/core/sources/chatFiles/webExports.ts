import { t } from '../../../../../base/translate';
import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import {
  anthropicContent,
  joined,
  noContent,
  omit,
  one,
  openaiContent,
  resultOf,
  textIn,
  unknownBlock,
  type ReadContent,
} from '../reading/content';
import { asObject, epochTimeOf, isoTimeOf, isSet, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';
import type { ChatContent, OpenCalls } from './chatMessage';

/** Messages of a conversation in the data export of ChatGPT, a tree of nodes, or of claude.ai: those that the user saw
 *  last, and the others marked `isAbandoned`. By mitkury/chatgpt-export-parser (docs/chatgpt-data-export-format.md)
 *  and Sinity/polylogue (docs/providers/claude-ai.md). */
export function treeOf(about: JsonObject): readonly JsonValue[] | null {
  const mapping = objectOf(about, 'mapping');
  const nodes = mapping === null ? claudeAiNodes(about) : chatGptNodes(mapping);
  if (nodes === null) return null;
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const leaf = nameOf(about, 'current_node') ?? nameOf(about, 'current_leaf_message_uuid');
  const path = new Set<string>();
  let at = leaf !== null && parents.has(leaf) ? leaf : (nodes.at(-1)?.id ?? null);
  for (; at !== null && !path.has(at); at = parents.get(at) ?? null) path.add(at);
  const isTree = nodes.some(({ parent }) => parent !== null);
  return nodes.flatMap(({ id, message }) =>
    message === null ? [] : [{ ...message, isAbandoned: isTree && !path.has(id) }],
  );
}

interface Node {
  readonly id: string;
  readonly parent: string | null;
  readonly message: JsonObject | null;
}

function chatGptNodes(mapping: JsonObject): readonly Node[] {
  const nodes = Object.keys(mapping).map((id): Node => {
    const node = objectOf(mapping, id);
    return { id, parent: nameOf(node, 'parent'), message: objectOf(node, 'message') };
  });
  // A node can be before its parent in the file.
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ordered = new Set<Node>();
  for (const node of nodes) {
    const line = new Set<Node>();
    for (let at: Node | undefined = node; at !== undefined && !line.has(at) && !ordered.has(at);) {
      line.add(at);
      at = byId.get(at.parent ?? '');
    }
    for (const each of [...line].reverse()) ordered.add(each);
  }
  return [...ordered];
}

function claudeAiNodes(about: JsonObject): readonly Node[] | null {
  const messages = listOf(about, 'chat_messages');
  return messages === null
    ? null
    : messages.map((value, index) => {
        const message = asObject(value) ?? {};
        return { id: nameOf(message, 'uuid') ?? `#${index}`, parent: nameOf(message, 'parent_message_uuid'), message };
      });
}

/** Reads a message of ChatGPT's export. */
export function chatGptMessage(message: JsonObject, calls: OpenCalls): ChatContent {
  const author = objectOf(message, 'author');
  const metadata = objectOf(message, 'metadata');
  const role = textOf(author, 'role');
  const content = chatGptContent(objectOf(message, 'content'));
  const files = filesOf(listOf(metadata, 'attachments'), 'name');
  const isProgram = ['user_editable_context', 'model_editable_context'].includes(
    textOf(objectOf(message, 'content'), 'content_type') ?? '',
  );
  const about = {
    createdAt: epochTimeOf(message, 'create_time'),
    model: nameOf(metadata, 'model_slug'),
    view: viewOf(message, isProgram || isSet(metadata, 'is_visually_hidden_from_conversation')),
  };
  switch (role) {
    case 'system':
    case 'user':
      return { role, content: joined([content, files]), ...about };
    case 'assistant': {
      const recipient = textOf(message, 'recipient') ?? 'all';
      const isCall = recipient !== 'all' && content.parts.some(({ kind }) => kind === 'text');
      return { role, content: isCall ? callOf(recipient, content, calls) : content, ...about };
    }
    case 'tool': {
      const { callId, name } = calls.close(null, nameOf(author, 'name'));
      return { role, content: resultOf(callId, name, 'done', joined([content, files])), ...about };
    }
    default:
      return { role: null, content, ...about };
  }
}

function callOf(recipient: string, { parts, omitted }: ReadContent, calls: OpenCalls): ReadContent {
  const text = textIn(parts);
  const given = text.trimStart().startsWith('{') ? text : JSON.stringify({ input: text });
  const [callId, name] = [calls.open(null, recipient), recipient];
  const call = { kind: 'toolCall', callId, name, arguments: given } as const;
  return { parts: [...parts.filter(({ kind }) => kind !== 'text'), call], omitted };
}

function chatGptContent(content: JsonObject | null): ReadContent {
  const type = textOf(content, 'content_type');
  if (type === 'thoughts') {
    const thoughts = (listOf(content, 'thoughts') ?? []).map(asObject);
    const texts = thoughts.map((each) => [textOf(each, 'summary'), textOf(each, 'content')].filter(Boolean).join('\n'));
    return { parts: texts.map((text) => ({ kind: 'thinking', text })), omitted: [] };
  }
  const parts = listOf(content, 'parts');
  if (parts !== null)
    return joined(parts.map((part) => (typeof part === 'string' ? openaiContent(part) : assetOf(part))));
  const text = textOf(content, 'text') ?? textOf(content, 'result') ?? textOf(content, 'content');
  return text === null ? unknownBlock(type) : openaiContent(text);
}

/** An image or a recording, which is a file beside the export. */
function assetOf(part: JsonValue): ReadContent {
  const asset = asObject(part);
  const url = nameOf(asset, 'asset_pointer');
  const type = textOf(asset, 'content_type');
  if (type === 'image_asset_pointer' && url !== null) return one({ kind: 'imageLink', url });
  const text = textOf(asset, 'text');
  return text === null ? unknownBlock(type) : openaiContent(text);
}

/** Reads a message of claude.ai's export. Its calls may have no ids. */
export function claudeAiMessage(message: JsonObject, calls: OpenCalls): ChatContent {
  const sender = textOf(message, 'sender');
  const blocks = (listOf(message, 'content') ?? []).map((item): JsonValue => {
    const block = asObject(item);
    if (block === null) return item;
    const name = nameOf(block, 'name');
    if (textOf(block, 'type') === 'tool_use') return { ...block, id: calls.open(nameOf(block, 'id'), name ?? '') };
    if (textOf(block, 'type') !== 'tool_result') return block;
    return { ...block, tool_use_id: calls.close(nameOf(block, 'tool_use_id'), name).callId };
  });
  const read = anthropicContent(blocks);
  const attached = (listOf(message, 'attachments') ?? []).map((item): ReadContent => {
    const file = asObject(item);
    const text = nameOf(file, 'extracted_content');
    return text === null
      ? filesOf([item], 'file_name')
      : openaiContent(`${textOf(file, 'file_name') ?? ''}\n\n${text}`);
  });
  return {
    role: sender === 'human' ? 'user' : sender === 'assistant' ? 'assistant' : null,
    content: joined([
      read.parts.length === 0 ? openaiContent(own(message, 'text')) : read,
      ...attached,
      filesOf(listOf(message, 'files'), 'file_name'),
    ]),
    createdAt: isoTimeOf(message, 'created_at'),
    view: viewOf(message, false),
  };
}

function viewOf(message: JsonObject, isHidden: boolean): 'shown' | 'hidden' | 'abandoned' {
  return isSet(message, 'isAbandoned') ? 'abandoned' : isHidden ? 'hidden' : 'shown';
}

/** Files that are not in the export, by name. */
function filesOf(files: readonly JsonValue[] | null, field: string): ReadContent {
  const names = (files ?? []).flatMap((file) => nameOf(asObject(file), field) ?? []);
  return names.length === 0
    ? noContent
    : omit(t('Attached files are not in the export: {names}.', { names: names.join(', ') }));
}

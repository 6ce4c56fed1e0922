import type { ContentBlock, Tool } from '@modelcontextprotocol/client';
import { parseJsonObject } from '../../../transcript/json';
import type { McpContent, McpListedTool } from '../mcpConnection';

/** Converts a listed tool to our types. */
export function readListedTool(tool: Tool): McpListedTool {
  const schema = parseJsonObject(JSON.stringify(tool.inputSchema));
  return {
    name: tool.name,
    title: tool.title ?? tool.annotations?.title ?? null,
    description: tool.description ?? '',
    inputSchema: schema.kind === 'object' ? schema.value : null,
    readOnly: tool.annotations?.readOnlyHint === true,
  };
}

/** Converts one piece of a result to our types. */
export function readContent(block: ContentBlock): McpContent {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: block.text };
    case 'image':
    case 'audio':
      return { kind: block.type, mediaType: block.mimeType, dataBase64: block.data };
    case 'resource': {
      const { resource } = block;
      const about = { uri: resource.uri, mediaType: resource.mimeType ?? null };
      return 'text' in resource
        ? { kind: 'resource', ...about, text: resource.text }
        : { kind: 'binary', ...about, dataBase64: resource.blob };
    }
    case 'resource_link':
      return { kind: 'link', uri: block.uri, name: block.title ?? block.name, description: block.description ?? null };
  }
}

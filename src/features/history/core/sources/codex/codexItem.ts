import { parseJsonObject, type JsonObject } from '../../../../../transcript/json';
import type { ToolOutcome } from '../../../../../transcript/part';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignLineage, ForeignMessage, ForeignPart } from '../foreign';
import { argumentsOf, emptyReason, one, openaiContent, resultOf, textIn, type ReadContent } from '../reading/content';
import { isoTimeOf, isSet, listOf, nameOf, numberOf, objectOf, own, textOf, usageOf } from '../reading/fields';

/** Result of reading a response item.
 *  message: a message of its own. model: a piece of the model's answer; consecutive ones form one message. */
type CodexItem =
  | {
      readonly kind: 'message';
      readonly role: ForeignMessage['role'];
      readonly content: ReadContent;
      readonly isHidden: boolean;
    }
  | { readonly kind: 'model'; readonly content: ReadContent }
  | { readonly kind: 'bookkeeping' | 'unknown'; readonly reason: string };

/** Reads an item of the Responses API as Codex stores it (`ResponseItem` in codex-rs/protocol/src/models.rs).
 *  `key` replaces a call id that is missing. */
export function codexItem(item: JsonObject, key: string, nameOfCall: (callId: string) => string | null): CodexItem {
  const type = textOf(item, 'type');
  switch (type) {
    case 'message':
      return readMessage(item);
    case 'reasoning':
      return readReasoning(item);
    case 'function_call':
    case 'tool_search_call':
      return readCall(item, key, nameOf(item, 'name') ?? 'tool_search', argumentsOf(item, 'arguments'));
    case 'custom_tool_call':
      return readCall(item, key, nameOf(item, 'name') ?? 'custom_tool', textOf(item, 'input') ?? '');
    case 'local_shell_call':
      return readCall(item, key, 'local_shell', JSON.stringify(objectOf(item, 'action') ?? {}));
    case 'web_search_call':
      return readCall(item, key, 'web_search', JSON.stringify(objectOf(item, 'action') ?? {}));
    case 'function_call_output':
    case 'custom_tool_call_output':
    case 'tool_search_output':
      return readOutput(item, nameOfCall);
    case 'image_generation_call':
      return readImage(item);
    case 'ghost_snapshot':
      return { kind: 'bookkeeping', reason: 'A snapshot of the files holds no message.' };
    case 'compaction':
    case 'compaction_summary':
    case 'context_compaction':
      return { kind: 'bookkeeping', reason: 'The summary of a compaction is encrypted for its provider.' };
    default:
      return { kind: 'unknown', reason: `Records of type “${type ?? 'none'}” are not known.` };
  }
}

function readMessage(item: JsonObject): CodexItem {
  const role = textOf(item, 'role');
  const content = contentOf(item);
  if (content.parts.length === 0) return { kind: 'unknown', reason: emptyReason(content) };
  switch (role) {
    case 'assistant':
      return { kind: 'model', content };
    case 'user':
      return { kind: 'message', role, content, isHidden: isContext(item, content.parts) };
    case 'developer':
    case 'system':
      return { kind: 'message', role: 'system', content, isHidden: true };
    default:
      return { kind: 'unknown', reason: `Messages of role “${role ?? 'none'}” are not known.` };
  }
}

const imageTag = /^\s*<\/?image\b[^>]*>\s*$/;

/** The content of a message, without the tags that Codex writes before and after an image. */
export function contentOf(item: JsonObject): ReadContent {
  const { parts, omitted } = openaiContent(own(item, 'content'));
  return { parts: parts.filter((part) => part.kind !== 'text' || !imageTag.test(part.text)), omitted };
}

const contextTags =
  /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|skill|subagent_notification|user_shell_command|permissions|goal_context|model_switch|collaboration_mode)\b|# AGENTS\.md instructions)/;

/** True for a text that Codex sends to the model in the user's name. Newer versions label each part with its origin. */
export function isContext(item: JsonObject, parts: readonly ForeignPart[]): boolean {
  const labels = listOf(objectOf(item, 'internal_chat_message_metadata_passthrough'), 'content_item_kinds') ?? [];
  const kinds = labels.filter((label): label is string => typeof label === 'string' && label !== 'unknown');
  if (kinds.length > 0) return !kinds.some((kind) => kind.startsWith('user.'));
  const [first] = parts;
  return first?.kind === 'text' && contextTags.test(first.text);
}

function readReasoning(item: JsonObject): CodexItem {
  const [summary, raw] = [openaiContent(own(item, 'summary')), openaiContent(own(item, 'content'))];
  const told = summary.parts.length > 0 ? summary : raw;
  const text = textIn(told.parts, '\n\n');
  const encrypted = nameOf(item, 'encrypted_content');
  if (text === '' && encrypted === null) return { kind: 'bookkeeping', reason: 'The reasoning is empty.' };
  const itemId = nameOf(item, 'id');
  const thinking = { kind: 'thinking', text } as const;
  const openai = { reasoningEncryptedContent: encrypted, ...(itemId === null ? {} : { itemId }) };
  const part = encrypted === null ? thinking : { ...thinking, metadata: { openai } };
  return { kind: 'model', content: { parts: [part], omitted: told.omitted } };
}

function readCall(item: JsonObject, key: string, name: string, text: string): CodexItem {
  const callId = nameOf(item, 'call_id') ?? nameOf(item, 'id') ?? key;
  return { kind: 'model', content: one({ kind: 'toolCall', callId, name, arguments: text }) };
}

function readOutput(item: JsonObject, nameOfCall: (callId: string) => string | null): CodexItem {
  const callId = nameOf(item, 'call_id');
  if (callId === null) return { kind: 'unknown', reason: 'The result does not name its call.' };
  const output = objectOf(item, 'output');
  const content = openaiContent(
    output === null ? (own(item, 'output') ?? own(item, 'tools')) : (own(output, 'content') ?? own(output, 'body')),
  );
  const text = textIn(content.parts);
  const outcome = isSet(output, 'success') || own(output, 'success') === undefined ? outcomeOf(text) : 'failed';
  const name = nameOfCall(callId) ?? nameOf(item, 'name') ?? '';
  return { kind: 'message', role: 'tool', content: resultOf(callId, name, outcome, content), isHidden: false };
}

/** Codex writes the outcome of a command only into the text for the model. */
function outcomeOf(text: string): ToolOutcome {
  if (/^aborted(?: by user)?\b/.test(text)) return 'interrupted';
  if (/^exec command rejected by user/.test(text) || /^patch rejected by user/.test(text)) return 'denied';
  const head = text.slice(0, 400);
  const told = /^(?:Process exited with code|Exit code:) (-?\d+)$/m.exec(head);
  if (told !== null) return told[1] === '0' ? 'done' : 'failed';
  if (!head.startsWith('{"output"')) return 'done';
  const parsed = parseJsonObject(text);
  const code = parsed.kind === 'object' ? numberOf(objectOf(parsed.value, 'metadata'), 'exit_code') : null;
  return code === null || code === 0 ? 'done' : 'failed';
}

function readImage(item: JsonObject): CodexItem {
  const data = nameOf(item, 'result');
  if (data === null) return { kind: 'unknown', reason: 'An image without data was left out.' };
  const prompt = nameOf(item, 'revised_prompt');
  const parts: ForeignPart[] = [{ kind: 'image', mediaType: 'image/png', dataBase64: data }];
  if (prompt !== null) parts.unshift({ kind: 'text', text: prompt });
  return { kind: 'model', content: { parts, omitted: [] } };
}

/** Token counts of the Responses API, as Codex stores them. */
export function codexUsage(usage: JsonObject | null): Usage | null {
  return usageOf(usage, {
    input: 'input_tokens',
    output: 'output_tokens',
    cached: 'cached_input_tokens',
    written: 'cache_write_input_tokens',
    reasoning: 'reasoning_output_tokens',
  });
}

export interface Envelope {
  readonly type: string | null;
  readonly payload: JsonObject | null;
}

/** Type and content of a line in both formats: `{timestamp, type, payload}` since September 2025, and bare items
 *  before. */
export function envelopeOf(value: JsonObject): Envelope {
  const payload = objectOf(value, 'payload');
  if (payload !== null) return { type: textOf(value, 'type'), payload };
  if (textOf(value, 'record_type') !== null) return { type: 'state', payload: value };
  if (own(value, 'type') !== undefined) return { type: 'response_item', payload: value };
  return textOf(value, 'id') === null ? { type: null, payload: value } : { type: 'session_meta', payload: value };
}

/** Facts in the first line of a rollout. */
export function codexMeta(payload: JsonObject | null) {
  return {
    lineage: lineageOf(payload),
    folder: nameOf(payload, 'cwd'),
    startedAt: isoTimeOf(payload, 'timestamp'),
    writtenBy: nameOf(payload, 'cli_version'),
  };
}

function lineageOf(payload: JsonObject | null): ForeignLineage | null {
  const spawn = objectOf(objectOf(objectOf(payload, 'source'), 'subagent'), 'thread_spawn');
  const starter = nameOf(spawn, 'parent_thread_id') ?? nameOf(payload, 'parent_thread_id');
  if (starter !== null) return { kind: 'delegate', parentId: starter };
  const base = nameOf(objectOf(payload, 'history_base'), 'thread_id');
  const origin = nameOf(payload, 'forked_from_id') ?? (base === nameOf(payload, 'id') ? null : base);
  return origin === null ? null : { kind: 'branch', parentId: origin };
}

/** Folder that the old format tells only to the model. */
export function folderInContext(text: string): string | null {
  return (
    /^<environment_context>[\s\S]{0,2000}?(?:<cwd>|Current working directory: )([^<\n]+)/.exec(text)?.[1]?.trim() ??
    null
  );
}

/** Folder and model of a turn. */
export function turnContext(payload: JsonObject | null) {
  return { folder: nameOf(payload, 'cwd'), model: textOf(payload, 'model') };
}

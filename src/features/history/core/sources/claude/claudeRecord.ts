import type { JsonObject } from '../../../../../transcript/json';
import type { StopReason } from '../../../../../transcript/stopReason';
import type { ForeignMessage, ForeignPart, ForeignView } from '../foreign';
import { anthropicContent, emptyReason, type ReadContent } from '../reading/content';
import { isoTimeOf, isSet, nameOf, objectOf, own, textOf, usageOf } from '../reading/fields';
import type { WholeRecord } from '../reading/records';

/** Result of reading one record of a session file.
 *  title: a name for the session; `custom` was typed by the user.
 *  boundary: marks where a summary replaced the messages before it. */
type ClaudeRecord =
  | {
      readonly kind: 'message';
      readonly message: ForeignMessage;
      readonly apiMessageId: string | null;
      /** Why the turn ended. Default: the record does not say. */
      readonly ended?: StopReason;
    }
  | { readonly kind: 'title'; readonly title: string; readonly rank: number }
  | { readonly kind: 'boundary' }
  | { readonly kind: 'bookkeeping'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly reason: string };

const ofTheProgram = new Set([
  'agent-color',
  'agent-name',
  'agent-setting',
  'api-request',
  'api-request-blob',
  'api-request-shape',
  'atis-latch',
  'attribution-snapshot',
  'bridge-session',
  'content-replacement',
  'context-collapse-commit',
  'context-collapse-snapshot',
  'cost-state',
  'file-history-snapshot',
  'last-prompt',
  'mode',
  'permission-mode',
  'pr-link',
  'progress',
  'queue-operation',
  'result',
  'started',
  'tag',
  'task-summary',
  'tools-used',
  'worktree-state',
]);

/** Commands that the program does itself: no model gets or answers them. */
const ownCommand =
  /^(?=<command-(?:name|message)>)[^]*<command-name>\/(?:add-dir|agents|bug|clear|compact|config|context|cost|doctor|effort|exit|export|fast|help|hooks|ide|login|logout|mcp|memory|model|permissions|plugin|quit|rename|resume|rewind|status|theme|usage|vim)<\/command-name>/;

const tokenCounts = {
  input: 'input_tokens',
  output: 'output_tokens',
  cached: 'cache_read_input_tokens',
  written: 'cache_creation_input_tokens',
  addsCache: true,
} as const;

/** Reads a record by its type. `viewOf` gives the place of a message in the conversation. */
export function claudeRecord(
  record: WholeRecord,
  viewOf: (uuid: string) => ForeignView,
  nameOfCall: (callId: string) => string | null,
): ClaudeRecord {
  const { value } = record;
  const type = textOf(value, 'type');
  switch (type) {
    case 'user':
    case 'assistant':
      return conversationRecord(type, record, viewOf, nameOfCall);
    case 'system':
      return systemRecord(record, viewOf);
    case 'attachment':
      return attachmentRecord(record, viewOf);
    case 'summary':
      return titleRecord(value, 'summary', 0);
    case 'ai-title':
      return titleRecord(value, 'aiTitle', 1);
    case 'custom-title':
      return titleRecord(value, 'customTitle', 2);
    case null:
      return { kind: 'unknown', reason: 'The record has no type.' };
    default:
      return ofTheProgram.has(type)
        ? { kind: 'bookkeeping', reason: `A record of type “${type}” holds no message.` }
        : { kind: 'unknown', reason: `Records of type “${type}” are not known.` };
  }
}

function titleRecord(value: JsonObject, field: string, rank: number): ClaudeRecord {
  const title = nameOf(value, field);
  if (title === null) return { kind: 'bookkeeping', reason: 'The title is empty.' };
  return { kind: 'title', title, rank };
}

function conversationRecord(
  type: 'user' | 'assistant',
  { value, place, notes }: WholeRecord,
  viewOf: (uuid: string) => ForeignView,
  nameOfCall: (callId: string) => string | null,
): ClaudeRecord {
  const body = objectOf(value, 'message');
  const uuid = nameOf(value, 'uuid');
  if (body === null || uuid === null) return { kind: 'unknown', reason: 'The record has no message or no uuid.' };
  const content = anthropicContent(own(body, 'content'), nameOfCall);
  if (content.parts.length === 0) return { kind: 'unknown', reason: emptyReason(content) };
  const model = nameOf(body, 'model');
  // Claude Code writes such messages itself, without a request.
  const isSynthetic = model === '<synthetic>';
  const isError = isSet(value, 'isApiErrorMessage');
  const isOwnCommand = content.parts.some((part) => part.kind === 'text' && ownCommand.test(part.text));
  const parts = content.parts.map((part) => asTyped(withOutcome(part, value)));
  const isStop = type === 'user' && isNoteOfStop(parts);
  const isProgramText = (isSynthetic && !isError) || isStop || isOwnCommand || isOutputOfCommand(parts);
  const usage = usageOf(objectOf(body, 'usage'), tokenCounts);
  return {
    kind: 'message',
    apiMessageId: type === 'assistant' ? nameOf(body, 'id') : null,
    ...(isError ? { ended: 'error' } : isStop ? { ended: 'user' } : {}),
    message: {
      id: uuid,
      role: isError ? 'system' : roleOf(type, parts),
      parts,
      view: specialView(value, isProgramText) ?? viewOf(uuid),
      createdAt: isoTimeOf(value, 'timestamp'),
      ...(isSynthetic ? {} : { model, usage, finishReason: nameOf(body, 'stop_reason') }),
      place,
      omitted: [...content.omitted, ...notes],
    },
  };
}

function roleOf(type: 'user' | 'assistant', parts: readonly ForeignPart[]): ForeignMessage['role'] {
  return type === 'user' && parts.every(({ kind }) => kind === 'toolResult') ? 'tool' : type;
}

function specialView(value: JsonObject, isProgramText: boolean): ForeignView | null {
  if (isSet(value, 'isCompactSummary')) return 'summary';
  return isProgramText || isSet(value, 'isMeta') ? 'hidden' : null;
}

/** A command of the program itself, `/compact` say: its output is stored as a message of the user. */
function isOutputOfCommand(parts: readonly ForeignPart[]): boolean {
  return parts.every((part) => part.kind === 'text' && /^<local-command-(?:stdout|stderr|caveat)>/.test(part.text));
}

/** Claude Code notes a stop by the user in the user's name, sometimes behind the results of the calls it ended. */
function isNoteOfStop(parts: readonly ForeignPart[]): boolean {
  const texts = parts.filter((part) => part.kind === 'text');
  return texts.length > 0 && texts.every(({ text }) => /^\[Request interrupted by user/.test(text));
}

/** A command as the user typed it: Claude Code stores `/name arguments` as tags. */
function asTyped(part: ForeignPart): ForeignPart {
  if (part.kind !== 'text' || !/^<command-(?:name|message)>/.test(part.text)) return part;
  const tag = (name: string): string => new RegExp(`<${name}>([^]*?)</${name}>`).exec(part.text)?.[1]?.trim() ?? '';
  const name = tag('command-name');
  return name === '' ? part : { ...part, text: `${name} ${tag('command-args')}`.trim() };
}

/** Claude Code tells a refusal and a stop only in `toolUseResult`, its own copy of the result. */
function withOutcome(part: ForeignPart, value: JsonObject): ForeignPart {
  if (part.kind !== 'toolResult') return part;
  const copy = own(value, 'toolUseResult');
  if (typeof copy === 'string' && /^(?:Error: )?User rejected tool use/.test(copy))
    return { ...part, outcome: 'denied' };
  return isSet(objectOf(value, 'toolUseResult'), 'interrupted') ? { ...part, outcome: 'interrupted' } : part;
}

function systemRecord(record: WholeRecord, viewOf: (uuid: string) => ForeignView): ClaudeRecord {
  const { value } = record;
  const subtype = textOf(value, 'subtype');
  if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary') return { kind: 'boundary' };
  const [uuid, text] = [nameOf(value, 'uuid'), nameOf(value, 'content')];
  if (uuid === null || text === null)
    return { kind: 'bookkeeping', reason: `A system record of type “${subtype ?? 'none'}” holds no text.` };
  return noteOf(record, uuid, 'system', anthropicContent(text), viewOf(uuid));
}

/** A prompt that the user typed while the agent worked is stored as an attachment. Programs attach notes the same
 *  way. */
function attachmentRecord(record: WholeRecord, viewOf: (uuid: string) => ForeignView): ClaudeRecord {
  const attachment = objectOf(record.value, 'attachment');
  const type = textOf(attachment, 'type') ?? 'none';
  const uuid = nameOf(record.value, 'uuid');
  const content = anthropicContent(own(attachment, 'prompt'));
  if (type === 'queued_command' && uuid !== null && content.parts.length > 0) {
    // Other modes are notes of the program about its background tasks.
    const isPrompt = (textOf(attachment, 'commandMode') ?? 'prompt') === 'prompt';
    return noteOf(record, uuid, 'user', content, isPrompt ? viewOf(uuid) : 'hidden');
  }
  return { kind: 'bookkeeping', reason: `An attachment of type “${type}” holds context of the program.` };
}

function noteOf(
  { value, place, notes }: WholeRecord,
  id: string,
  role: 'system' | 'user',
  { parts, omitted }: ReadContent,
  view: ForeignView,
): ClaudeRecord {
  const createdAt = isoTimeOf(value, 'timestamp');
  const about = { id, role, view: specialView(value, false) ?? view, createdAt, place };
  return { kind: 'message', apiMessageId: null, message: { ...about, parts, omitted: [...omitted, ...notes] } };
}

import type { JsonObject } from '../../../../../transcript/json';
import type { StopReason } from '../../../../../transcript/stopReason';
import type { ForeignMessage, ForeignPart, ForeignPlace, ForeignView } from '../foreign';
import { anthropicContent, anthropicUsage, type ReadContent } from '../reading/anthropicBlocks';
import { isoTimeOf, isSet, nameOf, objectOf, own, textOf } from '../reading/fields';

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

/** Reads a record by its type; the caller sets `parentId`. `viewOf` gives the place of a message in the
 *  conversation. */
export function claudeRecord(
  value: JsonObject,
  place: ForeignPlace,
  viewOf: (uuid: string) => ForeignView,
  nameOfCall: (callId: string) => string | null,
): ClaudeRecord {
  const type = textOf(value, 'type');
  switch (type) {
    case 'user':
    case 'assistant':
      return conversationRecord(type, value, place, viewOf, nameOfCall);
    case 'system':
      return systemRecord(value, place, viewOf);
    case 'attachment':
      return attachmentRecord(value, place, viewOf);
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
  value: JsonObject,
  place: ForeignPlace,
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
  return {
    kind: 'message',
    apiMessageId: type === 'assistant' ? nameOf(body, 'id') : null,
    ...(isError ? { ended: 'error' } : isStop ? { ended: 'user' } : {}),
    message: {
      id: uuid,
      parentId: null,
      role: isError ? 'system' : roleOf(type, parts),
      parts,
      view:
        specialView(value, (isSynthetic && !isError) || isStop || isOwnCommand || isOutputOfCommand(parts)) ??
        viewOf(uuid),
      createdAt: isoTimeOf(value, 'timestamp'),
      model: isSynthetic ? null : model,
      provider: type === 'assistant' && !isSynthetic ? 'anthropic' : null,
      finishReason: isSynthetic ? null : nameOf(body, 'stop_reason'),
      usage: isSynthetic ? null : anthropicUsage(objectOf(body, 'usage')),
      place,
      omitted: content.omitted,
    },
  };
}

function emptyReason({ omitted }: ReadContent): string {
  return omitted[0] ?? 'The message is empty.';
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

function systemRecord(value: JsonObject, place: ForeignPlace, viewOf: (uuid: string) => ForeignView): ClaudeRecord {
  const subtype = textOf(value, 'subtype');
  if (subtype === 'compact_boundary' || subtype === 'microcompact_boundary') return { kind: 'boundary' };
  const [uuid, text] = [nameOf(value, 'uuid'), nameOf(value, 'content')];
  if (uuid === null || text === null) {
    return {
      kind: 'bookkeeping',
      reason: `A system record of type “${subtype ?? 'none'}” holds no text.`,
    };
  }
  return { kind: 'message', apiMessageId: null, message: noteOf(value, place, uuid, text, 'system', viewOf(uuid)) };
}

/** A prompt that the user typed while the agent worked is stored as an attachment. Programs attach notes the same
 *  way. */
function attachmentRecord(value: JsonObject, place: ForeignPlace, viewOf: (uuid: string) => ForeignView): ClaudeRecord {
  const attachment = objectOf(value, 'attachment');
  const type = textOf(attachment, 'type') ?? 'none';
  const uuid = nameOf(value, 'uuid');
  if (type === 'queued_command' && uuid !== null) {
    const content = anthropicContent(own(attachment, 'prompt'), () => null);
    if (content.parts.length > 0) {
      // Other modes are notes of the program about its background tasks.
      const isPrompt = (textOf(attachment, 'commandMode') ?? 'prompt') === 'prompt';
      const note = noteOf(value, place, uuid, '', 'user', isPrompt ? viewOf(uuid) : 'hidden');
      return { kind: 'message', apiMessageId: null, message: { ...note, ...content } };
    }
  }
  return { kind: 'bookkeeping', reason: `An attachment of type “${type}” holds context of the program.` };
}

function noteOf(
  value: JsonObject,
  place: ForeignPlace,
  uuid: string,
  text: string,
  role: 'system' | 'user',
  view: ForeignView,
): ForeignMessage {
  return {
    id: uuid,
    parentId: null,
    role,
    parts: [{ kind: 'text', text }],
    view: specialView(value, false) ?? view,
    createdAt: isoTimeOf(value, 'timestamp'),
    model: null,
    provider: null,
    finishReason: null,
    usage: null,
    place,
    omitted: [],
  };
}

import { t } from '../../../base/translate';
import type { SqlRow, SqlValue } from '../../engine/sqlDatabase';
import { isContinuation } from '../../../transcript/continuation';
import { partLabels } from '../../../transcript/draftPart';
import {
  answerText,
  hiddenReasons,
  type AssistantMessage,
  type Message,
  type NewMessage,
  type Visibility,
} from '../../../transcript/message';
import type { Part, ToolResultPart } from '../../../transcript/part';
import { readBoolean, readInteger, oneOf, readPosition, readText, readTime, usageOf } from './columns';
import { foldChunks, type StoredChunk } from './chunkFolding';
import { decodeParts, decodeToolCalls, encodeParts, encodeToolCalls, type RoleParts } from './partsJson';
import type { ImportedRow } from '../../importing';

/** A parsed row of `messages`: its message, and if its `parts` were readable. */
export interface StoredMessage {
  readonly id: number;
  readonly message: Message;
  readonly readable: boolean;
  /** The raw column: kept as the earlier content when the row is rewritten. */
  readonly rawParts: string;
  readonly rawContent: string;
}

const unreadableSentence = (): string => t('This message couldn’t be read from the file. Its raw row is kept.');

/** Reads a row, with the chunks not yet folded into it. A row with damaged parts is still a message: it says so, and
 *  carries the content of the derived columns, so that lists, search and the sequence of calls and results keep
 *  working. */
export function readMessageRow(row: SqlRow, chunks: readonly StoredChunk[] = []): StoredMessage {
  const rawParts = readText(row, 'parts', '');
  const rawContent = readText(row, 'content', '');
  const role = oneOf(row, 'role', ['user', 'assistant', 'tool'], 'assistant');
  const decoded = decodeParts(role, rawParts);
  const body = decoded ?? degraded(role, row, rawContent);
  return {
    id: readInteger(row, 'id', 0),
    message: message(row, body, chunks),
    readable: decoded !== null,
    rawParts,
    rawContent,
  };
}

function message(row: SqlRow, body: RoleParts, chunks: readonly StoredChunk[]): Message {
  const base = {
    uid: readText(row, 'uid', ''),
    sessionId: readText(row, 'session_id', ''),
    turnUid: readText(row, 'turn_uid', null),
    position: readPosition(row, 'position', 0),
    createdAt: readTime(row, 'timestamp', 0),
    visibility: visibilityOf(row),
    carriedFrom: readText(row, 'carried_from', null),
  };
  switch (body.role) {
    case 'user':
      return { ...base, role: 'user', parts: body.parts };
    case 'tool':
      return { ...base, role: 'tool', parts: body.parts };
    case 'assistant': {
      const lastSeq = readInteger(row, 'last_seq', 0);
      const assistant: AssistantMessage = {
        ...base,
        role: 'assistant',
        parts: foldChunks(body.parts, chunks),
        state: oneOf(row, 'state', ['streaming', 'final'], 'final'),
        lastSeq: chunks.reduce((highest, chunk) => Math.max(highest, chunk.seq), lastSeq),
        model: readText(row, 'model', null),
        finishReason: readText(row, 'finish_reason', null),
        usage: usageOf(row),
      };
      return assistant;
    }
  }
}

function degraded(role: Message['role'], row: SqlRow, content: string): RoleParts {
  const text = content === '' ? unreadableSentence() : `${unreadableSentence()}\n\n${content}`;
  switch (role) {
    case 'user':
      return { role, parts: [{ kind: 'text', text }] };
    case 'assistant':
      return { role, parts: [{ kind: 'text', text }, ...decodeToolCalls(readText(row, 'tool_calls', ''))] };
    case 'tool': {
      const callId = readText(row, 'tool_call_id', '');
      return {
        role,
        parts: [{ kind: 'toolResult', callId, name: readText(row, 'tool_name', ''), outcome: 'failed', text }],
      };
    }
  }
}

function visibilityOf(row: SqlRow): Visibility {
  if (!readBoolean(row, 'active')) {
    return {
      kind: 'hidden',
      reason: oneOf(row, 'hidden_reason', hiddenReasons, 'dropped'),
      absorbedInto: readText(row, 'absorbed_into', null),
    };
  }
  return { kind: oneOf(row, 'display_kind', ['closing', 'handoff'], null) ?? 'shown' };
}

interface Written {
  readonly message: NewMessage;
  readonly result: ToolResultPart | null;
  readonly assistant: Omit<AssistantMessage, 'position'> | null;
  readonly hidden: (Visibility & { readonly kind: 'hidden' }) | null;
}

/** Columns written for a message, and their values. */
const written: { readonly [column: string]: (of: Written) => SqlValue } = {
  uid: ({ message }) => message.uid,
  session_id: ({ message }) => message.sessionId,
  turn_uid: ({ message }) => message.turnUid,
  role: ({ message }) => message.role,
  content: ({ message }) => searchableText(message),
  parts: ({ message }) => encodeParts(message.parts),
  tool_call_id: ({ result }) => result?.callId ?? null,
  tool_calls: ({ message }) => encodeToolCalls(message.parts),
  tool_name: ({ result }) => result?.name ?? null,
  timestamp: ({ message }) => message.createdAt,
  token_count: ({ assistant }) => assistant?.usage?.outputTokens ?? null,
  finish_reason: ({ assistant }) => assistant?.finishReason ?? null,
  reasoning_content: ({ message: { parts } }) => {
    const texts = parts.flatMap((part) => (part.kind === 'thinking' ? [part.text] : []));
    return texts.length === 0 ? null : texts.join('\n\n');
  },
  reasoning_details: ({ message }) => reasoningDetails(message.parts),
  active: ({ hidden }) => (hidden === null ? 1 : 0),
  display_kind: ({ message: { visibility } }) =>
    visibility.kind === 'closing' || visibility.kind === 'handoff' ? visibility.kind : null,
  hidden_reason: ({ hidden }) => hidden?.reason ?? null,
  absorbed_into: ({ hidden }) => hidden?.absorbedInto ?? null,
  carried_from: ({ message }) => message.carriedFrom,
  state: ({ assistant }) => assistant?.state ?? 'final',
  last_seq: ({ assistant }) => assistant?.lastSeq ?? 0,
  model: ({ assistant }) => assistant?.model ?? null,
  usage: ({ assistant }) => (assistant === null || assistant.usage === null ? null : JSON.stringify(assistant.usage)),
};

export const messageColumns = Object.keys(written);

/** In the order of `messageColumns`. */
export function messageValues(message: NewMessage): SqlValue[] {
  const { visibility } = message;
  const of: Written = {
    message,
    result: message.role === 'tool' ? message.parts[0] : null,
    assistant: message.role === 'assistant' ? message : null,
    hidden: visibility.kind === 'hidden' ? visibility : null,
  };
  return Object.values(written).map((value) => value(of));
}

/** Columns with the texts of a message. A long one goes to the store as UTF-8: sql.js encodes a text character by
 *  character, which took a third of the time of an import. */
const texts: ReadonlySet<string> = new Set(['content', 'parts']);
const longText = 1024;
const encoder = new TextEncoder();

/** A row as the store writes it. Runs off the store's thread, which only has to write the values. */
export function importedRow(message: NewMessage, position: number): ImportedRow {
  const values = messageValues(message).map((value, index) =>
    typeof value === 'string' && value.length >= longText && texts.has(messageColumns[index] ?? '')
      ? encoder.encode(value)
      : value,
  );
  return [...values, position];
}

/** Stores such a row; the texts in it become texts again. */
export const insertImported = `INSERT INTO messages (${messageColumns.join(', ')}, position)
  VALUES (${messageColumns.map((column) => (texts.has(column) ? 'CAST(? AS TEXT)' : '?')).join(', ')}, ?)`;

/** The derived `content` column, by which search finds a message. Excludes thinking and prompts made by Continue; of
 *  attachments it includes only the labels. */
export function searchableText(message: Pick<NewMessage, 'role' | 'parts'>): string {
  if (isContinuation(message)) return '';
  const result = message.parts.find((part) => part.kind === 'toolResult');
  return (
    result?.text ?? [answerText(message.parts), ...partLabels(message.parts)].filter((text) => text !== '').join('\n')
  );
}

function reasoningDetails(parts: readonly Part[]): string | null {
  const details = parts.flatMap((part) =>
    part.kind === 'thinking' && part.metadata !== undefined ? [part.metadata] : [],
  );
  return details.length === 0 ? null : JSON.stringify(details);
}

import type { Message } from '../../../../transcript/message';
import type { AssistantPart, TextPart, ToolResultPart } from '../../../../transcript/part';
import { hermesMessage } from '../sources/hermes/hermesMessage';
import { digestOf } from '../../../../store/session/queries/integrity';
import { cutCallsIn, isScaffoldingText, shortened, type CheckedRow } from '../../../../transcript/rules/checkedSession';
import type { ForeignPart } from '../sources/foreign';
import { rowName, rowNumber, rowText, type ForeignRow } from '../sources/reading/foreignDatabase';

/** A row of `messages` that a model gets; null for any other. A row that can't be read is in its place, without
 *  content. */
export function hermesCheckedRow(row: ForeignRow, path: string, sessionId: string): CheckedRow | null {
  const number = rowNumber(row, 'id') ?? 0;
  const role = rowText(row, 'role');
  if (role === 'system' || rowNumber(row, 'active') === 0) return null;
  const read = hermesMessage(row, { path, unit: 'row', number }, true);
  const content = rowText(row, 'content') ?? '';
  const parts = read.kind === 'message' ? read.message.parts : [];
  const message = asMessage(row, `row ${number}`, sessionId, parts);
  const isEmpty =
    role === 'assistant' && content.trim() === '' && rowName(row, 'tool_calls') === null && parts.length === 0;
  const damage = read.kind === 'message' ? (read.message.omitted[0] ?? null) : read.reason;
  return {
    id: String(number),
    message: shortened(message),
    digest: digestOf(message.role, parts),
    cutCalls: cutCallsIn(message.parts),
    damage: isEmpty ? null : (damage ?? (isUtf8(row['content']) ? null : '')),
    isScaffolding: isScaffoldingText(message.role, content),
    isEmpty,
  };
}

function asMessage(row: ForeignRow, uid: string, sessionId: string, parts: readonly ForeignPart[]): Message {
  const base = {
    uid,
    sessionId,
    turnUid: null,
    position: rowNumber(row, 'id') ?? 0,
    createdAt: rowNumber(row, 'timestamp') ?? 0,
    visibility: { kind: 'shown' },
    carriedFrom: null,
  } as const;
  const role = rowText(row, 'role');
  if (role === 'tool') {
    const result = parts.find((part): part is ToolResultPart => part.kind === 'toolResult');
    const callId = rowName(row, 'tool_call_id') ?? '';
    return {
      ...base,
      role,
      parts: [result ?? { kind: 'toolResult', callId, name: '', outcome: 'failed', text: '' }],
    };
  }
  if (role === 'user')
    return { ...base, role, parts: parts.filter((part) => part.kind === 'text' || part.kind === 'image') };
  const answer = parts.filter(
    (part): part is AssistantPart => part.kind === 'text' || part.kind === 'thinking' || part.kind === 'toolCall',
  );
  const unread: TextPart = { kind: 'text', text: '' };
  return {
    ...base,
    role: 'assistant',
    parts: answer.length === 0 ? [unread] : answer,
    state: 'final',
    lastSeq: 0,
    model: null,
    finishReason: rowName(row, 'finish_reason'),
    usage: null,
  };
}

function isUtf8(value: ForeignRow[string] | undefined): boolean {
  if (!(value instanceof Uint8Array)) return true;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(value);
    return true;
  } catch {
    return false;
  }
}

import { parseJsonObject } from '../../../../../transcript/json';
import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { ToolOutcome } from '../../../../../transcript/part';
import type { ForeignMessage, ForeignPart, ForeignPlace, ForeignView } from '../foreign';
import { resultOf, type ReadContent } from '../reading/anthropicBlocks';
import { asEpochTime, asList, asObject, nameOf, objectOf, own } from '../reading/fields';
import { rowName, rowNumber, rowText, type ForeignRow } from '../reading/foreignDatabase';
import { argumentsOf, openaiContent } from '../reading/openaiContent';
import { summaryIn, type HermesSummary } from './hermesSummary';

type HermesMessage =
  | {
      readonly kind: 'message';
      readonly message: ForeignMessage;
      /** A message that was merged with the summary that `message` is. Default: null. */
      readonly merged: ForeignMessage | null;
    }
  | { readonly kind: 'unknown' | 'damaged'; readonly reason: string };

/** Marks content that is not a plain text (hermes_state.py). It cannot begin a text. */
const jsonMark = '\0json:';

/** Reads a row of `messages`. `isKept`: the model still gets it after a compaction. */
export function hermesMessage(row: ForeignRow, place: ForeignPlace, isKept: boolean): HermesMessage {
  const role = rowText(row, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'tool' && role !== 'system') {
    return { kind: 'unknown', reason: `Messages of role “${role ?? 'none'}” are not known.` };
  }
  const content = contentOf(row);
  const read = role === 'tool' ? resultOfRow(row, content) : role === 'assistant' ? answerOf(row, content) : content;
  if (read.parts.length === 0) {
    return { kind: 'damaged', reason: read.omitted[0] ?? 'The message is empty.' };
  }
  const view = viewOf(row);
  const message: ForeignMessage = {
    id: `row ${place.number}`,
    parentId: null,
    role,
    parts: read.parts,
    view: isKept && view === 'compacted' ? 'shown' : view,
    createdAt: asEpochTime(rowNumber(row, 'timestamp')),
    model: null,
    provider: null,
    finishReason: rowName(row, 'finish_reason'),
    usage: null,
    place,
    omitted: read.omitted,
  };
  const summary = role === 'tool' ? null : summaryIn(rowText(row, 'content') ?? '');
  return summary === null ? { kind: 'message', message, merged: null } : summaryOf(message, summary);
}

function summaryOf(message: ForeignMessage, { text, prior }: HermesSummary): HermesMessage {
  const merged: ForeignMessage | null =
    prior === null
      ? null
      : {
          ...message,
          id: `${message.id} prior`,
          parts: [{ kind: 'text', text: prior }],
          view: priorView(message.view),
        };
  return { kind: 'message', message: { ...message, parts: [{ kind: 'text', text }], view: 'summary' }, merged };
}

function priorView(view: ForeignView): ForeignView {
  return view === 'summary' || view === 'hidden' ? 'shown' : view;
}

/** `active` = 0 with `compacted` = 1 was summarized away but is still shown; without it, the user took it back. */
function viewOf(row: ForeignRow): ForeignView {
  if (rowNumber(row, '_compressed_summary') === 1) return 'summary';
  if (rowNumber(row, 'active') === 0) return rowNumber(row, 'compacted') === 1 ? 'compacted' : 'abandoned';
  return rowText(row, 'display_kind') === 'hidden' ? 'hidden' : 'shown';
}

function contentOf(row: ForeignRow): ReadContent {
  const text = rowText(row, 'content') ?? '';
  if (!text.startsWith(jsonMark)) return textContent(text);
  const value = parsed(text.slice(jsonMark.length));
  if (value === undefined) return { parts: [], omitted: ['The content is damaged.'] };
  const object = asObject(value);
  return openaiContent(object === null ? value : (own(object, 'content') ?? [object]));
}

function textContent(text: string): ReadContent {
  return { parts: text === '' ? [] : [{ kind: 'text', text }], omitted: [] };
}

function answerOf(row: ForeignRow, content: ReadContent): ReadContent {
  const omitted = [...content.omitted];
  const parts: ForeignPart[] = [...thinkingOf(row), ...content.parts];
  const calls = rowName(row, 'tool_calls');
  const list = calls === null ? [] : asList(parsed(calls));
  if (list === null) omitted.push('The tool calls of this message are damaged.');
  for (const call of list ?? []) {
    const part = callOf(asObject(call));
    if (part === null) omitted.push('A tool call without an id or a name was left out.');
    else parts.push(part);
  }
  return { parts, omitted };
}

function callOf(call: JsonObject | null): ForeignPart | null {
  const body = objectOf(call, 'function') ?? call;
  const [callId, name] = [nameOf(call, 'id') ?? nameOf(call, 'call_id'), nameOf(body, 'name')];
  if (callId === null || name === null) return null;
  return { kind: 'toolCall', callId, name, arguments: argumentsOf(body, 'arguments') };
}

function thinkingOf(row: ForeignRow): readonly ForeignPart[] {
  const text = rowName(row, 'reasoning_content') ?? rowName(row, 'reasoning') ?? '';
  const details = rowName(row, 'reasoning_details');
  const list = details === null ? null : asList(parsed(details));
  if (text === '' && list === null) return [];
  return [
    { kind: 'thinking', text, ...(list === null ? {} : { metadata: { openrouter: { reasoning_details: list } } }) },
  ];
}

function resultOfRow(row: ForeignRow, content: ReadContent): ReadContent {
  const callId = rowName(row, 'tool_call_id');
  if (callId === null) return { parts: [], omitted: ['The result does not name its call.'] };
  return resultOf(callId, rowText(row, 'tool_name') ?? '', outcomeOf(rowText(row, 'content') ?? ''), content);
}

/** Hermes tells a failure only in the text of the result. */
function outcomeOf(text: string): ToolOutcome {
  if (!text.startsWith('{"error":')) return 'done';
  const read = parseJsonObject(text);
  return read.kind === 'object' && own(read.value, 'error') === null ? 'done' : 'failed';
}

function parsed(text: string): JsonValue | undefined {
  const wrapped = parseJsonObject(`{"value":${text}}`);
  return wrapped.kind === 'object' ? own(wrapped.value, 'value') : undefined;
}

import { parseJsonObject, type JsonValue } from '../../../../../transcript/json';
import type { ToolOutcome } from '../../../../../transcript/part';
import type { ForeignMessage, ForeignPlace, ForeignView } from '../foreign';
import {
  callOf,
  emptyReason,
  joined,
  noContent,
  omit,
  one,
  openaiContent,
  resultOf,
  textContent,
  type ReadContent,
} from '../reading/content';
import { asList, asObject, epochTimeOf, nameOf, numberOf, objectOf, own, textOf } from '../reading/fields';
import type { ForeignRow } from '../reading/foreignDatabase';

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
  const role = textOf(row, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'tool' && role !== 'system') {
    return { kind: 'unknown', reason: `Messages of role “${role ?? 'none'}” are not known.` };
  }
  const content = contentOf(row);
  const read = role === 'tool' ? resultOfRow(row, content) : role === 'assistant' ? answerOf(row, content) : content;
  if (read.parts.length === 0) return { kind: 'damaged', reason: emptyReason(read) };
  const view = viewOf(row);
  const message: ForeignMessage = {
    id: `row ${place.number}`,
    role,
    parts: read.parts,
    view: isKept && view === 'compacted' ? 'shown' : view,
    createdAt: epochTimeOf(row, 'timestamp'),
    finishReason: nameOf(row, 'finish_reason'),
    place,
    omitted: read.omitted,
  };
  const summary = role === 'tool' ? null : summaryIn(textOf(row, 'content') ?? '');
  if (summary === null) return { kind: 'message', message, merged: null };
  const { text, prior } = summary;
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
  if (numberOf(row, '_compressed_summary') === 1) return 'summary';
  if (numberOf(row, 'active') === 0) return numberOf(row, 'compacted') === 1 ? 'compacted' : 'abandoned';
  return textOf(row, 'display_kind') === 'hidden' ? 'hidden' : 'shown';
}

function contentOf(row: ForeignRow): ReadContent {
  const text = textOf(row, 'content') ?? '';
  if (!text.startsWith(jsonMark)) return textContent(text);
  const value = parsed(text.slice(jsonMark.length));
  if (value === undefined) return omit('The content is damaged.');
  const object = asObject(value);
  return openaiContent(object === null ? value : (own(object, 'content') ?? [object]));
}

function answerOf(row: ForeignRow, content: ReadContent): ReadContent {
  const calls = nameOf(row, 'tool_calls');
  const list = calls === null ? [] : asList(parsed(calls));
  const called = list?.map((item) => {
    const call = asObject(item);
    const body = objectOf(call, 'function') ?? call;
    return callOf(nameOf(call, 'id') ?? nameOf(call, 'call_id'), nameOf(body, 'name'), body, 'arguments');
  });
  return joined([thinkingOf(row), content, ...(called ?? [omit('The tool calls of this message are damaged.')])]);
}

function thinkingOf(row: ForeignRow): ReadContent {
  const text = nameOf(row, 'reasoning_content') ?? nameOf(row, 'reasoning') ?? '';
  const details = nameOf(row, 'reasoning_details');
  const list = details === null ? null : asList(parsed(details));
  if (text === '' && list === null) return noContent;
  const thinking = { kind: 'thinking', text } as const;
  return one(list === null ? thinking : { ...thinking, metadata: { openrouter: { reasoning_details: list } } });
}

function resultOfRow(row: ForeignRow, content: ReadContent): ReadContent {
  const callId = nameOf(row, 'tool_call_id');
  if (callId === null) return omit('The result does not name its call.');
  return resultOf(callId, textOf(row, 'tool_name') ?? '', outcomeOf(textOf(row, 'content') ?? ''), content);
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

/** Beginnings of the texts that Hermes Agent puts before a summary (`SUMMARY_PREFIX` and `LEGACY_SUMMARY_PREFIX` in
 *  agent/context_compressor.py). Versions before the column `_compressed_summary` have no other mark. */
const beginnings = ['[CONTEXT COMPACTION — REFERENCE ONLY]', '[CONTEXT SUMMARY]:'];
/** Last words of the instructions after the first beginning, in every version. */
const instructionsEnd = 'avoid repeating it:';
const endMark = '--- END OF CONTEXT SUMMARY —';
/** Around a message that was merged with a summary. */
const priorHeader = '[PRIOR CONTEXT — for reference only; not a new message]';
const priorEnd = '[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]';

export interface HermesSummary {
  /** The summary without the instructions around it. */
  readonly text: string;
  /** Text of a message that was merged with it. Default: null. */
  readonly prior: string | null;
}

/** The summary in a text; null for other texts. */
export function summaryIn(text: string): HermesSummary | null {
  const border = text.startsWith(priorHeader) ? text.indexOf(priorEnd) : -1;
  if (border === -1) return isSummary(text) ? { text: bodyOf(text), prior: null } : null;
  const rest = text.slice(border + priorEnd.length).trimStart();
  if (!isSummary(rest)) return null;
  const prior = text.slice(priorHeader.length, border).trim();
  return { text: bodyOf(rest), prior: prior === '' ? null : prior };
}

function isSummary(text: string): boolean {
  return beginnings.some((beginning) => text.startsWith(beginning));
}

function bodyOf(text: string): string {
  const beginning = beginnings.find((one) => text.startsWith(one)) ?? '';
  const instructed = beginning === beginnings[0] ? text.indexOf(instructionsEnd) : -1;
  const start = instructed === -1 ? beginning.length : instructed + instructionsEnd.length;
  const end = text.lastIndexOf(endMark);
  return text.slice(start, end < start ? undefined : end).trim();
}

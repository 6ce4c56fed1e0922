import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { StopReason } from '../../../../../transcript/stopReason';
import type { ForeignMessage, ForeignView, SkipKind } from '../foreign';
import {
  callOf,
  emptyReason,
  imageContent,
  joined,
  omit,
  one,
  resultOf,
  textContent,
  unknownBlock,
  type ReadContent,
} from '../reading/content';
import {
  asList,
  asObject,
  epochTimeOf,
  isSet,
  isoTimeOf,
  nameOf,
  numberOf,
  objectOf,
  own,
  textOf,
  usageOf,
} from '../reading/fields';
import type { WholeRecord } from '../reading/records';

const tokenCounts = {
  input: 'input',
  output: 'output',
  cached: 'cacheRead',
  written: 'cacheWrite',
  addsCache: true,
} as const;

type PiEntry = {
  /** Why the turn ended with this answer, or part of one. Default: it did not, or was complete. */
  readonly ended?: { readonly reason: StopReason; readonly error: string | null };
} & (
  { readonly kind: 'message'; readonly message: ForeignMessage } | { readonly kind: SkipKind; readonly reason: string }
);

/** Reads an entry that may be a message. */
export function piEntry(record: Entry['record'], id: string, view: ForeignView): PiEntry {
  const { value } = record;
  const type = textOf(value, 'type');
  const entry = { record, id, view };
  switch (type) {
    case 'message':
      return piMessage(entry, objectOf(value, 'message'));
    case 'compaction':
      return messageOf(entry, 'user', textContent(textOf(value, 'summary') ?? ''), {
        view: view === 'abandoned' ? view : 'summary',
      });
    case 'branch_summary':
      return messageOf(entry, 'user', textContent(textOf(value, 'summary') ?? ''), { view: hiddenIn(view) });
    case 'custom_message':
      return customMessage(entry, value);
    case 'thinking_level_change':
    case 'custom':
    case 'label':
    case 'usage':
    case 'context_edit':
      return { kind: 'bookkeeping', reason: `A record of type “${type}” holds no message.` };
    default:
      return { kind: 'unknown', reason: `Records of type “${type ?? 'none'}” are not known.` };
  }
}

interface Entry {
  readonly record: Omit<WholeRecord, 'kind' | 'name'>;
  readonly id: string;
  readonly view: ForeignView;
}

function piMessage(entry: Entry, body: JsonObject | null): PiEntry {
  const role = textOf(body, 'role');
  const createdAt = epochTimeOf(body, 'timestamp') ?? isoTimeOf(entry.record.value, 'timestamp');
  switch (role) {
    case 'user':
      return messageOf(entry, 'user', contentOf(own(body, 'content')), { createdAt });
    case 'assistant':
      return answerOf(entry, body, createdAt);
    case 'toolResult':
      return messageOf(entry, 'tool', toolResult(body), { createdAt });
    case 'bashExecution': {
      const text = `! ${textOf(body, 'command') ?? ''}\n${textOf(body, 'output') ?? ''}`;
      return messageOf(entry, 'user', textContent(text.trimEnd()), { createdAt });
    }
    case 'system':
      return messageOf(entry, 'system', contentOf(own(body, 'content')), { createdAt });
    case 'custom':
    case 'hookMessage':
      return customMessage(entry, body);
    default:
      return { kind: 'unknown', reason: `Messages of role “${role ?? 'none'}” are not known.` };
  }
}

/** The error of a request that failed is kept as a note, also after the part of an answer that arrived. */
function answerOf(entry: Entry, body: JsonObject | null, createdAt: number | null): PiEntry {
  const content = contentOf(own(body, 'content'));
  const finishReason = nameOf(body, 'stopReason');
  const error = nameOf(body, 'errorMessage');
  const isStopped = finishReason === 'aborted';
  const ended = isStopped || error !== null ? ({ reason: isStopped ? 'user' : 'error', error } as const) : undefined;
  if (content.parts.length === 0 && error !== null && !isStopped)
    return {
      ...messageOf(entry, 'system', textContent(error), { createdAt }),
      ended: { reason: 'error', error: null },
    };
  if (content.parts.length === 0 && isStopped) {
    return {
      kind: 'bookkeeping',
      reason: 'The answer was stopped before it began.',
      ended: { reason: 'user', error: null },
    };
  }
  const counts = objectOf(body, 'usage');
  const usage = usageOf(counts, tokenCounts, numberOf(objectOf(counts, 'cost'), 'total'));
  const message = messageOf(entry, 'assistant', content, {
    createdAt,
    finishReason,
    model: nameOf(body, 'model'),
    usage,
  });
  return ended === undefined ? message : { ...message, ended };
}

function toolResult(body: JsonObject | null): ReadContent {
  const callId = nameOf(body, 'toolCallId');
  if (callId === null) return omit('A tool result without the id of its call was left out.');
  const outcome = isSet(body, 'isError') ? 'failed' : 'done';
  return resultOf(callId, textOf(body, 'toolName') ?? '', outcome, contentOf(own(body, 'content')));
}

/** Extensions write such messages. The model gets them as the user's. */
function customMessage(entry: Entry, body: JsonObject | null): PiEntry {
  const content = contentOf(own(body, 'content'));
  if (isSet(body, 'display')) return messageOf(entry, 'system', content, {});
  return messageOf(entry, 'user', content, { view: hiddenIn(entry.view) });
}

function hiddenIn(view: ForeignView): ForeignView {
  return view === 'abandoned' ? view : 'hidden';
}

function messageOf(
  { record: { value, place, notes }, id, view }: Entry,
  role: ForeignMessage['role'],
  content: ReadContent,
  more: Partial<ForeignMessage>,
): PiEntry {
  const { parts } = content;
  if (parts.length === 0) return { kind: 'damaged', reason: emptyReason(content) };
  const about = { createdAt: isoTimeOf(value, 'timestamp'), place, omitted: [...content.omitted, ...notes] };
  return { kind: 'message', message: { id, role, parts, view, ...about, ...more } };
}

function contentOf(content: JsonValue | undefined): ReadContent {
  if (typeof content === 'string') return textContent(content);
  return joined((asList(content) ?? []).map((block) => blockOf(asObject(block))));
}

function blockOf(block: JsonObject | null): ReadContent {
  const type = textOf(block, 'type');
  switch (type) {
    case 'text':
      return textContent(textOf(block, 'text') ?? '');
    case 'thinking':
      return one({ kind: 'thinking', text: textOf(block, 'thinking') ?? '' });
    case 'image':
      return imageContent(block, 'mimeType');
    case 'toolCall':
      return callOf(nameOf(block, 'id'), nameOf(block, 'name'), block, 'arguments');
    default:
      return unknownBlock(type);
  }
}

import type { JsonObject, JsonValue } from '../../../../../transcript/json';
import type { StopReason } from '../../../../../transcript/stopReason';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignMessage, ForeignPart, ForeignPlace, ForeignView, SkipKind } from '../foreign';
import { joined, noContent, omit, resultOf, type ReadContent } from '../reading/anthropicBlocks';
import {
  asList,
  asObject,
  countOf,
  epochTimeOf,
  isSet,
  isoTimeOf,
  nameOf,
  numberOf,
  objectOf,
  own,
  textOf,
} from '../reading/fields';
import { argumentsOf } from '../reading/openaiContent';

type PiEntry = {
  /** Why the turn ended with this answer, or part of one. Default: it did not, or was complete. */
  readonly ended?: { readonly reason: StopReason; readonly error: string | null };
} & (
  { readonly kind: 'message'; readonly message: ForeignMessage } | { readonly kind: SkipKind; readonly reason: string }
);

/** Reads an entry that may be a message; the caller sets `parentId`. */
export function piEntry(value: JsonObject, id: string, place: ForeignPlace, view: ForeignView): PiEntry {
  const type = textOf(value, 'type');
  const entry = { value, id, place, view };
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
  readonly value: JsonObject;
  readonly id: string;
  readonly place: ForeignPlace;
  readonly view: ForeignView;
}

function piMessage(entry: Entry, body: JsonObject | null): PiEntry {
  const role = textOf(body, 'role');
  const createdAt = epochTimeOf(body, 'timestamp') ?? isoTimeOf(entry.value, 'timestamp');
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
  const [model, provider] = [nameOf(body, 'model'), nameOf(body, 'provider')];
  const usage = usageOf(objectOf(body, 'usage'));
  const message = messageOf(entry, 'assistant', content, { createdAt, finishReason, model, provider, usage });
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
  { value, id, place, view }: Entry,
  role: ForeignMessage['role'],
  { parts, omitted }: ReadContent,
  more: Partial<ForeignMessage>,
): PiEntry {
  if (parts.length === 0) return { kind: 'damaged', reason: omitted[0] ?? 'The message is empty.' };
  const createdAt = isoTimeOf(value, 'timestamp');
  const unsaid = { parentId: null, model: null, provider: null, finishReason: null, usage: null };
  return { kind: 'message', message: { ...unsaid, id, role, parts, view, createdAt, place, omitted, ...more } };
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
    case 'image': {
      const [mediaType, dataBase64] = [nameOf(block, 'mimeType'), nameOf(block, 'data')];
      if (mediaType === null || dataBase64 === null) return omit('An image without data was left out.');
      return one({ kind: 'image', mediaType, dataBase64 });
    }
    case 'toolCall': {
      const [callId, name] = [nameOf(block, 'id'), nameOf(block, 'name')];
      if (callId === null || name === null) return omit('A tool call without an id or a name was left out.');
      return one({ kind: 'toolCall', callId, name, arguments: argumentsOf(block, 'arguments') });
    }
    default:
      return omit(`A block of type “${type ?? 'none'}” was left out.`);
  }
}

function textContent(text: string): ReadContent {
  return text === '' ? noContent : one({ kind: 'text', text });
}

function one(part: ForeignPart): ReadContent {
  return { parts: [part], omitted: [] };
}

/** `input` excludes cached tokens. */
function usageOf(usage: JsonObject | null): Usage | null {
  const [input, output] = [countOf(usage, 'input'), countOf(usage, 'output')];
  if (input === null && output === null) return null;
  const [cached, written] = [countOf(usage, 'cacheRead'), countOf(usage, 'cacheWrite')];
  const cost = numberOf(objectOf(usage, 'cost'), 'total');
  return {
    inputTokens: input === null ? null : input + (cached ?? 0) + (written ?? 0),
    outputTokens: output,
    cachedInputTokens: cached,
    cacheWriteTokens: written,
    reasoningTokens: null,
    ...(cost === null || cost < 0 ? {} : { costUsd: cost }),
  };
}

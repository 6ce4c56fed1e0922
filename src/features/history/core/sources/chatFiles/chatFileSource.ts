import { basename } from 'node:path';
import { t } from '../../../../../base/translate';
import type { ForeignMessage, ForeignPlace, ForeignSession } from '../foreign';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { emptyReason, textIn } from '../reading/content';
import { asObject, epochTimeOf, isoTimeOf, nameOf, listOf, own, textOf } from '../reading/fields';
import { foundSession, shortTitle } from '../reading/foundSessions';
import { filesBelow, type HistoryFiles, firstText, jsonFile } from '../reading/historyFiles';
import { unreadable, jsonLines } from '../reading/records';
import { skip } from '../reading/sessionReading';
import { openaiMessage, OpenCalls, shareGptMessage } from './chatMessage';
import { chatGptMessage, claudeAiMessage, treeOf } from './webExports';
import { parseJsonObject, type JsonObject, type JsonValue } from '../../../../../transcript/json';
import { elements } from '../reading/elements';
import { longestLine } from '../reading/lines';
import { noSession } from '../../../../../transcript/sourceTitles';

/** Conversations in JSON and JSONL files that the user chose: OpenAI's chat messages, and ShareGPT (with the tags of
 *  Hermes Agent's trajectories). By OpenAI's chat completions reference and hermes-agent's trajectory format. */
export function chatFileSource(files: HistoryFiles): HistorySource {
  return {
    name: 'openai',
    async *locate({ chosen }) {
      for (const place of chosen) {
        if ((await files.stat(place))?.kind === 'file') yield place;
        else yield* filesBelow(files, place, 8, /\.(?:json|jsonl|ndjson)$/i);
      }
    },
    findIn: (path) => findIn(files, path),
    read: (session) => read(files, session),
  };
}

async function* read(files: HistoryFiles, { location: { path, key } }: ForeignSession): AsyncGenerator<ReadEvent> {
  let records = 0;
  for await (const conversation of conversations(files, path)) {
    if (conversation.kind === 'none' || String(conversation.place.number) !== key) continue;
    yield* eventsOf(conversation);
    records = conversation.messages.length;
    break;
  }
  yield { kind: 'end', records };
}

async function* findIn(files: HistoryFiles, path: string): AsyncGenerator<Found> {
  let sessions = 0;
  /** Elements that hold no conversation, by the reason. */
  const others = new Map<string, { readonly first: NoConversation; readonly count: number }>();
  for await (const found of conversations(files, path)) {
    if (found.kind === 'none') {
      const known = others.get(found.reason);
      others.set(found.reason, { first: known?.first ?? found, count: (known?.count ?? 0) + 1 });
      continue;
    }
    if (found.messages.length === 0) continue;
    sessions++;
    yield sessionOf(found);
  }
  for (const [reason, { first, count }] of others) {
    const isRefused = !first.isDamaged && sessions === 0;
    const said = first.isDamaged || isRefused ? reason : t('It holds no conversation.');
    const more =
      count === 1 || isRefused ? said : t('{reason} ({count} like it)', { reason: said, count: String(count) });
    const kind = first.isDamaged ? 'damaged' : 'unknown';
    yield { kind: 'skipped', skipped: { place: first.place, kind, reason: more } };
  }
}

const readers = {
  openai: openaiMessage,
  shareGpt: shareGptMessage,
  chatGpt: chatGptMessage,
  claudeAi: claudeAiMessage,
} as const;

type Chat = Extract<Conversation, { kind: 'conversation' }>;
type NoConversation = Extract<Conversation, { kind: 'none' }>;

function sessionOf(chat: Chat): Found {
  const { about, place, messages, format } = chat;
  const timeOf = (names: readonly string[]): number | null =>
    names.reduce<number | null>((found, name) => found ?? epochTimeOf(about, name) ?? isoTimeOf(about, name), null);
  const startedAt = timeOf(['created_at', 'create_time', 'timestamp']);
  return foundSession(format, place.path, {
    id:
      nameOf(about, 'id') ??
      nameOf(about, 'conversation_id') ??
      nameOf(about, 'uuid') ??
      `${basename(place.path)}#${place.number}`,
    key: String(place.number),
    title: nameOf(about, 'title') ?? nameOf(about, 'name') ?? firstPrompt(chat),
    model: nameOf(about, 'model') ?? nameOf(about, 'default_model_slug'),
    startedAt,
    endedAt: timeOf(['updated_at', 'update_time']) ?? startedAt,
    messageCount: messages.length,
  });
}

function firstPrompt(chat: Chat): string | null {
  for (const event of eventsOf(chat))
    if (event.kind === 'message' && event.message.role === 'user') return shortTitle(textIn(event.message.parts));
  return null;
}

function* eventsOf({ format, place, messages }: Chat): Generator<ReadEvent> {
  const calls = new OpenCalls();
  for (const [index, value] of messages.entries()) {
    const at: ForeignPlace = messages.length === 1 ? place : { path: place.path, unit: 'element', number: index + 1 };
    const record = asObject(value);
    if (record === null) {
      yield skip(at, 'damaged', unreadable());
      continue;
    }
    const { role, content, createdAt, model = null, view = 'shown' } = readers[format](record, calls);
    const { parts, omitted } = content;
    const isNode = 'isAbandoned' in record;
    const ownId = isNode ? (nameOf(record, 'id') ?? nameOf(record, 'uuid')) : null;
    if (isNode && parts.length === 0 && omitted.length === 0) yield skip(at, 'bookkeeping', emptyReason(content));
    else if (role === null) yield skip(at, 'unknown', 'The role of the message is not known.');
    else if (parts.length === 0) yield skip(at, 'damaged', emptyReason(content));
    else {
      const message: ForeignMessage = {
        id: ownId ?? `message ${index + 1}`,
        role,
        parts,
        view: role === 'system' && view === 'shown' ? 'hidden' : view,
        createdAt,
        model,
        place: at,
        omitted,
      };
      yield { kind: 'message', records: 1, message };
    }
  }
}

/** A conversation of a file: its messages as the file has them. Only one is in memory at a time. */
type Conversation =
  | {
      readonly kind: 'conversation';
      readonly format: 'openai' | 'shareGpt' | 'chatGpt' | 'claudeAi';
      readonly place: ForeignPlace;
      readonly about: JsonObject;
      readonly messages: readonly JsonValue[];
    }
  | { readonly kind: 'none'; readonly place: ForeignPlace; readonly isDamaged: boolean; readonly reason: string };

/** Conversations of a JSON or JSONL file, in order. */
async function* conversations(files: HistoryFiles, path: string): AsyncGenerator<Conversation> {
  const start = await firstText(files, path, 4096);
  switch (start.trimStart()[0]) {
    case '[':
      return yield* ofList(files, path);
    case '{': {
      // Null for several objects, for a cut one, and for a file that is too long.
      const whole = await jsonFile(files, path);
      if (whole !== null) return yield conversationOf(whole, { path, unit: 'element', number: 1 });
      return yield* ofLines(files, path);
    }
    case undefined:
      return;
    default: {
      const place = { path, unit: 'file', number: 1 } as const;
      yield { kind: 'none', place, isDamaged: true, reason: t('The file is not JSON.') };
    }
  }
}

async function* ofLines(files: HistoryFiles, path: string): AsyncGenerator<Conversation> {
  for await (const record of jsonLines(files, path)) {
    if (record.kind === 'record') yield conversationOf(record.value, record.place);
    else yield { kind: 'none', place: record.place, isDamaged: true, reason: record.reason };
  }
}

/** A list of conversations, or of messages, which are then one conversation. */
async function* ofList(files: HistoryFiles, path: string): AsyncGenerator<Conversation> {
  const messages: JsonValue[] = [];
  let isMessages: boolean | null = null;
  for await (const element of elements(files.read(path), longestLine)) {
    const place = { path, unit: 'element', number: element.number } as const;
    const value = element.kind === 'text' ? parsedValue(element.text) : null;
    const object = asObject(value ?? undefined);
    isMessages ??= object !== null && (textOf(object, 'role') ?? textOf(object, 'from')) !== null;
    if (isMessages) messages.push(value);
    else if (object === null) {
      yield { kind: 'none', place, isDamaged: true, reason: 'The element is cut off, too long or not an object.' };
    } else yield conversationOf(object, place);
  }
  if (messages.length > 0) {
    yield conversationOf({ [formatOf(messages)]: messages }, { path, unit: 'element', number: 1 });
  }
}

function formatOf(messages: readonly JsonValue[]): 'messages' | 'conversations' {
  return textOf(asObject(messages[0]), 'role') === null ? 'conversations' : 'messages';
}

function conversationOf(about: JsonObject, place: ForeignPlace): Conversation {
  const lists = [
    ['openai', listOf(about, 'messages')],
    [own(about, 'mapping') === undefined ? 'claudeAi' : 'chatGpt', treeOf(about)],
    ['shareGpt', listOf(about, 'conversations')],
  ] as const;
  for (const [format, messages] of lists)
    if (messages !== null) return { kind: 'conversation', format, place, about, messages };
  return { kind: 'none', place, isDamaged: false, reason: noSession() };
}

function parsedValue(text: string): JsonValue {
  const wrapped = parseJsonObject(`{"value":${text}}`);
  return wrapped.kind === 'object' ? (wrapped.value['value'] ?? null) : null;
}

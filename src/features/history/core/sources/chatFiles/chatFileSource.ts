import { t } from '../../../../../base/translate';
import { basename } from 'node:path';
import type { ForeignMessage, ForeignPlace, ForeignSession } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { asObject, epochTimeOf, isoTimeOf, nameOf } from '../reading/fields';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { skip } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { openaiMessage, shareGptMessage, type ChatContent } from './chatMessage';
import { conversations, type Conversation } from './conversations';
import { OpenCalls } from './openCalls';
import { chatGptMessage, claudeAiMessage } from './webExports';

/** Conversations in JSON and JSONL files that the user chose: OpenAI's chat messages, and ShareGPT (with the tags of
 *  Hermes Agent's trajectories). By OpenAI's chat completions reference and hermes-agent's trajectory format. */
export class ChatFileSource implements HistorySource {
  readonly name = 'openai';

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ chosen }: HistoryPlaces): AsyncGenerator<string> {
    for (const place of chosen) {
      const kind = (await this.files.stat(place))?.kind;
      if (kind === 'file') yield place;
      else {
        for await (const path of filesBelow(this.files, place, 8)) {
          if (/\.(?:json|jsonl|ndjson)$/i.test(path)) yield path;
        }
      }
    }
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    let records = 0;
    for await (const conversation of conversations(this.files, location.path)) {
      if (conversation.kind === 'none' || String(conversation.place.number) !== location.key) continue;
      yield* eventsOf(conversation);
      records = conversation.messages.length;
      break;
    }
    yield { kind: 'end', records };
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    let sessions = 0;
    /** Elements that hold no conversation, by the reason. */
    const others = new Map<string, { readonly first: NoConversation; readonly count: number }>();
    for await (const found of conversations(this.files, path)) {
      if (found.kind === 'none') {
        const known = others.get(found.reason);
        others.set(found.reason, { first: known?.first ?? found, count: (known?.count ?? 0) + 1 });
        continue;
      }
      if (found.messages.length === 0) continue;
      sessions++;
      yield { kind: 'session', session: sessionOf(found) };
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
}

const readers = {
  openai: openaiMessage,
  shareGpt: shareGptMessage,
  chatGpt: chatGptMessage,
  claudeAi: claudeAiMessage,
} as const;

type Chat = Extract<Conversation, { kind: 'conversation' }>;
type NoConversation = Extract<Conversation, { kind: 'none' }>;

function sessionOf(chat: Chat): ForeignSession {
  const { about, place, messages, format } = chat;
  const timeOf = (names: readonly string[]): number | null =>
    names.reduce<number | null>((found, name) => found ?? epochTimeOf(about, name) ?? isoTimeOf(about, name), null);
  const startedAt = timeOf(['created_at', 'create_time', 'timestamp']);
  return {
    source: format,
    id:
      nameOf(about, 'id') ??
      nameOf(about, 'conversation_id') ??
      nameOf(about, 'uuid') ??
      `${basename(place.path)}#${place.number}`,
    location: { path: place.path, key: String(place.number) },
    lineage: null,
    title: nameOf(about, 'title') ?? nameOf(about, 'name') ?? firstPrompt(chat),
    folder: null,
    model: nameOf(about, 'model') ?? nameOf(about, 'default_model_slug'),
    startedAt,
    endedAt: timeOf(['updated_at', 'update_time']) ?? startedAt,
    usage: null,
    writtenBy: null,
    messageCount: messages.length,
  };
}

function firstPrompt(chat: Chat): string | null {
  for (const event of eventsOf(chat)) {
    if (event.kind !== 'message' || event.message.role !== 'user') continue;
    const texts = event.message.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : []));
    return shortTitle(texts.join('\n'));
  }
  return null;
}

function* eventsOf({ format, place, messages }: Chat): Generator<ReadEvent> {
  const calls = new OpenCalls();
  for (const [index, value] of messages.entries()) {
    const at: ForeignPlace = messages.length === 1 ? place : { path: place.path, unit: 'element', number: index + 1 };
    const record = asObject(value);
    if (record === null) {
      yield skip(at, 'damaged', t('The record is cut off or is not a JSON object.'));
      continue;
    }
    const read = readers[format](record, calls);
    const { role, content } = read;
    const isNode = 'isAbandoned' in record;
    const ownId = isNode ? (nameOf(record, 'id') ?? nameOf(record, 'uuid')) : null;
    const isEmptyNode = isNode && content.parts.length === 0 && content.omitted.length === 0;
    if (isEmptyNode) yield skip(at, 'bookkeeping', 'The message is empty.');
    else if (role === null) yield skip(at, 'unknown', 'The role of the message is not known.');
    else if (content.parts.length === 0) yield skip(at, 'damaged', content.omitted[0] ?? 'The message is empty.');
    else yield { kind: 'message', records: 1, message: messageOf(role, read, at, ownId ?? `message ${index + 1}`) };
  }
}

function messageOf(
  role: ForeignMessage['role'],
  { createdAt, content, model = null, view = 'shown' }: ChatContent,
  place: ForeignPlace,
  id: string,
): ForeignMessage {
  return {
    id,
    parentId: null,
    role,
    parts: content.parts,
    view: role === 'system' && view === 'shown' ? 'hidden' : view,
    createdAt,
    model,
    provider: null,
    finishReason: null,
    usage: null,
    place,
    omitted: content.omitted,
  };
}

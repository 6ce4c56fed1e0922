import { t } from '../../../base/translate';
import { basename } from 'node:path';
import type { ForeignMessage, ForeignPlace, ForeignSession } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { asObject, epochTimeOf, isoTimeOf, nameOf } from '../reading/fields';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { skip } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { openaiMessage, shareGptMessage } from './chatMessage';
import { conversations, type Conversation } from './conversations';
import { OpenCalls } from './openCalls';

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
    for await (const found of conversations(this.files, path)) {
      if (found.kind === 'conversation') yield { kind: 'session', session: sessionOf(found) };
      else {
        const kind = found.isDamaged ? 'damaged' : 'unknown';
        yield { kind: 'skipped', skipped: { place: found.place, kind, reason: found.reason } };
      }
    }
  }
}

type Chat = Extract<Conversation, { kind: 'conversation' }>;

function sessionOf(chat: Chat): ForeignSession {
  const { about, place, messages, format } = chat;
  const startedAt = epochTimeOf(about, 'created_at') ?? isoTimeOf(about, 'created_at') ?? isoTimeOf(about, 'timestamp');
  return {
    source: format,
    id: nameOf(about, 'id') ?? `${basename(place.path)}#${place.number}`,
    location: { path: place.path, key: String(place.number) },
    lineage: null,
    title: nameOf(about, 'title') ?? firstPrompt(chat),
    folder: null,
    model: nameOf(about, 'model'),
    startedAt,
    endedAt: startedAt,
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
      yield skip(at, 'damaged', t('The message is cut off or is not an object.'));
      continue;
    }
    const read = format === 'openai' ? openaiMessage(record, calls) : shareGptMessage(record, calls);
    const { role, content } = read;
    if (role === null) yield skip(at, 'unknown', t('The role of the message is not known.'));
    else if (content.parts.length === 0) yield skip(at, 'damaged', content.omitted[0] ?? t('The message is empty.'));
    else yield { kind: 'message', records: 1, message: messageOf(role, read.createdAt, content, at, index) };
  }
}

function messageOf(
  role: ForeignMessage['role'],
  createdAt: number | null,
  { parts, omitted }: { readonly parts: ForeignMessage['parts']; readonly omitted: readonly string[] },
  place: ForeignPlace,
  index: number,
): ForeignMessage {
  return {
    id: `message ${index + 1}`,
    parentId: null,
    role,
    parts,
    view: role === 'system' ? 'hidden' : 'shown',
    createdAt,
    model: null,
    provider: null,
    finishReason: null,
    usage: null,
    place,
    omitted,
  };
}

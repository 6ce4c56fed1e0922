import { basename } from 'node:path';
import { t } from '../../../../../base/translate';
import type { JsonObject } from '../../../../../transcript/json';
import { claudeTree, type ClaudeTree } from '../claude/claudeTree';
import type { ForeignLineage, ForeignMessage, ForeignSession, ForeignView } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { asObject, isoTimeOf, isSet, listOf, nameOf, objectOf, own, textOf } from '../reading/fields';
import { geminiContent, geminiOutcome, geminiUsage } from '../reading/geminiContent';
import { headAndTail } from '../reading/headAndTail';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { CountedRecords, jsonLines, readTwice, repairedText, skip, type SourceRecord } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { UsageSum } from '../reading/usageSum';

/** Subtypes of `user` records that the user typed. */
const typed: ReadonlySet<string | null> = new Set([null, 'mid_turn_user_message']);

/** Sessions of Qwen Code: `projects/<folder>/chats/<session>.jsonl`. A tree of records as in Claude Code, with content
 *  of Gemini's API. By chatRecordingService.ts of QwenLM/qwen-code (commit 015346f). */
export class QwenSource implements HistorySource {
  readonly name = 'qwen';

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ qwen }: HistoryPlaces): AsyncGenerator<string> {
    for (const folder of ['projects', 'tmp'])
      for await (const path of filesBelow(this.files, `${qwen}/${folder}`, 2))
        if (/\/chats\/[^/]*\.jsonl$/.test(path)) yield path;
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    const { records, isWhole } = await headAndTail(this.files, path);
    const messages = records.filter((value) => textOf(value, 'type') !== 'system');
    if (messages.length === 0 && isWhole) {
      const place = { path, unit: 'file', number: 1 } as const;
      return yield {
        kind: 'skipped',
        skipped: { place, kind: 'bookkeeping', reason: t('The file holds no message.') },
      };
    }
    const times = new TimeSpan();
    for (const value of records) times.add(isoTimeOf(value, 'timestamp'));
    const [first] = messages;
    const last = (read: (value: JsonObject) => string | null): string | null =>
      records.reduceRight<string | null>((found, value) => found ?? read(value), null);
    const prompt = messages.find((value) => textOf(value, 'type') === 'user' && typed.has(textOf(value, 'subtype')));
    const session: ForeignSession = {
      source: 'qwen',
      id: nameOf(first ?? {}, 'sessionId') ?? basename(path, '.jsonl'),
      location: { path, key: null },
      lineage: lineageOf(records),
      title: last(titleIn) ?? shortTitle(textIn(prompt ?? null)),
      folder: nameOf(first ?? {}, 'cwd'),
      model: last((value) => nameOf(value, 'model')),
      startedAt: times.startedAt,
      endedAt: times.endedAt,
      usage: null,
      writtenBy: last((value) => nameOf(value, 'version')),
      messageCount: isWhole ? messages.length : null,
    };
    yield { kind: 'session', session };
  }

  read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    return events(this.files, location.path);
  }
}

function titleIn(value: JsonObject): string | null {
  return textOf(value, 'subtype') === 'custom_title' ? nameOf(objectOf(value, 'systemPayload'), 'customTitle') : null;
}

function textIn(value: JsonObject | null): string {
  const { parts } = geminiContent(own(objectOf(value, 'message'), 'parts'), '');
  return parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n');
}

function lineageOf(records: readonly JsonObject[]): ForeignLineage | null {
  for (const value of records) {
    const origin = nameOf(objectOf(value, 'forkedFrom'), 'sessionId');
    if (origin !== null) return { kind: 'branch', parentId: origin };
    const caller = nameOf(objectOf(value, 'systemPayload'), 'parentSessionId');
    if (caller !== null) return { kind: 'delegate', parentId: caller };
  }
  return null;
}

type Line = Extract<SourceRecord, { kind: 'record' }>;

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const read = await readTwice(files, () => jsonLines(files, path));
  const tree = await claudeTree(read(), path, 'chat_compression');
  const [records, times, usage] = [new CountedRecords(), new TimeSpan(), new UsageSum()];
  /** Ids of messages, in order. */
  const ids = new Set<string>();
  for await (const record of records.of(read())) {
    const { place } = record;
    if (record.kind === 'damaged') {
      yield skip(place, 'damaged', record.reason);
      continue;
    }
    const { value } = record;
    const uuid = nameOf(value, 'uuid');
    times.add(isoTimeOf(value, 'timestamp'));
    if (uuid !== null && !tree.isFirst(uuid, place.number)) {
      yield skip(place, 'repeated', 'A record with the same id came before.');
      continue;
    }
    const event =
      uuid === null
        ? skip(place, 'unknown', 'The record has no message or no uuid.')
        : eventOf(record, uuid, tree, ids);
    if (event.kind === 'message') {
      usage.add(event.message.usage);
      ids.add(event.message.id);
    }
    yield event;
  }
  const { startedAt, endedAt } = times;
  yield { kind: 'facts', records: 0, facts: { startedAt, endedAt, usage: usage.total } };
  yield { kind: 'end', records: records.count };
}

function eventOf(
  { value, place, isRepaired }: Line,
  uuid: string,
  tree: ClaudeTree,
  ids: ReadonlySet<string>,
): ReadEvent {
  const [type, subtype] = [textOf(value, 'type'), textOf(value, 'subtype')];
  const base = {
    id: uuid,
    parentId: tree.ancestor(uuid, (id) => (ids.has(id) ? id : undefined)),
    createdAt: isoTimeOf(value, 'timestamp'),
    finishReason: null,
    place,
  };
  if (type === 'system') {
    const title = titleIn(value);
    if (title !== null) return { kind: 'facts', records: 1, facts: { title } };
    if (subtype !== 'chat_compression')
      return skip(place, 'bookkeeping', `A record of type “${subtype ?? 'system'}” holds no message.`);
    const history = listOf(objectOf(value, 'systemPayload'), 'compressedHistory') ?? [];
    // A summary and the word of the model that it has it, then the messages that were kept.
    const kept = new Set([...ids].slice(Math.max(0, ids.size - Math.max(0, history.length - 2))));
    const content = geminiContent(own(asObject(history[0]), 'parts'), uuid);
    const unsaid = { model: null, provider: null, usage: null };
    const view: ForeignView = tree.isCurrent(uuid) ? 'summary' : 'abandoned';
    const message: ForeignMessage = { ...base, ...unsaid, ...content, role: 'user', view, keeps: (id) => kept.has(id) };
    return { kind: 'message', records: 1, message };
  }
  const role = type === 'user' || type === 'assistant' ? type : type === 'tool_result' ? 'tool' : null;
  if (role === null) return skip(place, 'unknown', `Records of type “${type ?? 'none'}” are not known.`);
  const outcome = geminiOutcome(textOf(objectOf(value, 'toolCallResult'), 'status'));
  const { parts, omitted } = geminiContent(own(objectOf(value, 'message'), 'parts'), uuid, outcome);
  if (parts.length === 0) return skip(place, 'unknown', omitted[0] ?? 'The message is empty.');
  const message: ForeignMessage = {
    ...base,
    role,
    parts,
    view: viewOf(value, uuid, role === 'user' && !typed.has(subtype), tree),
    model: nameOf(value, 'model'),
    provider: null,
    usage: geminiUsage(objectOf(value, 'usageMetadata')),
    omitted: isRepaired ? [...omitted, repairedText()] : omitted,
  };
  return { kind: 'message', records: 1, message };
}

function viewOf(value: JsonObject, uuid: string, isHidden: boolean, tree: ClaudeTree): ForeignView {
  if (isSet(value, 'isSidechain')) return 'sidechain';
  if (!tree.isCurrent(uuid)) return 'abandoned';
  return isHidden ? 'hidden' : tree.isCompacted(uuid) ? 'compacted' : 'shown';
}

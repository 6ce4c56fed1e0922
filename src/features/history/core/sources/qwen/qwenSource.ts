import { basename } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import { claudeTree, type ClaudeTree } from '../claude/claudeTree';
import type { ForeignLineage, ForeignMessage, ForeignView } from '../foreign';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { emptyReason, geminiContent, geminiOutcome, textIn } from '../reading/content';
import { asObject, isoTimeOf, isSet, last, listOf, nameOf, objectOf, own, textOf, usageOf } from '../reading/fields';
import { emptyFile, foundSession, shortTitle, timeSpan } from '../reading/foundSessions';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { headAndTail, jsonLines, readTwice, type WholeRecord } from '../reading/records';
import { readRecords, skip } from '../reading/sessionReading';

/** Subtypes of `user` records that the user typed. */
const typed: ReadonlySet<string | null> = new Set([null, 'mid_turn_user_message']);

/** Names of Gemini's API. Input tokens include cached ones. */
const tokenCounts = {
  input: 'promptTokenCount',
  output: 'candidatesTokenCount',
  cached: 'cachedContentTokenCount',
  reasoning: 'thoughtsTokenCount',
} as const;

/** Sessions of Qwen Code: `projects/<folder>/chats/<session>.jsonl`. A tree of records as in Claude Code, with content
 *  of Gemini's API. By chatRecordingService.ts of QwenLM/qwen-code (commit 015346f). */
export function qwenSource(files: HistoryFiles): HistorySource {
  return {
    name: 'qwen',
    async *locate({ qwen }) {
      for (const folder of ['projects', 'tmp'])
        yield* filesBelow(files, `${qwen}/${folder}`, 2, /\/chats\/[^/]*\.jsonl$/);
    },
    async *findIn(path) {
      yield await glance(files, path);
    },
    read: ({ location }) => events(files, location.path),
  };
}

async function glance(files: HistoryFiles, path: string): Promise<Found> {
  const { records, isWhole } = await headAndTail(files, path);
  const messages = records.filter((value) => textOf(value, 'type') !== 'system');
  if (messages.length === 0 && isWhole) return emptyFile(path);
  const [begin = null] = messages;
  const prompt = messages.find((value) => textOf(value, 'type') === 'user' && typed.has(textOf(value, 'subtype')));
  const { parts } = geminiContent(own(objectOf(prompt ?? null, 'message'), 'parts'), '');
  return foundSession('qwen', path, {
    id: nameOf(begin, 'sessionId') ?? basename(path, '.jsonl'),
    lineage: lineageOf(records),
    title: last(records, titleIn) ?? shortTitle(textIn(parts)),
    folder: nameOf(begin, 'cwd'),
    model: last(records, (value) => nameOf(value, 'model')),
    ...timeSpan(records.map((value) => isoTimeOf(value, 'timestamp'))),
    writtenBy: last(records, (value) => nameOf(value, 'version')),
    messageCount: isWhole ? messages.length : null,
  });
}

function titleIn(value: JsonObject): string | null {
  return textOf(value, 'subtype') === 'custom_title' ? nameOf(objectOf(value, 'systemPayload'), 'customTitle') : null;
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

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const read = await readTwice(files, () => jsonLines(files, path));
  const tree = await claudeTree(read(), path, 'chat_compression');
  /** Ids of messages, in order. */
  const ids = new Set<string>();
  yield* readRecords(read(), (record) => {
    const { value, place } = record;
    const uuid = nameOf(value, 'uuid');
    if (uuid === null) return [skip(place, 'unknown', 'The record has no message or no uuid.')];
    if (!tree.isFirst(uuid, place.number)) return [skip(place, 'repeated', 'A record with the same id came before.')];
    const event = eventOf(record, uuid, tree, ids);
    if (event.kind === 'message') ids.add(uuid);
    return [event];
  });
}

function eventOf(
  { value, place, notes }: WholeRecord,
  uuid: string,
  tree: ClaudeTree,
  ids: ReadonlySet<string>,
): ReadEvent {
  const [type, subtype] = [textOf(value, 'type'), textOf(value, 'subtype')];
  const about = { id: uuid, createdAt: isoTimeOf(value, 'timestamp'), place };
  if (type === 'system') {
    const title = titleIn(value);
    if (title !== null) return { kind: 'facts', records: 1, facts: { title } };
    if (subtype !== 'chat_compression')
      return skip(place, 'bookkeeping', `A record of type “${subtype ?? 'system'}” holds no message.`);
    const history = listOf(objectOf(value, 'systemPayload'), 'compressedHistory') ?? [];
    // A summary and the word of the model that it has it, then the messages that were kept.
    const kept = new Set([...ids].slice(Math.max(0, ids.size - Math.max(0, history.length - 2))));
    const content = geminiContent(own(asObject(history[0]), 'parts'), uuid);
    const view: ForeignView = tree.isCurrent(uuid) ? 'summary' : 'abandoned';
    const message: ForeignMessage = { ...about, ...content, role: 'user', view, keeps: (id) => kept.has(id) };
    return { kind: 'message', records: 1, message };
  }
  const role = type === 'user' || type === 'assistant' ? type : type === 'tool_result' ? 'tool' : null;
  if (role === null) return skip(place, 'unknown', `Records of type “${type ?? 'none'}” are not known.`);
  const outcome = geminiOutcome(textOf(objectOf(value, 'toolCallResult'), 'status'));
  const content = geminiContent(own(objectOf(value, 'message'), 'parts'), uuid, outcome);
  if (content.parts.length === 0) return skip(place, 'unknown', emptyReason(content));
  const message: ForeignMessage = {
    ...about,
    role,
    parts: content.parts,
    view: viewOf(value, uuid, role === 'user' && !typed.has(subtype), tree),
    model: nameOf(value, 'model'),
    usage: usageOf(objectOf(value, 'usageMetadata'), tokenCounts),
    omitted: [...content.omitted, ...notes],
  };
  return { kind: 'message', records: 1, message };
}

function viewOf(value: JsonObject, uuid: string, isHidden: boolean, tree: ClaudeTree): ForeignView {
  if (isSet(value, 'isSidechain')) return 'sidechain';
  if (!tree.isCurrent(uuid)) return 'abandoned';
  return isHidden ? 'hidden' : tree.isCompacted(uuid) ? 'compacted' : 'shown';
}

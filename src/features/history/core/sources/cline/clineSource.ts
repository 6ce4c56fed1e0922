import { basename, dirname } from 'node:path';
import { t } from '../../../../../base/translate';
import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignMessage, ForeignPart, ForeignSession, ForeignView } from '../foreign';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { anthropicContent, emptyReason, joined, noContent, one, textIn, type ReadContent } from '../reading/content';
import { epochTimeOf, isSet, isoTimeOf, nameOf, numberOf, objectOf, own, textOf, usageOf } from '../reading/fields';
import { foundSession, shortTitle, skippedFile, timeSpan } from '../reading/foundSessions';
import { fieldsBefore, firstText, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { jsonElements, type WholeRecord } from '../reading/records';
import { readRecords, RecentNames, skip } from '../reading/sessionReading';

/** Version of the session files of the Cline command line. Task folders have no version. */
const knownVersion = 1;

const extensions = ['saoudrizwan.claude-dev', 'rooveterinaryinc.roo-cline', 'kilocode.kilo-code'];
const taskFile = 'api_conversation_history.json';

/** Counts of a task (`history_item.json`), and of a message. */
const taskCounts = { input: 'tokensIn', output: 'tokensOut', cached: 'cacheReads', written: 'cacheWrites' } as const;
const messageCounts = {
  input: 'inputTokens',
  output: 'outputTokens',
  cached: 'cacheReadTokens',
  written: 'cacheWriteTokens',
} as const;

/** Tasks of Cline, Roo Code and Kilo Code (before 7): lists of messages of Anthropic's API, in
 *  `<id>/api_conversation_history.json` (editor extensions) or `<id>/<id>.messages.json` (command line). Formats read:
 *  sessions of the Cline command line 3.0.65, by files that the program wrote; task folders by
 *  src/core/storage/disk.ts of cline/cline and src/core/task-persistence/apiMessages.ts of RooCodeInc/Roo-Code. */
export function clineSource(files: HistoryFiles): HistorySource {
  return {
    name: 'cline',
    async *locate({ editors, cline }) {
      const ofEditors = editors.flatMap((user) => extensions.map((name) => `${user}/globalStorage/${name}/tasks`));
      for (const folder of [...ofEditors, `${cline}/data/tasks`]) yield* conversationsIn(files, folder, () => taskFile);
      yield* conversationsIn(files, `${cline}/data/sessions`, (id) => `${id}.messages.json`);
    },
    async *findIn(path) {
      yield await glance(files, path);
    },
    read: ({ location }) => events(files, location.path),
  };
}

/** Files of these names, one in each folder. */
async function* conversationsIn(
  files: HistoryFiles,
  folder: string,
  nameIn: (id: string) => string,
): AsyncGenerator<string> {
  for (const { name, kind } of await files.list(folder)) {
    const path = `${folder}/${name}/${nameIn(name)}`;
    if (kind === 'folder' && (await files.stat(path)) !== null) yield path;
  }
}

/** The list of messages is the whole file in a task folder, and has a key in a session file. */
function listKeyOf(path: string): string | null {
  return basename(path) === taskFile ? null : 'messages';
}

/** Facts are in the beginning of a session file: its place may have changed since it was written. Others are in
 *  `history_item.json` (Roo Code and Kilo Code) or `<id>.json` (command line) beside it. */
async function glance(files: HistoryFiles, path: string): Promise<Found> {
  const key = listKeyOf(path);
  const head = key === null ? null : await fieldsBefore(files, path, key);
  const id = nameOf(head, 'sessionId') ?? basename(dirname(path));
  const about = await jsonFile(files, `${dirname(path)}/${key === null ? 'history_item' : id}.json`, 2 ** 20);
  const version = numberOf(about, 'version');
  if (key !== null && version !== null && version !== knownVersion) {
    const reason = t('The session has version {version}. Version {known} can be read.', {
      version: String(version),
      known: String(knownVersion),
    });
    return skippedFile(path, 'unknown', reason);
  }
  if (key === null && (await firstText(files, path, 100)).trimStart().startsWith('{')) {
    const reason = t('The task is in the second format of Roo Code. Only lists of messages can be read.');
    return skippedFile(path, 'unknown', reason);
  }
  const prompt = nameOf(about, 'task') ?? nameOf(about, 'prompt') ?? '';
  return foundSession('cline', path, {
    id,
    key,
    lineage: lineageOf(about),
    title:
      nameOf(objectOf(about, 'metadata'), 'title') ?? shortTitle(unwrapped(prompt)) ?? (await firstPrompt(files, path)),
    folder: nameOf(about, 'cwd') ?? nameOf(about, 'workspace') ?? nameOf(about, 'cwdOnTaskInitialization'),
    model: nameOf(about, 'model'),
    ...timeSpan([
      isoTimeOf(about, 'started_at') ?? epochTimeOf(about, 'ts'),
      isoTimeOf(about, 'ended_at'),
      (await files.stat(path))?.modifiedAt ?? null,
    ]),
    usage: usageOf(about, taskCounts, numberOf(about, 'totalCost')),
    writtenBy: nameOf(objectOf(head, 'origin'), 'version'),
  });
}

async function firstPrompt(files: HistoryFiles, path: string): Promise<string | null> {
  for await (const event of events(files, path)) {
    if (event.kind !== 'message' || event.message.role !== 'user' || event.message.view !== 'shown') continue;
    return shortTitle(unwrapped(textIn(event.message.parts)));
  }
  return null;
}

function lineageOf(about: JsonObject | null): ForeignSession['lineage'] {
  const parentId = nameOf(about, 'parentTaskId') ?? nameOf(about, 'parent_session_id');
  return parentId === null ? null : { kind: 'delegate', parentId };
}

/** A prompt of the command line, which is stored between tags. */
function asTyped(part: ForeignPart): ForeignPart {
  const typed =
    part.kind === 'text' ? /^<user_input\b[^>]*>([\s\S]*)<\/user_input>\s*$/.exec(part.text)?.[1] : undefined;
  return typed === undefined ? part : { kind: 'text', text: typed };
}

/** The prompt without the tags that Cline puts around it. */
function unwrapped(text: string): string {
  return /<(task|user_input|user_message)\b[^>]*>([\s\S]*?)<\/\1>/.exec(text)?.[2] ?? text;
}

function events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const calls = new RecentNames();
  return readRecords(jsonElements(files, path, listKeyOf(path)), (record) => eventsOf(record, calls), { timeOf: null });
}

function* eventsOf(record: WholeRecord, calls: RecentNames): Generator<ReadEvent> {
  const { value, place } = record;
  const role = textOf(value, 'role');
  if (role !== 'user' && role !== 'assistant')
    return yield skip(place, 'unknown', `Messages of role “${role ?? 'none'}” are not known.`);
  const content = joined([reasoningOf(value), anthropicContent(own(value, 'content'), calls.nameOf)]);
  if (content.parts.length === 0) return yield skip(place, 'damaged', emptyReason(content));
  calls.add(content.parts);
  yield { kind: 'message', records: 1, message: messageOf(role, record, content) };
  if (isError(value)) yield { kind: 'ended', records: 0, reason: 'error' };
}

/** A note about a failed request, stored in the place of an answer. */
function isError(value: JsonObject): boolean {
  return textOf(objectOf(value, 'metadata'), 'displayRole') === 'error';
}

function messageOf(
  role: 'user' | 'assistant',
  { value, place }: WholeRecord,
  { parts, omitted }: ReadContent,
): ForeignMessage {
  const model = objectOf(value, 'modelInfo');
  const isResult = role === 'user' && parts.every(({ kind }) => kind === 'toolResult');
  return {
    id: `message ${place.number}`,
    role: isError(value) ? 'system' : isResult ? 'tool' : role,
    parts: role === 'user' ? parts.map(asTyped) : parts,
    view: viewOf(value, parts),
    createdAt: epochTimeOf(value, 'ts'),
    model: nameOf(model, 'id') ?? nameOf(model, 'modelId'),
    usage: usageOf(objectOf(value, 'metrics'), messageCounts),
    place,
    omitted,
  };
}

/** Roo Code keeps the reasoning of some providers beside the content. */
function reasoningOf(value: JsonObject): ReadContent {
  const text =
    nameOf(value, 'reasoning_content') ?? (textOf(value, 'type') === 'reasoning' ? nameOf(value, 'text') : null);
  return text === null ? noContent : one({ kind: 'thinking', text });
}

/** Fields of Roo Code: `isSummary` marks a summary, `condenseParent` the messages that it replaces, `truncationParent`
 *  messages that are no longer sent, and `isTruncationMarker` its note about them. */
function viewOf(value: JsonObject, parts: ForeignMessage['parts']): ForeignView {
  if (isSet(value, 'isSummary') || textOf(objectOf(value, 'metadata'), 'kind') === 'compaction_summary')
    return 'summary';
  const [first] = parts;
  const isNote = textOf(value, 'role') === 'user' && first?.kind === 'text' && first.text.startsWith('[SYSTEM] ');
  if (isNote || isSet(value, 'isTruncationMarker')) return 'hidden';
  return nameOf(value, 'condenseParent') !== null || nameOf(value, 'truncationParent') !== null ? 'compacted' : 'shown';
}

import { basename, isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignLineage, ForeignMessage, ForeignView, SessionFacts } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { textIn } from '../reading/content';
import { countOf, first, isoTimeOf, last, nameOf, objectOf, textOf } from '../reading/fields';
import { emptyFile, foundSession, newerFile, shortTitle, timeSpan } from '../reading/foundSessions';
import { filesBelow, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { headAndTail, jsonLines, readTwice, type WholeRecord } from '../reading/records';
import { readRecords, skip } from '../reading/sessionReading';
import { piEntry } from './piEntry';
import { piId, piTree, type PiTree } from './piTree';

const newestVersion = 3;

/** Sessions of pi: one JSONL file per session, a tree of entries. Versions 1 to 3 of the format, by files that pi
 *  0.73.1 wrote and by docs/session-format.md of that version. */
export function piSource(files: HistoryFiles): HistorySource {
  return {
    name: 'pi',
    async *locate(places) {
      for (const folder of await sessionFolders(files, places)) yield* filesBelow(files, folder, 1, /\.jsonl$/);
    },
    async *findIn(path) {
      yield await glance(files, path);
    },
    read: ({ location }) => events(files, location.path),
  };
}

/** Folders that hold sessions of pi: its usual one, and those that the environment and its global settings name
 *  (`sessionDir` in settings.json). A relative `sessionDir` is below each project, and is not looked for. */
async function sessionFolders(
  files: HistoryFiles,
  { pi, piSessions, home }: HistoryPlaces,
): Promise<readonly string[]> {
  const setting = nameOf(await jsonFile(files, `${pi}/settings.json`, 2 ** 20), 'sessionDir');
  const named = [piSessions, setting].flatMap((path) =>
    path === null ? [] : [path.startsWith('~') ? join(home, path.slice(1)) : path],
  );
  return [...new Set([`${pi}/sessions`, ...named.filter((path) => isAbsolute(path))])];
}

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const read = await readTwice(files, () => jsonLines(files, path));
  const tree = await piTree(read());
  yield* readRecords(read(), (record) => eventsOf(record, tree));
}

function* eventsOf(record: WholeRecord, tree: PiTree): Generator<ReadEvent> {
  const { place, value, name } = record;
  const facts = factsOf(value);
  if (facts !== null) return yield { kind: 'facts', facts, records: 1 };
  const id = piId(value, name);
  if (!tree.isFirst(id, place.number)) return yield skip(place, 'repeated', 'A record with the same id came before.');
  const view: ForeignView = !tree.isCurrent(id) ? 'abandoned' : tree.isCompacted(id) ? 'compacted' : 'shown';
  const entry = piEntry(record, id, view);
  if (entry.kind === 'message') {
    const { message } = entry;
    const keeps = message.view === 'summary' ? { keeps: tree.keptBy(id) } : {};
    yield { kind: 'message', records: 1, message: { ...message, ...keeps } };
    const error = entry.ended?.error ?? null;
    if (error !== null) yield { kind: 'message', records: 0, message: noteAfter(message, error) };
  } else yield skip(place, entry.kind, entry.reason);
  if (entry.ended !== undefined && view !== 'abandoned')
    yield { kind: 'ended', reason: entry.ended.reason, records: 0 };
}

function noteAfter({ id, view, place, createdAt = null }: ForeignMessage, text: string): ForeignMessage {
  return { id: `${id}/error`, role: 'system', parts: [{ kind: 'text', text }], view, place, createdAt };
}

/** Facts of an entry that says something about the session. Null for other entries. */
function factsOf(value: JsonObject): Partial<SessionFacts> | null {
  switch (textOf(value, 'type')) {
    case 'session':
      return { folder: nameOf(value, 'cwd'), lineage: lineageOf(value), writtenBy: writtenBy(value) };
    case 'session_info':
      return { title: nameOf(value, 'name') };
    case 'model_change':
      return { model: nameOf(value, 'modelId') };
    default:
      return null;
  }
}

function writtenBy(header: JsonObject): string {
  return `format ${countOf(header, 'version') ?? 1}`;
}

/** A fork names the file of its origin, whose name ends with the origin's id. */
function lineageOf(header: JsonObject): ForeignLineage | null {
  const parent = nameOf(header, 'parentSession');
  if (parent === null) return null;
  const name = parent.slice(Math.max(parent.lastIndexOf('/'), parent.lastIndexOf('\\')) + 1);
  const parentId = idIn(name);
  return parentId === '' ? null : { kind: 'branch', parentId };
}

function idIn(fileName: string): string {
  const name = fileName.replace(/\.jsonl$/, '');
  return name.slice(name.indexOf('_') + 1);
}

async function glance(files: HistoryFiles, path: string): Promise<Found> {
  const { records, isWhole } = await headAndTail(files, path);
  const header = records.find((value) => textOf(value, 'type') === 'session') ?? null;
  const version = countOf(header, 'version') ?? 1;
  if (version > newestVersion) return newerFile(path, version, newestVersion);
  const messages = records.filter((value) => textOf(value, 'type') === 'message');
  if (messages.length === 0 && isWhole) return emptyFile(path);
  return foundSession('pi', path, {
    id: idIn(basename(path)),
    lineage: header === null ? null : lineageOf(header),
    title: last(records, (value) => factsOf(value)?.title) ?? first(messages, (value) => promptIn(value, path)),
    folder: nameOf(header, 'cwd'),
    model: last(records, (value) => factsOf(value)?.model ?? nameOf(objectOf(value, 'message'), 'model')),
    ...timeSpan(records.map((value) => isoTimeOf(value, 'timestamp'))),
    writtenBy: header === null ? null : writtenBy(header),
    messageCount: isWhole ? messages.length : null,
  });
}

function promptIn(value: JsonObject, path: string): string | null {
  if (textOf(objectOf(value, 'message'), 'role') !== 'user') return null;
  const read = piEntry({ value, place: { path, unit: 'file', number: 1 }, notes: [] }, '', 'shown');
  return read.kind === 'message' ? shortTitle(textIn(read.message.parts)) : null;
}

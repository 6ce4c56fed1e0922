import { basename, isAbsolute, join } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignLineage, ForeignMessage, ForeignView, SessionFacts } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { textIn } from '../reading/content';
import { countOf, first, isoTimeOf, last, nameOf, objectOf, textOf } from '../reading/fields';
import { emptyFile, foundSession, newerFile, shortTitle, timeSpan } from '../reading/foundSessions';
import { filesBelow, jsonFile, type HistoryFiles } from '../reading/historyFiles';
import { headAndTail, jsonLines, readTwice, type WholeRecord, type SourceRecord } from '../reading/records';
import { readRecords, skip } from '../reading/sessionReading';
import { piEntry } from './piEntry';

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

interface Node {
  readonly line: number;
  readonly parent: string | null;
}

/** The tree of a session's entries, without their content. */
interface PiTree {
  isFirst(id: string, line: number): boolean;
  /** True when the entry belongs to the branch that the user saw last. */
  isCurrent(id: string): boolean;
  /** True when a summary replaced the entry for the model. */
  isCompacted(id: string): boolean;
  /** True for the ids of entries that the model still gets after this compaction. */
  keptBy(compaction: string): (id: string) => boolean;
}

/** Id of an entry. Version 1 had no ids. */
function piId(value: JsonObject, name: string): string {
  return nameOf(value, 'id') ?? name;
}

/** Reads only the ids of the entries: memory grows with their number, not with their size. A parent that is missing
 *  is replaced by the entry before it, so that nothing after a gap is lost. */
async function piTree(records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>): Promise<PiTree> {
  const nodes = new Map<string, Node>();
  /** Ids of the first entries that compactions kept. */
  const compactions = new Map<string, string | null>();
  const byIndex: (string | null)[] = [];
  let leaf: string | null = null;
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const { value, place, name } = record;
    const isHeader = textOf(value, 'type') === 'session';
    const id = piId(value, name);
    byIndex.push(isHeader ? null : id);
    if (isHeader || nodes.has(id)) continue;
    const stated = nameOf(value, 'parentId');
    // A parent of null begins a new root: the user went back to before the first prompt.
    const isRoot = value['parentId'] === null;
    const parent: string | null = stated !== null && nodes.has(stated) ? stated : isRoot ? null : leaf;
    nodes.set(id, { line: place.number, parent });
    leaf = id;
    if (textOf(value, 'type') !== 'compaction') continue;
    const index = countOf(value, 'firstKeptEntryIndex');
    compactions.set(id, nameOf(value, 'firstKeptEntryId') ?? (index === null ? null : (byIndex[index] ?? null)));
  }
  const branch = ancestorsOf(nodes, leaf);
  const current = new Set(branch);
  const compacted = compactedIn(branch, compactions);
  return {
    isFirst: (id, line) => nodes.get(id)?.line === line,
    isCurrent: (id) => current.has(id),
    isCompacted: (id) => compacted.has(id),
    keptBy: (compaction) => {
      const before = ancestorsOf(nodes, compaction);
      const first = before.indexOf(compactions.get(compaction) ?? '');
      const kept = new Set(before.slice(1, first + 1));
      return (id) => kept.has(id);
    },
  };
}

/** From the leaf to the root. A parent always comes before its child in the file, so this ends. */
function ancestorsOf(nodes: ReadonlyMap<string, Node>, leaf: string | null): readonly string[] {
  const branch: string[] = [];
  for (let at = leaf; at !== null; at = nodes.get(at)?.parent ?? null) branch.push(at);
  return branch;
}

/** Entries before the newest compaction of the branch, except those that it kept. */
function compactedIn(branch: readonly string[], compactions: ReadonlyMap<string, string | null>): ReadonlySet<string> {
  const at = branch.findIndex((id) => compactions.has(id));
  const before = at === -1 ? [] : branch.slice(at + 1);
  const firstKept = compactions.get(branch[at] ?? '') ?? null;
  const kept = firstKept === null ? -1 : before.indexOf(firstKept);
  return new Set(before.slice(kept + 1));
}

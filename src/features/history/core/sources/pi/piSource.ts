import { basename, isAbsolute, join } from 'node:path';
import { t } from '../../../../../base/translate';
import { type JsonObject, parseJsonObject } from '../../../../../transcript/json';
import type { ForeignLineage, ForeignMessage, ForeignSession, ForeignView, SessionFacts } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { countOf, isoTimeOf, nameOf, objectOf, textOf } from '../reading/fields';
import { headAndTail } from '../reading/headAndTail';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { CountedRecords, jsonLines, readTwice, repairedText, skip } from '../reading/records';
import { shortTitle } from '../reading/shortTitle';
import { TimeSpan } from '../reading/timeSpan';
import { UsageSum } from '../reading/usageSum';
import { piEntry } from './piEntry';
import { piId, piTree } from './piTree';

const mostBytes = 2 ** 20;

/** Folders that hold sessions of pi: its usual one, and those that the environment and its global settings name
 *  (`sessionDir` in settings.json). A relative `sessionDir` is below each project, and is not looked for. */
async function piSessionFolders(
  files: HistoryFiles,
  { pi, piSessions, home }: HistoryPlaces,
): Promise<readonly string[]> {
  const named = [piSessions, await settingOf(files, `${pi}/settings.json`)].flatMap((path) =>
    path === null ? [] : [path.startsWith('~') ? join(home, path.slice(1)) : path],
  );
  return [...new Set([`${pi}/sessions`, ...named.filter((path) => isAbsolute(path))])];
}

async function settingOf(files: HistoryFiles, path: string): Promise<string | null> {
  const size = (await files.stat(path))?.size ?? 0;
  if (size === 0 || size > mostBytes) return null;
  const pieces: Uint8Array[] = [];
  for await (const piece of files.read(path)) pieces.push(piece);
  const read = parseJsonObject(Buffer.concat(pieces).toString('utf8'));
  return read.kind === 'object' ? nameOf(read.value, 'sessionDir') : null;
}

const newestVersion = 3;

/** Sessions of pi: one JSONL file per session, a tree of entries. Versions 1 to 3 of the format, by files that pi
 *  0.73.1 wrote and by docs/session-format.md of that version. */
export class PiSource implements HistorySource {
  readonly name = 'pi';

  constructor(private readonly files: HistoryFiles) {}

  async *locate(places: HistoryPlaces): AsyncGenerator<string> {
    for (const folder of await piSessionFolders(this.files, places)) {
      for await (const path of filesBelow(this.files, folder, 1)) if (path.endsWith('.jsonl')) yield path;
    }
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    yield await glance(this.files, path);
  }

  read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    return events(this.files, location.path);
  }
}

async function* events(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const read = await readTwice(files, () => jsonLines(files, path));
  const tree = await piTree(read());
  const records = new CountedRecords();
  const [times, usage, placed] = [new TimeSpan(), new UsageSum(), new Set<string>()];
  for await (const record of records.of(read())) {
    const { place } = record;
    if (record.kind === 'damaged') {
      yield skip(place, 'damaged', record.reason);
      continue;
    }
    const { value, name } = record;
    times.add(isoTimeOf(value, 'timestamp'));
    const facts = factsOf(value);
    if (facts !== null) {
      yield { kind: 'facts', facts, records: 1 };
      continue;
    }
    const id = piId(value, name);
    if (!tree.isFirst(id, place.number)) {
      yield skip(place, 'repeated', 'A record with the same id came before.');
      continue;
    }
    const view: ForeignView = !tree.isCurrent(id) ? 'abandoned' : tree.isCompacted(id) ? 'compacted' : 'shown';
    const entry = piEntry(value, id, place, view);
    const { ended } = entry;
    const endedHere = ended !== undefined && view !== 'abandoned' ? ended.reason : null;
    if (entry.kind !== 'message') {
      yield skip(place, entry.kind, entry.reason);
      if (endedHere !== null) yield { kind: 'ended', reason: endedHere, records: 0 };
      continue;
    }
    const { message } = entry;
    const parentId = tree.ancestor(id, (ancestor) => placed.has(ancestor));
    const omitted = record.isRepaired ? [...message.omitted, repairedText()] : message.omitted;
    placed.add(id);
    usage.add(message.usage);
    const keeps = message.view === 'summary' ? { keeps: tree.keptBy(id) } : {};
    yield { kind: 'message', records: 1, message: { ...message, parentId, omitted, ...keeps } };
    const error = ended?.error ?? null;
    if (error !== null) yield { kind: 'message', records: 0, message: noteAfter(message, error) };
    if (endedHere !== null) yield { kind: 'ended', reason: endedHere, records: 0 };
  }
  const { startedAt, endedAt } = times;
  yield { kind: 'facts', facts: { startedAt, endedAt, usage: usage.total }, records: 0 };
  yield { kind: 'end', records: records.count };
}

function noteAfter(message: ForeignMessage, text: string): ForeignMessage {
  const parts = [{ kind: 'text', text }] as const;
  const none = { model: null, provider: null, finishReason: null, usage: null, omitted: [] };
  return { ...message, ...none, id: `${message.id}/error`, parentId: message.id, role: 'system', parts };
}

/** Facts of an entry that says something about the session. Null for other entries. */
function factsOf(value: JsonObject): Partial<SessionFacts> | null {
  switch (textOf(value, 'type')) {
    case 'session':
      return { folder: nameOf(value, 'cwd'), lineage: lineageOf(value), writtenBy: writtenBy(value) };
    case 'session_info': {
      const title = nameOf(value, 'name');
      return title === null ? {} : { title };
    }
    case 'model_change': {
      const model = nameOf(value, 'modelId');
      return model === null ? {} : { model };
    }
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
  const place = { path, unit: 'file', number: 1 } as const;
  const { records, isWhole } = await headAndTail(files, path);
  const header = records.find((value) => textOf(value, 'type') === 'session') ?? null;
  const version = header === null ? 1 : (countOf(header, 'version') ?? 1);
  if (version > newestVersion) {
    const reason = t('The file has version {version}. Versions up to {newest} can be read.', {
      version: String(version),
      newest: String(newestVersion),
    });
    return { kind: 'skipped', skipped: { place, kind: 'unknown', reason } };
  }
  const messages = records.filter((value) => textOf(value, 'type') === 'message');
  if (messages.length === 0 && isWhole) {
    return { kind: 'skipped', skipped: { place, kind: 'bookkeeping', reason: t('The file holds no message.') } };
  }
  const times = new TimeSpan();
  for (const value of records) times.add(isoTimeOf(value, 'timestamp'));
  const last = (read: (value: JsonObject) => string | null | undefined): string | null =>
    records.reduceRight<string | null>((found, value) => found ?? read(value) ?? null, null);
  const session: ForeignSession = {
    source: 'pi',
    id: idIn(basename(path)),
    location: { path, key: null },
    lineage: header === null ? null : lineageOf(header),
    title: last((value) => factsOf(value)?.title) ?? firstPrompt(messages, place.path),
    folder: nameOf(header, 'cwd'),
    model: last((value) => factsOf(value)?.model ?? nameOf(objectOf(value, 'message'), 'model')),
    startedAt: times.startedAt,
    endedAt: times.endedAt,
    usage: null,
    writtenBy: header === null ? null : writtenBy(header),
    messageCount: isWhole ? messages.length : null,
  };
  return { kind: 'session', session };
}

function firstPrompt(messages: readonly JsonObject[], path: string): string | null {
  for (const value of messages) {
    if (textOf(objectOf(value, 'message'), 'role') !== 'user') continue;
    const read = piEntry(value, '', { path, unit: 'file', number: 1 }, 'shown');
    const parts = read.kind === 'message' ? read.message.parts : [];
    const title = shortTitle(parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n'));
    if (title !== null) return title;
  }
  return null;
}

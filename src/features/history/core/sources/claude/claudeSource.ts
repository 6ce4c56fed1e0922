import { basename, dirname } from 'node:path';
import { t } from '../../../../../base/translate';
import type {
  ForeignMessage,
  ForeignSession,
  ForeignView,
  ForeignLineage,
  ForeignPlace,
  SessionFacts,
} from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { isSet, nameOf, isoTimeOf, objectOf, own, textOf } from '../reading/fields';
import { type HistoryFiles, filesBelow } from '../reading/historyFiles';
import { RecentNames } from '../reading/recentNames';
import { CountedRecords, jsonLines, readTwice, repairedText, skip } from '../reading/records';
import { withSideFiles } from '../reading/sideFiles';
import { TimeSpan } from '../reading/timeSpan';
import { UsageSum } from '../reading/usageSum';
import { claudeRecord } from './claudeRecord';
import { claudeTree, isOwnFile } from './claudeTree';
import { headAndTail } from '../reading/headAndTail';
import { shortTitle } from '../reading/shortTitle';
import { anthropicContent } from '../reading/anthropicBlocks';
import type { JsonObject } from '../../../../../transcript/json';

/** Sessions of Claude Code: one JSONL file per session in `projects/<folder>/`, and one per sub-agent beside it.
 *  Formats read: 2.1.197, by files that the program wrote, and 2.0.76 to 2.1.144, by the schemas of
 *  oneryalcin/agent-schemas (claude-code/). The format has no version of its own. */
export class ClaudeSource implements HistorySource {
  readonly name = 'claudeCode';

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ claude }: HistoryPlaces): AsyncGenerator<string> {
    for await (const path of filesBelow(this.files, `${claude}/projects`, 3)) if (path.endsWith('.jsonl')) yield path;
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    yield await claudeGlance(this.files, path);
  }

  read({ location }: ForeignSession): AsyncGenerator<ReadEvent> {
    const { path } = location;
    // A sub-agent's file is in the folder of its session.
    const session = isOwnFile(path) && basename(dirname(path)) === 'subagents' ? dirname(dirname(path)) : path;
    const folders = [basename(session, '.jsonl'), 'tool-results'];
    return withSideFiles(this.files, new ClaudeReading(this.files, path).events(), dirname(session), folders);
  }
}

/** One API message is split over several records. It is held here until a record of another message follows. */
interface OpenMessage {
  readonly message: ForeignMessage;
  readonly apiMessageId: string;
  readonly records: number;
}

class ClaudeReading {
  private readonly records = new CountedRecords();
  private readonly calls = new RecentNames();
  private readonly usage = new UsageSum();
  private readonly times = new TimeSpan();
  private readonly counted = new Set<string>();
  /** Ids of messages by the uuid of each of their records. */
  private readonly placed = new Map<string, string>();
  private open: OpenMessage | null = null;
  private titleRank = -1;
  private folder: string | null = null;
  private model: string | null = null;
  private writtenBy: string | null = null;

  constructor(
    private readonly files: HistoryFiles,
    private readonly path: string,
  ) {}

  async *events(): AsyncGenerator<ReadEvent> {
    const records = await readTwice(this.files, () => jsonLines(this.files, this.path));
    const tree = await claudeTree(records(), this.path);
    const isOwn = isOwnFile(this.path);
    for await (const record of this.records.of(records())) {
      const { place } = record;
      if (record.kind === 'damaged') {
        yield skip(place, 'damaged', record.reason);
        continue;
      }
      const { value } = record;
      const uuid = nameOf(value, 'uuid');
      if (uuid !== null && !tree.isFirst(uuid, place.number)) {
        yield skip(place, 'repeated', 'A record with the same id came before.');
        continue;
      }
      this.folder ??= nameOf(value, 'cwd');
      this.writtenBy = nameOf(value, 'version') ?? this.writtenBy;
      const isSidechain = isSet(value, 'isSidechain') && !isOwn;
      const viewOf = (id: string): ForeignView => {
        if (isSidechain) return 'sidechain';
        if (!tree.isCurrent(id)) return 'abandoned';
        return tree.isCompacted(id) ? 'compacted' : 'shown';
      };
      const read = claudeRecord(value, place, viewOf, this.calls.nameOf);
      switch (read.kind) {
        case 'message': {
          const { id, omitted } = read.message;
          const parentId = tree.ancestor(id, (uuid) => this.placed.get(uuid));
          const repaired = record.isRepaired ? [...omitted, repairedText()] : omitted;
          const keeps = read.message.view === 'summary' ? { keeps: tree.keptBy(place.number) } : {};
          yield* this.take({ ...read.message, parentId, omitted: repaired, ...keeps }, read.apiMessageId);
          if (read.ended === undefined || read.message.view === 'abandoned') break;
          yield* this.close();
          yield { kind: 'ended', reason: read.ended, records: 0 };
          break;
        }
        case 'title':
          yield { kind: 'facts', records: 1, facts: this.betterTitle(read.title, read.rank) };
          break;
        case 'boundary':
          yield { kind: 'facts', records: 1, facts: {} };
          break;
        case 'bookkeeping':
        case 'unknown':
          yield skip(place, read.kind, read.reason);
          break;
      }
    }
    yield* this.close();
    yield { kind: 'facts', records: 0, facts: this.facts() };
    yield { kind: 'end', records: this.records.count };
  }

  private *take(message: ForeignMessage, apiMessageId: string | null): Generator<ReadEvent> {
    for (const part of message.parts) if (part.kind === 'toolCall') this.calls.add(part.callId, part.name);
    this.times.add(message.createdAt);
    this.model = message.model ?? this.model;
    const { open } = this;
    if (open !== null && open.apiMessageId === apiMessageId && open.message.view === message.view) {
      this.open = { apiMessageId, records: open.records + 1, message: together(open.message, message) };
      this.placed.set(message.id, open.message.id);
      return;
    }
    this.placed.set(message.id, message.id);
    yield* this.close();
    if (apiMessageId === null) yield { kind: 'message', records: 1, message };
    else this.open = { apiMessageId, records: 1, message };
  }

  private *close(): Generator<ReadEvent> {
    const { open } = this;
    if (open === null) return;
    this.open = null;
    // Each record repeats the usage of the whole request.
    const isFirst = !this.counted.has(open.apiMessageId);
    this.counted.add(open.apiMessageId);
    if (isFirst) this.usage.add(open.message.usage);
    const message = isFirst ? open.message : { ...open.message, usage: null };
    yield { kind: 'message', records: open.records, message };
  }

  private betterTitle(title: string, rank: number): { readonly title?: string } {
    if (rank < this.titleRank) return {};
    this.titleRank = rank;
    return { title };
  }

  private facts(): Partial<ForeignSession> {
    const { folder, model, writtenBy } = this;
    const { startedAt, endedAt } = this.times;
    return { folder, model, writtenBy, startedAt, endedAt, usage: this.usage.total };
  }
}

/** Joins records of one API message. The first gives id, parent and place, the last finish reason and usage. */
function together(first: ForeignMessage, next: ForeignMessage): ForeignMessage {
  return {
    ...first,
    parts: [...first.parts, ...next.parts],
    finishReason: next.finishReason ?? first.finishReason,
    usage: next.usage ?? first.usage,
    omitted: [...first.omitted, ...next.omitted],
  };
}

/** Facts in the beginning and the end of a session file. */
async function claudeGlance(files: HistoryFiles, path: string): Promise<Found> {
  const place: ForeignPlace = { path, unit: 'file', number: 1 };
  const { records, isWhole } = await headAndTail(files, path);
  const messages = records.filter((value) => isMessage(value));
  if (messages.length === 0 && isWhole) {
    return { kind: 'skipped', skipped: { place, kind: 'bookkeeping', reason: t('The file holds no message.') } };
  }
  const apiMessages = new Set(messages.map((value, index) => nameOf(objectOf(value, 'message'), 'id') ?? index));
  return {
    kind: 'session',
    session: {
      source: 'claudeCode',
      id: basename(path, '.jsonl'),
      location: { path, key: null },
      messageCount: isWhole ? apiMessages.size : null,
      ...factsOf(records, path),
    },
  };
}

function isMessage(value: JsonObject): boolean {
  const type = textOf(value, 'type');
  return type === 'user' || type === 'assistant';
}

function factsOf(records: readonly JsonObject[], path: string): SessionFacts {
  const times = new TimeSpan();
  for (const record of records) times.add(isoTimeOf(record, 'timestamp'));
  const last = <T>(read: (value: JsonObject) => T | null): T | null =>
    records.reduceRight<T | null>((found, value) => found ?? read(value), null);
  const first = <T>(read: (value: JsonObject) => T | null): T | null =>
    records.reduce<T | null>((found, value) => found ?? read(value), null);
  return {
    lineage: lineageOf(records, path),
    title:
      last((value) => nameOf(value, 'customTitle')) ??
      last((value) => nameOf(value, 'aiTitle')) ??
      last((value) => (textOf(value, 'type') === 'summary' ? nameOf(value, 'summary') : null)) ??
      first(promptOf),
    folder: first((value) => nameOf(value, 'cwd')),
    model: last(modelOf),
    startedAt: times.startedAt,
    endedAt: times.endedAt,
    usage: null,
    writtenBy: last((value) => nameOf(value, 'version')),
  };
}

function modelOf(value: JsonObject): string | null {
  const model = nameOf(objectOf(value, 'message'), 'model');
  return model === '<synthetic>' ? null : model;
}

function promptOf(value: JsonObject): string | null {
  if (textOf(value, 'type') !== 'user' || isSet(value, 'isMeta')) return null;
  const { parts } = anthropicContent(own(objectOf(value, 'message'), 'content'), () => null);
  return shortTitle(parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n'));
}

/** `forkedFrom` is on each record that a fork copied; a sub-agent's records name the session that started it. */
function lineageOf(records: readonly JsonObject[], path: string): ForeignLineage | null {
  for (const value of records) {
    const parentId = nameOf(objectOf(value, 'forkedFrom'), 'sessionId');
    if (parentId !== null) return { kind: 'branch', parentId };
  }
  if (!isOwnFile(path)) return null;
  for (const value of records) {
    const parentId = nameOf(value, 'sessionId');
    if (parentId !== null) return { kind: 'delegate', parentId };
  }
  return { kind: 'delegate', parentId: basename(dirname(dirname(path))) };
}

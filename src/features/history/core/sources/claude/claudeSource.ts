import { basename, dirname } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { ForeignLineage, ForeignMessage, ForeignView } from '../foreign';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { anthropicContent, textIn } from '../reading/content';
import { first, isSet, isoTimeOf, last, nameOf, objectOf, own, textOf } from '../reading/fields';
import { emptyFile, foundSession, shortTitle, timeSpan } from '../reading/foundSessions';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { headAndTail, jsonLines, readTwice, type WholeRecord } from '../reading/records';
import { readRecords, RecentNames, skip, type SessionTotals } from '../reading/sessionReading';
import { withSideFiles } from '../reading/sideFiles';
import { claudeRecord } from './claudeRecord';
import { claudeTree, isOwnFile, type ClaudeTree } from './claudeTree';

/** Sessions of Claude Code: one JSONL file per session in `projects/<folder>/`, and one per sub-agent beside it.
 *  Formats read: 2.1.197, by files that the program wrote, and 2.0.76 to 2.1.144, by the schemas of
 *  oneryalcin/agent-schemas (claude-code/). The format has no version of its own. */
export function claudeSource(files: HistoryFiles): HistorySource {
  return {
    name: 'claudeCode',
    locate: ({ claude }) => filesBelow(files, `${claude}/projects`, 3, /\.jsonl$/),
    async *findIn(path) {
      yield await claudeGlance(files, path);
    },
    read: ({ location: { path } }) => {
      // A sub-agent's file is in the folder of its session.
      const session = isOwnFile(path) && basename(dirname(path)) === 'subagents' ? dirname(dirname(path)) : path;
      const folders = [basename(session, '.jsonl'), 'tool-results'];
      return withSideFiles(files, claudeEvents(files, path), dirname(session), folders);
    },
  };
}

async function* claudeEvents(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const records = await readTwice(files, () => jsonLines(files, path));
  const reading = new ClaudeReading(await claudeTree(records(), path), isOwnFile(path));
  yield* readRecords(records(), (...of) => reading.take(...of), { timeOf: null, end: () => reading.end() });
}

/** One API message is split over several records. It is held here until a record of another message follows. */
interface OpenMessage {
  readonly message: ForeignMessage;
  readonly apiMessageId: string;
  readonly records: number;
}

class ClaudeReading {
  private readonly calls = new RecentNames();
  private readonly counted = new Set<string>();
  private open: OpenMessage | null = null;
  private titleRank = -1;
  private folder: string | null = null;
  private writtenBy: string | null = null;

  constructor(
    private readonly tree: ClaudeTree,
    private readonly isOwnFile: boolean,
  ) {}

  *take(record: WholeRecord, totals: SessionTotals): Generator<ReadEvent> {
    const { value, place } = record;
    const { tree } = this;
    const uuid = nameOf(value, 'uuid');
    if (uuid !== null && !tree.isFirst(uuid, place.number))
      return yield skip(place, 'repeated', 'A record with the same id came before.');
    this.folder ??= nameOf(value, 'cwd');
    this.writtenBy = nameOf(value, 'version') ?? this.writtenBy;
    const isSidechain = isSet(value, 'isSidechain') && !this.isOwnFile;
    const viewOf = (id: string): ForeignView => {
      if (isSidechain) return 'sidechain';
      if (!tree.isCurrent(id)) return 'abandoned';
      return tree.isCompacted(id) ? 'compacted' : 'shown';
    };
    const read = claudeRecord(record, viewOf, this.calls.nameOf);
    switch (read.kind) {
      case 'message': {
        const { view, createdAt = null } = read.message;
        // Each record counts, also one that is joined to another.
        totals.time(createdAt);
        const keeps = view === 'summary' ? { keeps: tree.keptBy(place.number) } : {};
        yield* this.message({ ...read.message, ...keeps }, read.apiMessageId);
        if (read.ended === undefined || view === 'abandoned') return;
        yield* this.close();
        return yield { kind: 'ended', reason: read.ended, records: 0 };
      }
      case 'title':
        return yield { kind: 'facts', records: 1, facts: this.betterTitle(read.title, read.rank) };
      case 'boundary':
        return yield { kind: 'facts', records: 1, facts: {} };
      case 'bookkeeping':
      case 'unknown':
        yield skip(place, read.kind, read.reason);
    }
  }

  *end(): Generator<ReadEvent> {
    const { folder, writtenBy } = this;
    yield* this.close();
    yield { kind: 'facts', records: 0, facts: { folder, writtenBy } };
  }

  private *message(message: ForeignMessage, apiMessageId: string | null): Generator<ReadEvent> {
    this.calls.add(message.parts);
    const { open } = this;
    if (open !== null && open.apiMessageId === apiMessageId && open.message.view === message.view) {
      this.open = { apiMessageId, records: open.records + 1, message: together(open.message, message) };
      return;
    }
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
    const message = isFirst ? open.message : { ...open.message, usage: null };
    yield { kind: 'message', records: open.records, message };
  }

  private betterTitle(title: string, rank: number): { readonly title?: string } {
    if (rank < this.titleRank) return {};
    this.titleRank = rank;
    return { title };
  }
}

/** Joins records of one API message. The first gives id and place, the last finish reason and usage. */
function together(before: ForeignMessage, next: ForeignMessage): ForeignMessage {
  return {
    ...before,
    parts: [...before.parts, ...next.parts],
    finishReason: next.finishReason ?? before.finishReason ?? null,
    usage: next.usage ?? before.usage ?? null,
    omitted: [...(before.omitted ?? []), ...(next.omitted ?? [])],
  };
}

/** Facts in the beginning and the end of a session file. */
async function claudeGlance(files: HistoryFiles, path: string): Promise<Found> {
  const { records, isWhole } = await headAndTail(files, path);
  const messages = records.filter((value) => ['user', 'assistant'].includes(textOf(value, 'type') ?? ''));
  if (messages.length === 0 && isWhole) return emptyFile(path);
  const apiMessages = new Set(messages.map((value, index) => nameOf(objectOf(value, 'message'), 'id') ?? index));
  return foundSession('claudeCode', path, {
    id: basename(path, '.jsonl'),
    messageCount: isWhole ? apiMessages.size : null,
    lineage: lineageOf(records, path),
    title:
      last(records, (value) => nameOf(value, 'customTitle')) ??
      last(records, (value) => nameOf(value, 'aiTitle')) ??
      last(records, (value) => (textOf(value, 'type') === 'summary' ? nameOf(value, 'summary') : null)) ??
      first(records, promptOf),
    folder: first(records, (value) => nameOf(value, 'cwd')),
    model: last(records, modelOf),
    ...timeSpan(records.map((value) => isoTimeOf(value, 'timestamp'))),
    writtenBy: last(records, (value) => nameOf(value, 'version')),
  });
}

function modelOf(value: JsonObject): string | null {
  const model = nameOf(objectOf(value, 'message'), 'model');
  return model === '<synthetic>' ? null : model;
}

function promptOf(value: JsonObject): string | null {
  if (textOf(value, 'type') !== 'user' || isSet(value, 'isMeta')) return null;
  return shortTitle(textIn(anthropicContent(own(objectOf(value, 'message'), 'content')).parts));
}

/** `forkedFrom` is on each record that a fork copied; a sub-agent's records name the session that started it. */
function lineageOf(records: readonly JsonObject[], path: string): ForeignLineage | null {
  const origin = first(records, (value) => nameOf(objectOf(value, 'forkedFrom'), 'sessionId'));
  if (origin !== null) return { kind: 'branch', parentId: origin };
  if (!isOwnFile(path)) return null;
  const caller = first(records, (value) => nameOf(value, 'sessionId'));
  return { kind: 'delegate', parentId: caller ?? basename(dirname(dirname(path))) };
}

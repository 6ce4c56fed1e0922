import { t } from '../../../../../base/translate';
import { basename } from 'node:path';
import type { JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignMessage, ForeignPlace, ForeignSession, ForeignView, SessionFacts } from '../foreign';
import type { HistoryPlaces } from '../historyPlaces';
import type { Found, HistorySource, ReadEvent } from '../historySource';
import { isoTimeOf, nameOf, objectOf, textOf, countOf, own } from '../reading/fields';
import type { HistoryFiles } from '../reading/historyFiles';
import { filesBelow } from '../reading/historyFiles';
import { RecentNames } from '../reading/recentNames';
import { CountedRecords, readTwice, repairedText, skip } from '../reading/records';
import { TimeSpan } from '../reading/timeSpan';
import type { ReadContent } from '../reading/anthropicBlocks';
import { codexGlance } from './codexGlance';
import { codexItem, codexUsage, envelopeOf, isContext } from './codexItem';
import { codexMeta, folderInContext, turnContext } from './codexMeta';
import { isContinued, rolloutRecords, threadIn, threadsAround, type RolloutRecord } from './codexRollout';

import { openaiContent } from '../reading/openaiContent';
const folders = ['sessions', 'archived_sessions'];
const rollout = /^rollout-.*\.jsonl(\.zst)?$/;

/** Sessions of Codex: rollouts below `sessions/YYYY/MM/DD/`. Formats read: 0.169.0, by files that the program wrote;
 *  lines with and without an envelope (before September 2025), by codex-rs/history/src/lib.rs,
 *  codex-rs/protocol/src/models.rs and protocol.rs of openai/codex. Compressed rollouts (`.jsonl.zst`) are read,
 *  too. */
export class CodexSource implements HistorySource {
  readonly name = 'codex';

  /** As they were listed last. */
  private threads: ReadonlyMap<string, readonly string[]> = new Map();

  constructor(private readonly files: HistoryFiles) {}

  async *locate({ codex }: HistoryPlaces): AsyncGenerator<string> {
    for (const folder of folders) {
      for await (const path of filesBelow(this.files, `${codex}/${folder}`, 4)) {
        if (rollout.test(basename(path))) yield path;
      }
    }
  }

  async *find(places: HistoryPlaces): AsyncGenerator<Found> {
    for await (const path of this.locate(places)) yield* this.findIn(path);
  }

  async *findIn(path: string): AsyncGenerator<Found> {
    if (path.endsWith('.jsonl.zst') && (await this.files.stat(path.slice(0, -4))) !== null) {
      const reason = t('The session is beside the file, too, and is not compressed there.');
      const place = { path, unit: 'file', number: 1 } as const;
      return yield { kind: 'skipped', skipped: { place, kind: 'repeated', reason } };
    }
    const threadId = threadIn(path);
    const isListed = threadId === '' || this.threads.get(threadId)?.includes(path);
    if (isListed !== true) this.threads = await threadsAround(this.files, path);
    if (await isContinued(this.files, path, this.threads.get(threadId) ?? [])) {
      const reason = t('A later file of the same session continues it, and is read with it.');
      const place = { path, unit: 'file', number: 1 } as const;
      return yield { kind: 'skipped', skipped: { place, kind: 'repeated', reason } };
    }
    yield await codexGlance(this.files, path);
  }

  async *read({ location: { path } }: ForeignSession): AsyncGenerator<ReadEvent> {
    yield* new CodexReading(this.files, path).events();
  }
}

class CodexReading {
  private readonly records = new CountedRecords();
  private readonly calls = new RecentNames();
  private readonly times = new TimeSpan();
  /** The model's answer, of which more pieces may follow. */
  private open: { readonly message: ForeignMessage; readonly records: number } | null = null;
  private lastId: string | null = null;
  private hasMeta = false;
  private model: string | null = null;
  private provider: string | null = null;
  private usage: Usage | null = null;

  constructor(
    private readonly files: HistoryFiles,
    private readonly path: string,
  ) {}

  async *events(): AsyncGenerator<ReadEvent> {
    const records = await readTwice(this.files, () => rolloutRecords(this.files, this.path));
    const turns = await codexTurns(records());
    for await (const record of this.records.of(records())) {
      if (record.kind === 'damaged') {
        yield skip(record.place, 'damaged', record.reason);
        continue;
      }
      const { place, name, number: line, value, isRepaired } = record;
      const createdAt = isoTimeOf(value, 'timestamp');
      this.times.add(createdAt);
      const view = turns.isAbandoned(line) ? 'abandoned' : turns.isCompacted(line) ? 'compacted' : 'shown';
      const at: Position = { place, name, createdAt, view, notes: isRepaired ? [repairedText()] : [] };
      yield* this.take(value, at);
    }
    yield* this.close();
    const { startedAt, endedAt } = this.times;
    const known = {
      ...(this.model === null ? {} : { model: this.model }),
      ...(startedAt === null ? {} : { startedAt }),
    };
    yield { kind: 'facts', records: 0, facts: { ...known, endedAt, usage: this.usage } };
    yield { kind: 'end', records: this.records.count };
  }

  private *take(value: JsonObject, at: Position): Generator<ReadEvent> {
    const { type, payload } = envelopeOf(value);
    if (payload === null) return yield skip(at.place, 'unknown', 'The line has no content.');
    switch (type) {
      case 'session_meta':
        return yield this.takeMeta(payload, at.place);
      case 'response_item':
        return yield* this.takeItem(payload, at);
      case 'compacted':
        return yield* this.takeSummary(payload, at);
      case 'turn_context': {
        const { folder, model } = turnContext(payload);
        this.model = model ?? this.model;
        return yield { kind: 'facts', records: 1, facts: folder === null ? {} : { folder } };
      }
      case 'token_usage_record':
        yield* this.close(codexUsage(objectOf(payload, 'usage')));
        return yield { kind: 'facts', records: 1, facts: {} };
      case 'event_msg':
        return yield* this.takeEvent(payload, at);
      case 'state':
      case 'world_state':
      case 'inter_agent_communication':
      case 'inter_agent_communication_metadata':
        return yield skip(at.place, 'bookkeeping', `A record of type “${type}” holds no message.`);
      default:
        return yield skip(at.place, 'unknown', `Records of type “${type ?? 'none'}” are not known.`);
    }
  }

  /** A fork repeats the first line of its origin after its own. */
  private takeMeta(payload: JsonObject, place: ForeignPlace): ReadEvent {
    if (this.hasMeta) return skip(place, 'repeated', 'The session was described before.');
    this.hasMeta = true;
    const { lineage, folder, startedAt, writtenBy, provider } = codexMeta(payload);
    this.provider = provider;
    this.times.add(startedAt);
    return { kind: 'facts', records: 1, facts: { lineage, folder, startedAt, writtenBy } };
  }

  private *takeItem(item: JsonObject, at: Position): Generator<ReadEvent> {
    const read = codexItem(item, at.name, this.calls.nameOf);
    switch (read.kind) {
      case 'model':
        for (const part of read.content.parts) if (part.kind === 'toolCall') this.calls.add(part.callId, part.name);
        return yield* this.addToAnswer(read.content, at);
      case 'message': {
        yield* this.close();
        const message = this.messageOf(read.role, read.content, at);
        const isDropped = message.view === 'abandoned';
        yield {
          kind: 'message',
          records: 1,
          message: read.isHidden && !isDropped ? { ...message, view: 'hidden' } : message,
        };
        const folder = read.isHidden ? folderOf(message) : null;
        if (folder !== null) yield { kind: 'facts', records: 0, facts: { folder } };
        return;
      }
      case 'bookkeeping':
      case 'unknown':
        return yield skip(at.place, read.kind, read.reason);
    }
  }

  private *addToAnswer(content: ReadContent, at: Position): Generator<ReadEvent> {
    const { open } = this;
    if (open === null || open.message.view !== at.view) {
      yield* this.close();
      const message = this.messageOf('assistant', content, at);
      this.open = { records: 1, message: { ...message, model: this.model, provider: this.provider } };
      return;
    }
    const { parts, omitted } = open.message;
    this.open = {
      records: open.records + 1,
      message: {
        ...open.message,
        parts: [...parts, ...content.parts],
        omitted: [...omitted, ...content.omitted, ...at.notes],
      },
    };
  }

  private *takeSummary(payload: JsonObject, at: Position): Generator<ReadEvent> {
    const text = nameOf(payload, 'message');
    // The model wrote the summary as an answer, which the user did not see.
    if (this.open !== null && this.open.message.view !== 'abandoned' && text !== null && isIn(text, this.open.message))
      this.open = { ...this.open, message: { ...this.open.message, view: 'hidden' } };
    yield* this.close();
    // Null: it is encrypted for its provider.
    const parts = text === null ? [] : [{ kind: 'text', text } as const];
    const message = this.messageOf('user', { parts, omitted: [] }, at);
    yield { kind: 'message', records: 1, message: { ...message, view: 'summary' } };
  }

  private *takeEvent(payload: JsonObject, at: Position): Generator<ReadEvent> {
    const type = textOf(payload, 'type') ?? 'none';
    switch (type) {
      case 'token_count':
        this.usage = codexUsage(objectOf(objectOf(payload, 'info'), 'total_token_usage')) ?? this.usage;
        return yield { kind: 'facts', records: 1, facts: {} };
      case 'thread_name_updated': {
        const title = nameOf(payload, 'thread_name');
        return yield { kind: 'facts', records: 1, facts: title === null ? {} : { title } };
      }
      case 'thread_rolled_back':
        yield* this.close();
        return yield { kind: 'facts', records: 1, facts: {} };
      case 'turn_aborted': {
        yield* this.close();
        const reason = textOf(payload, 'reason') === 'replaced' ? 'newPrompt' : 'user';
        if (at.view === 'abandoned') return yield { kind: 'facts', records: 1, facts: {} };
        return yield { kind: 'ended', records: 1, reason };
      }
      case 'error': {
        const text = nameOf(payload, 'message');
        if (text === null) break;
        yield* this.close();
        const content = { parts: [{ kind: 'text', text } as const], omitted: [] };
        yield { kind: 'message', records: 1, message: this.messageOf('system', content, at) };
        if (at.view !== 'abandoned') yield { kind: 'ended', records: 0, reason: 'error' };
        return;
      }
    }
    yield skip(at.place, 'bookkeeping', `An event of type “${type}” repeats what other lines say.`);
  }

  private *close(usage: Usage | null = null): Generator<ReadEvent> {
    const { open } = this;
    this.open = null;
    if (open !== null) yield { kind: 'message', records: open.records, message: { ...open.message, usage } };
  }

  private messageOf(role: ForeignMessage['role'], { parts, omitted }: ReadContent, at: Position): ForeignMessage {
    const id = at.name;
    const parentId = this.lastId;
    this.lastId = id;
    return {
      id,
      parentId,
      role,
      parts,
      view: at.view,
      createdAt: at.createdAt,
      model: null,
      provider: null,
      finishReason: null,
      usage: null,
      place: at.place,
      omitted: [...omitted, ...at.notes],
    };
  }
}

function isIn(summary: string, { parts }: ForeignMessage): boolean {
  const said = parts.flatMap((part) => (part.kind === 'text' ? [part.text.trim()] : [])).join('\n');
  return said !== '' && summary.includes(said);
}

interface Position {
  readonly place: ForeignPlace;
  /** Unique in the session. */
  readonly name: string;
  readonly createdAt: number | null;
  readonly view: ForeignView;
  readonly notes: readonly string[];
}

function folderOf({ parts }: ForeignMessage): SessionFacts['folder'] {
  const [first] = parts;
  return first?.kind === 'text' ? folderInContext(first.text) : null;
}

/** Which lines of a rollout the user took back, and where the last compaction is. */
interface CodexTurns {
  isAbandoned(line: number): boolean;
  isCompacted(line: number): boolean;
}

/** Reads a rollout once for its turns. Memory grows with the number of prompts. A rollback removes the newest turns
 *  (`thread_rolled_back`); their lines stay in the file. */
async function codexTurns(records: AsyncIterable<RolloutRecord> | Iterable<RolloutRecord>): Promise<CodexTurns> {
  const prompts: number[] = [];
  const removed: { readonly from: number; readonly to: number }[] = [];
  let compacted = 0;
  for await (const record of records) {
    if (record.kind === 'damaged') continue;
    const line = record.number;
    const { type, payload } = envelopeOf(record.value);
    if (type === 'compacted') compacted = line;
    if (type === 'response_item' && isPrompt(payload)) prompts.push(line);
    if (type === 'event_msg' && textOf(payload, 'type') === 'thread_rolled_back') {
      const turns = Math.min(countOf(payload, 'num_turns') ?? 0, prompts.length);
      const [from] = prompts.splice(prompts.length - turns, turns);
      if (from !== undefined) removed.push({ from, to: line });
    }
  }
  return {
    isAbandoned: (line) => removed.some(({ from, to }) => line >= from && line < to),
    isCompacted: (line) => line < compacted,
  };
}

function isPrompt(item: JsonObject | null): boolean {
  if (item === null || textOf(item, 'type') !== 'message' || textOf(item, 'role') !== 'user') return false;
  const { parts } = openaiContent(own(item, 'content'));
  return parts.length > 0 && !isContext(item, parts);
}

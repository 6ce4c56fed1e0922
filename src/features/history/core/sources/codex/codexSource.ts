import { t } from '../../../../../base/translate';
import type { JsonObject } from '../../../../../transcript/json';
import type { Usage } from '../../../../../transcript/usage';
import type { ForeignMessage, ForeignPlace, ForeignView } from '../foreign';
import type { HistorySource, ReadEvent, Found } from '../historySource';
import { noContent, one, openaiContent, textIn, type ReadContent } from '../reading/content';
import { countOf, isoTimeOf, nameOf, objectOf, own, textOf, first } from '../reading/fields';
import { skippedFile, emptyFile, foundSession, shortTitle, timeSpan } from '../reading/foundSessions';
import { filesBelow, type HistoryFiles } from '../reading/historyFiles';
import { readTwice, type WholeRecord, headAndTail, jsonLines } from '../reading/records';
import { readRecords, RecentNames, skip } from '../reading/sessionReading';
import {
  codexItem,
  codexMeta,
  codexUsage,
  envelopeOf,
  folderInContext,
  isContext,
  turnContext,
  contentOf,
} from './codexItem';
import { isContinued, rolloutRecords, threadIn, threadsAround, type RolloutRecord } from './codexRollout';
import { basename } from 'node:path';
import { isZstd, ZstdFiles } from '../reading/zstdFiles';

/** Facts in the beginning and the end of a rollout. */
async function codexGlance(files: HistoryFiles, path: string): Promise<Found> {
  const { records, isWhole, damage } = await glancedRecords(files, path);
  if (records.length === 0 && damage !== null) return skippedFile(path, 'damaged', damage);
  const envelopes = records.map(envelopeOf);
  const items = envelopes.flatMap(({ type, payload }) =>
    type === 'response_item' && payload !== null ? [payload] : [],
  );
  const messages = items.filter((item) => textOf(item, 'type') === 'message');
  if (messages.length === 0 && isWhole) return emptyFile(path);
  const header = envelopes.find(({ type }) => type === 'session_meta')?.payload ?? null;
  const meta = codexMeta(header);
  const context = turnContext(envelopes.findLast(({ type }) => type === 'turn_context')?.payload ?? null);
  const names = envelopes.flatMap(({ payload }) => nameOf(payload, 'thread_name') ?? []);
  return foundSession('codex', path, {
    ...meta,
    id: nameOf(header, 'id') ?? basename(path).replace(/\.jsonl(\.zst)?$/, ''),
    title: names.at(-1) ?? first(messages, promptIn),
    folder: context.folder ?? meta.folder ?? first(messages, (message) => folderInContext(textsOf(message))),
    model: context.model,
    ...timeSpan([meta.startedAt, ...records.map((record) => isoTimeOf(record, 'timestamp'))]),
  });
}

/** Bytes of a compressed rollout that are looked at: its end cannot be read without the rest. */
const packedHead = 256 * 1024;

async function glancedRecords(
  files: HistoryFiles,
  path: string,
): Promise<{ readonly records: readonly JsonObject[]; readonly isWhole: boolean; readonly damage: string | null }> {
  if (!path.endsWith('.zst') && !(await isZstd(files, path)))
    return { ...(await headAndTail(files, path)), damage: null };
  const unpacked = new ZstdFiles(files);
  const records: JsonObject[] = [];
  let bytes = 0;
  const head = async function* (): AsyncGenerator<Uint8Array> {
    for await (const piece of unpacked.read(path, { end: packedHead })) {
      bytes += piece.length;
      yield piece;
    }
  };
  for await (const record of jsonLines({ read: head }, path)) if (record.kind === 'record') records.push(record.value);
  return { records, isWhole: bytes < packedHead && unpacked.damage === null, damage: unpacked.damage };
}

function textsOf(message: JsonObject): string {
  return textIn(contentOf(message).parts);
}

function promptIn(message: JsonObject): string | null {
  const isPrompt = textOf(message, 'role') === 'user' && !isContext(message, contentOf(message).parts);
  return isPrompt ? shortTitle(textsOf(message)) : null;
}

/** Sessions of Codex: rollouts below `sessions/YYYY/MM/DD/`. Formats read: 0.169.0, by files that the program wrote;
 *  lines with and without an envelope (before September 2025), by codex-rs/history/src/lib.rs,
 *  codex-rs/protocol/src/models.rs and protocol.rs of openai/codex. Compressed rollouts (`.jsonl.zst`) are read,
 *  too. */
export function codexSource(files: HistoryFiles): HistorySource {
  /** As they were listed last. */
  let threads: ReadonlyMap<string, readonly string[]> = new Map();
  return {
    name: 'codex',
    async *locate({ codex }) {
      for (const folder of ['sessions', 'archived_sessions'])
        yield* filesBelow(files, `${codex}/${folder}`, 4, /\/rollout-[^/]*\.jsonl(\.zst)?$/);
    },
    async *findIn(path) {
      if (path.endsWith('.jsonl.zst') && (await files.stat(path.slice(0, -4))) !== null) {
        const reason = t('The session is beside the file, too, and is not compressed there.');
        return yield skippedFile(path, 'repeated', reason);
      }
      const threadId = threadIn(path);
      const isListed = threadId === '' || threads.get(threadId)?.includes(path);
      if (isListed !== true) threads = await threadsAround(files, path);
      if (await isContinued(files, path, threads.get(threadId) ?? [])) {
        const reason = t('A later file of the same session continues it, and is read with it.');
        return yield skippedFile(path, 'repeated', reason);
      }
      yield await codexGlance(files, path);
    },
    read: ({ location }) => codexEvents(files, location.path),
  };
}

async function* codexEvents(files: HistoryFiles, path: string): AsyncGenerator<ReadEvent> {
  const records = await readTwice(files, () => rolloutRecords(files, path));
  const turns = await codexTurns(records());
  const reading = new CodexReading();
  yield* readRecords(
    records(),
    (record: WholeRecord & { readonly number: number }) => {
      const { place, name, number: line, value, notes } = record;
      const view = turns.isAbandoned(line) ? 'abandoned' : turns.isCompacted(line) ? 'compacted' : 'shown';
      return reading.take(value, { place, name, createdAt: isoTimeOf(value, 'timestamp'), view, notes });
    },
    { end: () => reading.close() },
  );
}

class CodexReading {
  private readonly calls = new RecentNames();
  /** The model's answer, of which more pieces may follow. */
  private open: { readonly message: ForeignMessage; readonly records: number } | null = null;
  private hasMeta = false;
  private model: string | null = null;

  *take(value: JsonObject, at: Position): Generator<ReadEvent> {
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
        return yield { kind: 'facts', records: 1, facts: { folder, model } };
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
    return { kind: 'facts', records: 1, facts: codexMeta(payload) };
  }

  private *takeItem(item: JsonObject, at: Position): Generator<ReadEvent> {
    const read = codexItem(item, at.name, this.calls.nameOf);
    switch (read.kind) {
      case 'model':
        this.calls.add(read.content.parts);
        return yield* this.addToAnswer(read.content, at);
      case 'message': {
        yield* this.close();
        const view = read.isHidden && at.view !== 'abandoned' ? 'hidden' : at.view;
        const message = messageOf(read.role, read.content, { ...at, view });
        yield { kind: 'message', records: 1, message };
        const [begin] = message.parts;
        const folder = read.isHidden && begin?.kind === 'text' ? folderInContext(begin.text) : null;
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
      this.open = { records: 1, message: { ...messageOf('assistant', content, at), model: this.model } };
      return;
    }
    const { parts, omitted = [] } = open.message;
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
    const content = text === null ? noContent : one({ kind: 'text', text });
    yield { kind: 'message', records: 1, message: messageOf('user', content, { ...at, view: 'summary' }) };
  }

  private *takeEvent(payload: JsonObject, at: Position): Generator<ReadEvent> {
    const type = textOf(payload, 'type') ?? 'none';
    switch (type) {
      case 'token_count': {
        const usage = codexUsage(objectOf(objectOf(payload, 'info'), 'total_token_usage'));
        return yield { kind: 'facts', records: 1, facts: { usage } };
      }
      case 'thread_name_updated':
        return yield { kind: 'facts', records: 1, facts: { title: nameOf(payload, 'thread_name') } };
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
        yield { kind: 'message', records: 1, message: messageOf('system', one({ kind: 'text', text }), at) };
        if (at.view !== 'abandoned') yield { kind: 'ended', records: 0, reason: 'error' };
        return;
      }
    }
    yield skip(at.place, 'bookkeeping', `An event of type “${type}” repeats what other lines say.`);
  }

  *close(usage: Usage | null = null): Generator<ReadEvent> {
    const { open } = this;
    this.open = null;
    if (open !== null) yield { kind: 'message', records: open.records, message: { ...open.message, usage } };
  }
}

interface Position {
  readonly place: ForeignPlace;
  /** Unique in the session. */
  readonly name: string;
  readonly createdAt: number | null;
  readonly view: ForeignView;
  readonly notes: readonly string[];
}

function messageOf(
  role: ForeignMessage['role'],
  { parts, omitted }: ReadContent,
  { name, view, createdAt, place, notes }: Position,
): ForeignMessage {
  return { id: name, role, parts, view, createdAt, place, omitted: [...omitted, ...notes] };
}

function isIn(summary: string, { parts }: ForeignMessage): boolean {
  const said = textIn(parts.map((part) => (part.kind === 'text' ? { ...part, text: part.text.trim() } : part)));
  return said !== '' && summary.includes(said);
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

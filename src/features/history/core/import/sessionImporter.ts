import type { ImagePart } from '../../../../transcript/part';
import type { BegunImport, ImportedFacts, ImportLineage, ImportMark, FinishImport } from '../../../../store/importing';
import type { SessionOrigin } from '../../../../transcript/session';
import type { ForeignSession, SessionFacts } from '../sources/foreign';
import { noCounts, counted, type HistorySource, type ReadCounts, type ReadEvent } from '../sources/historySource';
import { shortTitle } from '../sources/reading/foundSessions';
import { withFacts } from '../sources/reading/sessionReading';
import { importedSessionId } from './importedIds';
import { mostVersions, type ImportTarget, type LeftOut, type StoredMark } from './importing';
import { digestVersion, SessionConverter, type ConvertedRows, type TurnBorder } from './sessionConverter';

/** Writes one session. One that fits into a batch is one transaction; a longer one is begun with its first batch, and
 *  each batch is written while the next one is read. */
class SessionWriter {
  private waiting: ConvertedRows | null = null;
  private writing: Promise<void> = Promise.resolve();
  private isBegun = false;

  constructor(
    private readonly target: ImportTarget,
    private readonly sessionId: string,
    private readonly lineage: ImportLineage | null,
    private readonly startedAt: () => number,
  ) {}

  async begin(): Promise<BegunImport> {
    const { sessionId, lineage } = this;
    const begun = await this.target.beginImport({ sessionId, lineage, startedAt: this.startedAt() });
    this.isBegun = true;
    return begun;
  }

  async add(rows: ConvertedRows): Promise<void> {
    if (!this.isBegun && this.waiting === null) {
      this.waiting = rows;
      return;
    }
    if (!this.isBegun) await this.begin();
    if (this.waiting !== null) await this.write(this.waiting);
    this.waiting = null;
    await this.write(rows);
  }

  async finish(finish: FinishImport): Promise<void> {
    const { sessionId, waiting } = this;
    if (!this.isBegun && waiting !== null) {
      await this.target.importWhole({ batch: { sessionId, ...waiting }, finish });
      return;
    }
    await this.writing;
    await this.target.finishImport(finish);
  }

  /** Never rejects: the store removes what is left. */
  async discard(): Promise<void> {
    await this.writing.catch(() => undefined);
    if (this.isBegun) await this.target.discardImport(this.sessionId).catch(() => undefined);
  }

  private async write(rows: ConvertedRows): Promise<void> {
    await this.writing;
    this.writing = this.target.addImported({ sessionId: this.sessionId, ...rows });
    this.writing.catch(() => undefined);
  }
}

/** Begun without continuing another session. */
const fresh: BegunImport = { isContinuation: false, start: 0 };

/** Rows, and characters in them, of one transaction of the store: about 20 ms. */
const batchRows = 512;
const batchCharacters = 1_000_000;

interface SessionImportDeps {
  readonly target: ImportTarget;
  readonly reader: HistorySource;
  /** Seconds since the epoch. */
  readonly now: number;
  readonly signal: AbortSignal | undefined;
  readonly onRows: (messages: number) => void;
  readonly onLeftOut: (left: LeftOut) => void;
}

interface Written {
  readonly outcome: 'imported' | 'extended' | 'branched' | 'unchanged' | 'empty';
  readonly version: number;
  readonly messages: number;
  readonly records: ReadCounts;
}

/** Imports one session: reads it, makes rows of it and passes them to the store in batches. */
export class SessionImporter {
  private counts = noCounts;
  private facts: SessionFacts;
  /** False while content is read that was imported before. */
  private reports = true;

  constructor(
    private readonly deps: SessionImportDeps,
    private readonly session: ForeignSession,
    /** Cheap signs of the source's content. */
    private readonly stamp: string,
  ) {
    this.facts = session;
  }

  /** Imports it as a session of its own. Rows of a failed attempt are removed by the store. */
  async import(version: number, outcome: 'imported' | 'branched' = 'imported'): Promise<Written> {
    this.restart();
    this.reports = true;
    const { target } = this.deps;
    const sessionId = importedSessionId(this.session, version);
    const lineage = this.lineage(version);
    const writer = new SessionWriter(target, sessionId, lineage, () => this.startedAt());
    const begun = lineage?.kind === 'compression' ? await writer.begin() : fresh;
    try {
      const converter = await this.writeRows(writer, sessionId, begun);
      const written = { version, messages: this.counts.messages, records: this.counts };
      if (converter.sentRows === 0) {
        await writer.discard();
        return { ...written, outcome: 'empty', messages: 0 };
      }
      await writer.finish({
        sessionId,
        lineage,
        startedAt: this.startedAt(),
        folder: this.facts.folder,
        origin: this.origin(),
        ...this.described(converter, this.markOf(converter, converter.lastBorder, begun)),
      });
      return { ...written, outcome };
    } catch (error) {
      await writer.discard();
      throw error;
    }
  }

  /** Adds what a stored version lacks. A version that was changed here, or whose beginning changed there, gets a
   *  branch instead. A source that holds less than it did changes nothing. */
  async update(version: number, mark: StoredMark, isChanged: boolean): Promise<Written> {
    this.restart();
    if (mark === null) return this.unchanged(version);
    const { growth, converter, continues, from } = await this.readGrowth(
      importedSessionId(this.session, version),
      mark,
    );
    if (converter.whole === mark.whole || converter.messages < mark.total) return this.unchanged(version);
    if (isEarlierMark(mark) && converter.messages === mark.total) return this.unchanged(version);
    if (continues && !isChanged) {
      if (await this.extend(version, mark, growth, converter, from))
        return {
          outcome: 'extended',
          version,
          messages: Math.max(0, converter.messages - mark.total),
          records: this.counts,
        };
    }
    return version < mostVersions ? this.import(version + 1, 'branched') : this.unchanged(version);
  }

  private unchanged(version: number): Written {
    return { outcome: 'unchanged', version, messages: 0, records: this.counts };
  }

  private restart(): void {
    this.counts = noCounts;
    this.facts = this.session;
  }

  private async writeRows(writer: SessionWriter, sessionId: string, begun: BegunImport): Promise<SessionConverter> {
    const converter = this.converter(sessionId, begun, true);
    let characters = 0;
    const send = async (): Promise<void> => {
      const rows = converter.take();
      characters = 0;
      this.deps.signal?.throwIfAborted();
      await writer.add(rows);
      this.deps.onRows(rows.rows.length);
    };
    for await (const event of this.read()) {
      if (event.kind === 'ended') converter.turnEnded(event.reason);
      if (event.kind !== 'message') continue;
      this.convert(converter, event);
      characters += sizeOf(event);
      if (converter.ready >= batchRows || (characters >= batchCharacters && converter.ready > 0)) await send();
    }
    converter.end();
    if (converter.ready > 0) await send();
    return converter;
  }

  /** Converts the whole session and keeps what follows the stored part, in pieces that end with a turn. */
  private async readGrowth(sessionId: string, mark: ImportMark) {
    const converter = this.converter(sessionId, mark.begun, false);
    const growth: { readonly rows: ConvertedRows; readonly until: TurnBorder }[] = [];
    let pieces: ConvertedRows[] = [];
    let border = converter.lastBorder;
    const isReached = (): boolean =>
      border.messages === mark.messages && (isEarlierMark(mark) || border.digest === mark.digest);
    let continues = isReached();
    let from = border.from;
    this.reports = continues;
    for await (const event of this.read()) {
      if (event.kind === 'ended') converter.turnEnded(event.reason);
      if (event.kind !== 'message') continue;
      this.convert(converter, event);
      if (converter.lastBorder === border) continue;
      border = converter.lastBorder;
      if (continues) pieces.push(converter.take());
      else converter.take();
      if (!continues && isReached()) {
        continues = this.reports = true;
        from = border.from;
      }
      if (pieces.reduce((sum, { rows }) => sum + rows.length, 0) < batchRows) continue;
      growth.push({ rows: joined(pieces), until: border });
      pieces = [];
    }
    converter.end();
    growth.push({ rows: joined([...pieces, converter.take()]), until: converter.lastBorder });
    return { growth, converter, continues, from };
  }

  private async extend(
    version: number,
    mark: ImportMark,
    growth: readonly { readonly rows: ConvertedRows; readonly until: TurnBorder }[],
    converter: SessionConverter,
    begin: number,
  ): Promise<boolean> {
    const sessionId = importedSessionId(this.session, version);
    let since = mark.digest;
    let from = begin;
    for (const [index, { rows, until }] of growth.entries()) {
      this.deps.signal?.throwIfAborted();
      const isLast = index === growth.length - 1;
      const reached = isLast
        ? this.markOf(converter, until, mark.begun)
        : { ...mark, stamp: '', messages: until.messages, digest: until.digest, total: until.messages, whole: '' };
      const isDone = await this.deps.target.extendImport({
        sessionId,
        since,
        from,
        ...rows,
        ...this.described(converter, reached),
      });
      if (!isDone) return false;
      this.deps.onRows(rows.rows.length);
      since = until.digest;
      from = until.from;
    }
    return true;
  }

  private converter(sessionId: string, begun: BegunImport, cutsTurns: boolean): SessionConverter {
    return new SessionConverter({
      sessionId,
      ...begun,
      startedAt: this.startedAt(),
      now: this.deps.now,
      model: this.session.model,
      cutsTurns,
    });
  }

  private async *read(): AsyncGenerator<ReadEvent> {
    for await (const event of this.deps.reader.read(this.session)) {
      this.deps.signal?.throwIfAborted();
      this.counts = counted(this.counts, event);
      if (event.kind === 'facts') this.facts = withFacts(this.facts, event.facts);
      if (event.kind === 'skipped' && event.skipped.kind !== 'bookkeeping' && this.reports)
        this.deps.onLeftOut({ source: this.session.source, sessionId: this.session.id, ...event.skipped, count: 1 });
      yield event;
    }
  }

  private convert(converter: SessionConverter, { message }: MessageEvent): void {
    const left = converter.add(message);
    if (!this.reports) return;
    for (const reason of left)
      this.deps.onLeftOut({
        source: this.session.source,
        sessionId: this.session.id,
        place: message.place,
        kind: 'omitted',
        reason,
        count: 1,
      });
  }

  private lineage(version: number): ImportLineage | null {
    if (version > 1) return { parentId: importedSessionId(this.session), kind: 'branch' };
    const { lineage } = this.session;
    if (lineage === null) return null;
    return { parentId: importedSessionId({ source: this.session.source, id: lineage.parentId }), kind: lineage.kind };
  }

  private startedAt(): number {
    return Math.min(this.facts.startedAt ?? this.facts.endedAt ?? this.deps.now, this.deps.now);
  }

  private origin(): SessionOrigin {
    const { source, id, location } = this.session;
    const { writtenBy, model } = this.facts;
    return { source, id, place: location.path, writtenBy, model, importedAt: this.deps.now };
  }

  private markOf(converter: SessionConverter, border: TurnBorder, begun: BegunImport): ImportMark {
    return {
      stamp: this.stamp,
      messages: border.messages,
      digest: border.digest,
      total: converter.messages,
      whole: converter.whole,
      begun,
    };
  }

  private described(converter: SessionConverter, mark: ImportMark): ImportedFacts {
    const { title } = this.facts;
    return {
      title,
      titleSource: title === shortTitle(converter.prompt ?? '') ? 'derived' : 'model',
      prompt: converter.prompt,
      lastActiveAt: Math.max(converter.lastTime, Math.min(this.facts.endedAt ?? 0, this.deps.now)),
      usage: this.facts.usage ?? converter.usage,
      mark,
    };
  }
}

/** True for a mark of a version whose digests held no texts: only the number of messages can be compared. */
function isEarlierMark({ digest }: ImportMark): boolean {
  return !digest.startsWith(digestVersion);
}

type MessageEvent = Extract<ReadEvent, { kind: 'message' }>;

function sizeOf({ message }: MessageEvent): number {
  return message.parts.reduce((sum, part) => {
    const images: readonly ImagePart[] =
      part.kind === 'toolResult' ? (part.images ?? []) : part.kind === 'image' ? [part] : [];
    const text = part.kind === 'toolCall' ? part.arguments : 'text' in part ? part.text : '';
    return images.reduce((all, { dataBase64 }) => all + dataBase64.length, sum + text.length);
  }, 0);
}

function joined(pieces: readonly ConvertedRows[]): ConvertedRows {
  return {
    segments: pieces.flatMap(({ segments }) => segments),
    rows: pieces.flatMap(({ rows }) => rows),
    turns: pieces.flatMap(({ turns }) => turns),
  };
}

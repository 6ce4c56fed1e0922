import type { Clock } from '../../../../base/clock';
import type { Disposable } from '../../../../base/disposable';
import { pause } from '../../../../base/pause';
import type { ImportResult, SessionFile, ImportService } from '../import/importing';
import { sessionSources } from '../import/sessionSources';
import type { ForeignSession } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type { HistorySource } from '../sources/historySource';
import type { HistoryFiles, ByteRange, FileFacts, FolderEntry } from '../sources/reading/historyFiles';
import { emptyRecord, sessionKey, type RescuedFile, type RescueRecord, type RescueRecordFile } from './rescueRecord';

/** Calls of the file system per second. One takes about 50 µs of processor time, so they take about 0.1 % of a core. */
export const callsPerSecond = 20;

/** Files that are looked at slowly: each call waits until the budget allows it. Calls come one after another. Every
 *  wait rejects with the signal's reason when it aborts. */
class PacedFiles implements HistoryFiles {
  private left = callsPerSecond;

  constructor(
    private readonly files: HistoryFiles,
    private readonly clock: Pick<Clock, 'after'>,
    private readonly signal: AbortSignal,
  ) {}

  async list(folder: string): Promise<readonly FolderEntry[]> {
    await this.take();
    return this.files.list(folder);
  }

  async stat(path: string): Promise<FileFacts | null> {
    await this.take();
    return this.files.stat(path);
  }

  async *read(path: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    await this.take();
    yield* this.files.read(path, range);
  }

  /** Waits, at least 0 milliseconds. */
  async pause(milliseconds: number): Promise<void> {
    await pause(this.clock, milliseconds, this.signal);
    this.left = callsPerSecond;
    this.signal.throwIfAborted();
  }

  private async take(): Promise<void> {
    if (this.left === 0) await this.pause(1000);
    this.signal.throwIfAborted();
    this.left--;
  }
}

/** Milliseconds between two searches: after one that found something, and the most that the pause grows to. */
const [shortestPauseMs, longestPauseMs] = [30_000, 10 * 60_000];
/** Files that are imported together. */
const mostFiles = 50;
const longestRestMs = 60 * 60_000;

interface RescueDeps {
  readonly clock: Pick<Clock, 'now' | 'monotonicMs' | 'after'>;
  readonly files: HistoryFiles;
  readonly places: () => HistoryPlaces;
  /** Asked before each search: another window may have switched it off. */
  readonly isWanted: () => boolean;
  /** True for a folder whose sessions belong into this store. */
  readonly isOurs: (folder: string) => boolean;
  /** Changes whenever the answers of `isOurs` do. */
  readonly scope: string;
  /** Starts a thread that imports into this store. */
  readonly openImporter: () => ImportService & { close(): Promise<void> };
  readonly record: RescueRecordFile;
  /** Called after sessions were imported. */
  readonly onImported: () => void;
  /** Called when something begins to fail, and not again until everything worked once. */
  readonly report: (failure: unknown) => void;
}

interface ChangedFile extends SessionFile {
  readonly stamp: string;
  /** True for a file that was never imported. */
  readonly isNew: boolean;
}

/** Imports what other agents write, again and again. A session belongs into the store of its folder; one without a
 *  folder into the first store that finds it. Sessions whose source is gone stay. Those erased here do not come
 *  back. */
export class Rescue implements Disposable {
  private readonly stopping = new AbortController();
  private readonly paced: PacedFiles;
  private readonly agents: readonly HistorySource[];
  private current: RescueRecord = emptyRecord;
  private elsewhere: ReadonlySet<string> = new Set();
  private isFailing = false;
  private failures = 0;
  private found = 0;

  constructor(private readonly deps: RescueDeps) {
    this.paced = new PacedFiles(deps.files, deps.clock, this.stopping.signal);
    // Finding files opens no database.
    const never = (): Promise<never> => Promise.reject(new Error('A search opens no database.'));
    this.agents = sessionSources(this.paced, never).agents;
  }

  get record(): RescueRecord {
    return this.current;
  }

  /** Begins. Resolves when it was disposed. */
  async run(): Promise<void> {
    try {
      this.current = await this.loaded();
      for (let pauseMs = shortestPauseMs; !this.stopping.signal.aborted;) {
        [this.failures, this.found] = [0, 0];
        if (this.deps.isWanted()) await this.search();
        if (this.failures === 0) this.isFailing = false;
        pauseMs = this.found > 0 ? shortestPauseMs : Math.min(longestPauseMs, pauseMs * 2);
        await this.paced.pause(pauseMs);
      }
    } catch (error) {
      if (!this.stopping.signal.aborted) this.fail(error);
    }
  }

  dispose(): void {
    this.stopping.abort();
  }

  /** The record; without its stamps when other folders are open now, because more sessions may belong here. */
  private async loaded(): Promise<RescueRecord> {
    const record = await this.deps.record.load();
    const { scope } = this.deps;
    if (record.scope === scope) return record;
    const files = Object.entries(record.files).map(([path, file]) => [path, { ...file, stamp: '' }] as const);
    return { ...record, scope, files: Object.fromEntries(files) };
  }

  /** Looks at each file once. */
  private async search(): Promise<void> {
    const seen = new Set<string>();
    let changed: ChangedFile[] = [];
    for (const agent of this.agents) {
      await this.attempt(async () => {
        for await (const path of agent.locate(this.deps.places())) {
          seen.add(path);
          const file = await this.changeOf(agent, path);
          if (file !== null) changed.push(file);
          if (changed.length < mostFiles) continue;
          const full = changed;
          changed = [];
          await this.import(full);
        }
      });
    }
    if (changed.length > 0) await this.import(changed);
    if (this.failures === 0) await this.attempt(() => this.noteGone(seen));
  }

  private async changeOf({ name }: HistorySource, path: string): Promise<ChangedFile | null> {
    const stamp = await this.stampOf(path);
    const known = this.current.files[path];
    return stamp === null || known?.stamp === stamp ? null : { source: name, path, stamp, isNew: known === undefined };
  }

  /** Size and time of a file, with the log of a database. Null when it is gone. */
  private async stampOf(path: string): Promise<string | null> {
    const facts = [await this.paced.stat(path)];
    if (facts[0] === null) return null;
    if (!/\.(?:jsonl?|zst)$/.test(path)) facts.push(await this.paced.stat(`${path}-wal`));
    return facts.map((one) => (one === null ? '' : `${one.size}/${one.modifiedAt}`)).join(' ');
  }

  /** Imports the sessions of files that belong into this store. Then rests 99 times as long as that took, or 4 times
   *  for files that were never imported, so that they do not wait for days. */
  private async import(changed: readonly ChangedFile[]): Promise<void> {
    const started = this.deps.clock.monotonicMs();
    await this.attempt(() => this.importNow(changed));
    const restMs = (this.deps.clock.monotonicMs() - started) * (changed.some(({ isNew }) => isNew) ? 4 : 99);
    await this.paced.pause(Math.min(longestRestMs, restMs));
  }

  private async importNow(changed: readonly ChangedFile[]): Promise<void> {
    const { signal } = this.stopping;
    this.elsewhere = await this.deps.record.keptElsewhere();
    const importer = this.deps.openImporter();
    try {
      const { sessions, problems } = await importer.scan(this.deps.places(), { signal, files: changed });
      const ours = sessions.filter((session) => this.isOurs(session));
      const result = await importer.run(ours, { signal });
      signal.throwIfAborted();
      await this.note(changed, ours, result);
      const reason = problems[0]?.reason ?? result.entries.find(({ outcome }) => outcome === 'failed')?.reason;
      if (reason !== undefined && reason !== null) this.fail(new Error(reason));
    } finally {
      await importer.close();
    }
  }

  private isOurs(session: ForeignSession): boolean {
    return session.folder === null ? !this.elsewhere.has(sessionKey(session)) : this.deps.isOurs(session.folder);
  }

  /** Notes what was imported. A file with a failure is tried again by the next search. */
  private async note(
    changed: readonly ChangedFile[],
    ours: readonly ForeignSession[],
    { entries, counts }: ImportResult,
  ): Promise<void> {
    const outcomes = new Map(entries.map((entry) => [sessionKey(entry), entry]));
    const files = { ...this.current.files };
    for (const { path, stamp } of changed) {
      const own = ours.filter(({ location }) => location.path === path);
      if (own.some((session) => (outcomes.get(sessionKey(session))?.outcome ?? 'failed') === 'failed')) continue;
      const sessions = own
        .filter((session) => (outcomes.get(sessionKey(session))?.sessionId ?? null) !== null)
        .map(({ source, id, title, folder }) => ({ source, id, title, isFolderless: folder === null }));
      files[path] = { stamp, isGone: false, sessions };
      this.found++;
    }
    await this.save({ ...this.current, importedAt: this.deps.clock.now(), files });
    if (counts.imported + counts.extended + counts.branched > 0) this.deps.onImported();
  }

  /** Keeps the entries of deleted files that have sessions here, and forgets the others. */
  private async noteGone(seen: ReadonlySet<string>): Promise<void> {
    const entries = Object.entries(this.current.files).flatMap(
      ([path, file]): readonly (readonly [string, RescuedFile])[] => {
        if (seen.has(path)) return [[path, { ...file, isGone: false }]];
        return file.sessions.length === 0 ? [] : [[path, { ...file, isGone: true }]];
      },
    );
    const files = Object.fromEntries(entries);
    const isChanged =
      entries.length !== Object.keys(this.current.files).length ||
      entries.some(([path, { isGone }]) => this.current.files[path]?.isGone !== isGone);
    if (isChanged) await this.save({ ...this.current, files });
  }

  private async save(record: RescueRecord): Promise<void> {
    this.current = record;
    await this.deps.record.save(record);
  }

  private async attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.stopping.signal.throwIfAborted();
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    this.failures++;
    if (!this.isFailing) this.deps.report(error);
    this.isFailing = true;
  }
}

/** Tests if a folder is one of `folders`, or below one. Windows does not tell letters apart by case. */
export function ownFolders(folders: readonly string[], platform: NodeJS.Platform): (folder: string) => boolean {
  const comparable = (path: string): string => (platform === 'win32' ? path.replaceAll('\\', '/').toLowerCase() : path);
  const own = folders.map((folder) => comparable(folder).replace(/\/+$/, ''));
  return (folder) => own.some((one) => `${comparable(folder)}/`.startsWith(`${one}/`));
}

import { groupedBy } from '../../../../base/groupedBy';
import { errorMessage } from '../../../../base/errorMessage';
import { t } from '../../../../base/translate';
import type { ForeignSession, Skipped } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type { Found, HistorySource } from '../sources/historySource';
import { timeSpan } from '../sources/reading/foundSessions';
import type { HistoryFiles } from '../sources/reading/historyFiles';
import type { OpenForeignDatabase } from '../sources/reading/foreignDatabase';
import { importedSessionId } from './importedIds';
import {
  maxLeftOut,
  mostVersions,
  newestVersion,
  type ImportTarget,
  type StoredVersion,
  type ImportOptions,
  type ImportedEntry,
  type ImportOutcome,
  type ImportResult,
  type ImportState,
  type LeftOut,
  type Preview,
  type PreviewEntry,
  type Scan,
  type ScanOptions,
  type ScanProblem,
  type SearchedPlaces,
  type ImportService,
  type ScanGroup,
} from './importing';
import { SessionImporter } from './sessionImporter';
import { sessionSources, SharedDatabases, type SessionSources } from './sessionSources';
import type { SourceName } from '../../../../transcript/sourceTitles';

interface HistoryImportDeps {
  readonly files: HistoryFiles;
  readonly openForeign: OpenForeignDatabase;
  readonly target: ImportTarget;
  /** Seconds since the epoch. */
  readonly now: () => number;
}

/** Import into one store. Works in the calling thread: `importWorker.ts` keeps it off the extension host's. */
export class HistoryImport implements ImportService {
  constructor(private readonly deps: HistoryImportDeps) {}

  async scan(places: SearchedPlaces, options: ScanOptions = {}): Promise<Scan> {
    const { files, openForeign } = this.deps;
    const [sessions, skipped, problems]: [ForeignSession[], Skipped[], ScanProblem[]] = [[], [], []];
    const { signal, onProgress } = options;
    for (const search of searchesOf(sessionSources(files, openForeign), places, options)) {
      try {
        for await (const found of search.find()) {
          signal?.throwIfAborted();
          if (found.kind === 'skipped') skipped.push(found.skipped);
          else {
            const count = sessions.push(found.session);
            onProgress?.(count);
          }
        }
      } catch (error) {
        signal?.throwIfAborted();
        problems.push({ source: search.name, reason: sentence(error) });
      }
    }
    return { sessions, skipped, problems, groups: await scanGroups(sessions, files) };
  }

  async preview(found: readonly ForeignSession[]): Promise<Preview> {
    const entries: PreviewEntry[] = [];
    for (const session of [...found].sort((a, b) => timeOf(b) - timeOf(a))) {
      if (await this.isOwn(session)) {
        entries.push({ session, state: 'here', sessionId: session.id });
        continue;
      }
      const stored = await this.stored(session);
      const version = stored.kind === 'stored' ? stored.version : 1;
      entries.push({
        session,
        state: stateOf(stored, await this.stampOf(session)),
        sessionId: importedSessionId(session, version),
      });
    }
    return previewOf(entries);
  }

  async run(found: readonly ForeignSession[], options: ImportOptions = {}): Promise<ImportResult> {
    const { signal, onProgress } = options;
    const databases = new SharedDatabases(this.deps.openForeign);
    const sources = sessionSources(this.deps.files, databases.open);
    const ordered = importOrder(found);
    const result = new Results();
    const report = (lastSessionId: string | null): void =>
      onProgress?.({
        sessionsDone: result.done,
        sessionsTotal: ordered.length,
        messages: result.rows,
        lastSessionId,
      });
    let last: string | null = null;
    const work = async (session: ForeignSession, index: number): Promise<void> => {
      const entry = await this.importOne(session, options, {
        target: this.deps.target,
        reader: sources.readerOf(session.source),
        now: this.deps.now(),
        signal,
        onRows: (rows: number) => {
          result.rows += rows;
          report(last);
        },
        onLeftOut: (left: LeftOut) => result.leave(index, left),
      });
      if (entry === null) return;
      result.add(index, entry);
      if (entry.outcome === 'imported' || entry.outcome === 'branched') last = entry.sessionId;
      report(last);
    };
    try {
      await runConcurrently(ordered, laneKeys, work, () => signal?.aborted === true);
    } finally {
      await databases.close();
    }
    return result.sum(signal?.aborted === true);
  }

  /** Null when the signal aborted it. */
  private async importOne(
    session: ForeignSession,
    { signal, includeForgotten = false }: ImportOptions,
    deps: ConstructorParameters<typeof SessionImporter>[0],
  ): Promise<ImportedEntry | null> {
    const base = { source: session.source, id: session.id, title: session.title, messages: 0, reason: null } as const;
    const nothing = { ...base, sessionId: null, records: { in: 0, imported: 0, skipped: 0 } };
    try {
      if (await this.isOwn(session)) return { ...nothing, outcome: 'unchanged', sessionId: session.id };
      const stored = await this.stored(session);
      const stamp = await this.stampOf(session);
      if (stored.kind === 'erased' && !includeForgotten) return { ...nothing, outcome: 'forgotten' };
      if (stored.kind === 'stored' && stored.mark?.stamp === stamp)
        return { ...nothing, outcome: 'unchanged', sessionId: importedSessionId(session, stored.version) };
      const one = new SessionImporter(deps, session, stamp);
      const { outcome, version, messages, records } = await (stored.kind === 'stored'
        ? one.update(stored.version, stored.mark, stored.isChanged)
        : one.import(1));
      const sessionId = outcome === 'empty' ? null : importedSessionId(session, version);
      return { ...base, outcome, sessionId, messages, records };
    } catch (error) {
      if (signal?.aborted === true) return null;
      return { ...nothing, outcome: 'failed', reason: sentence(error) };
    }
  }

  /** True for a session of this store that was exported for Hermes Agent, and not continued there: it has its id. */
  private async isOwn({ source, id, endedAt }: ForeignSession): Promise<boolean> {
    if (source !== 'hermes' || endedAt === null) return false;
    const [own] = await this.deps.target.importStates([id]);
    return own?.state === 'stored' && endedAt <= own.lastActiveAt;
  }

  private async stored(session: ForeignSession): Promise<StoredVersion> {
    const [first] = await this.deps.target.importStates([importedSessionId(session)]);
    if (first?.state === 'absent') return { kind: 'absent' };
    const ids = Array.from({ length: mostVersions }, (_, index) => importedSessionId(session, index + 1));
    return newestVersion(await this.deps.target.importStates(ids));
  }

  /** Signs of the source's content that cost no reading. */
  private async stampOf({ location, messageCount, endedAt, title }: ForeignSession): Promise<string> {
    const facts = location.key === null ? await this.deps.files.stat(location.path).catch(() => null) : null;
    return JSON.stringify([messageCount, endedAt, title, facts?.size ?? null, facts?.modifiedAt ?? null]);
  }
}

interface Search {
  readonly name: SourceName;
  readonly find: () => AsyncIterable<Found>;
}

function searchesOf(
  { agents, chosen, readerOf }: SessionSources,
  places: SearchedPlaces,
  { files }: ScanOptions,
): readonly Search[] {
  if (files !== undefined)
    return files.map(({ source, path }) => ({ name: source, find: () => readerOf(source).findIn(path) }));
  return [
    ...('claude' in places ? agents.map((agent) => ({ name: agent.name, find: () => foundBy(agent, places) })) : []),
    { name: 'openai', find: () => chosen.find(places.chosen) },
  ];
}

async function* foundBy(agent: HistorySource, places: HistoryPlaces): AsyncGenerator<Found> {
  for await (const path of agent.locate(places)) yield* agent.findIn(path);
}

/** A session waits for its parent, and for another place of the same session. */
function laneKeys(session: ForeignSession): { readonly own: string; readonly others: readonly string[] } {
  const { source, lineage } = session;
  return {
    own: importedSessionId(session),
    others: lineage === null ? [] : [importedSessionId({ source, id: lineage.parentId })],
  };
}

class Results {
  rows = 0;
  private readonly entries = new Map<number, ImportedEntry>();
  private readonly leftOut = new Map<string, { readonly index: number; left: LeftOut }>();
  private leftOutTotal = 0;

  get done(): number {
    return this.entries.size;
  }

  add(index: number, entry: ImportedEntry): void {
    this.entries.set(index, entry);
  }

  leave(index: number, left: LeftOut): void {
    this.leftOutTotal += left.count;
    const key = left.kind === 'unknown' ? `${left.source} ${left.reason}` : `${this.leftOutTotal}`;
    const known = this.leftOut.get(key);
    if (known !== undefined) known.left = { ...known.left, count: known.left.count + left.count };
    else if (this.leftOut.size < maxLeftOut) this.leftOut.set(key, { index, left });
  }

  sum(isStopped: boolean): ImportResult {
    const entries = [...this.entries].sort(([one], [other]) => one - other).map(([, entry]) => entry);
    const counts = { imported: 0, extended: 0, branched: 0, unchanged: 0, forgotten: 0, empty: 0, failed: 0 };
    const add = (outcome: ImportOutcome): number => counts[outcome]++;
    for (const { outcome } of entries) add(outcome);
    const total = (of: (entry: ImportedEntry) => number): number => entries.reduce((all, entry) => all + of(entry), 0);
    return {
      entries,
      counts,
      messages: total(({ messages }) => messages),
      records: {
        in: total(({ records }) => records.in),
        imported: total(({ records }) => records.imported),
        skipped: total(({ records }) => records.skipped),
      },
      leftOut: [...this.leftOut.values()].sort((one, other) => one.index - other.index).map(({ left }) => left),
      leftOutTotal: this.leftOutTotal,
      isStopped,
    };
  }
}

function stateOf(stored: StoredVersion, stamp: string): ImportState {
  switch (stored.kind) {
    case 'absent':
      return 'new';
    case 'erased':
      return 'forgotten';
    case 'stored':
      return stored.mark === null || stored.mark.stamp === stamp ? 'here' : 'grown';
  }
}

function previewOf(entries: readonly PreviewEntry[]): Preview {
  const counts = { new: 0, grown: 0, here: 0, forgotten: 0 };
  for (const { state } of entries) counts[state]++;
  const coming = entries.filter(({ state }) => state === 'new' || state === 'grown').map(({ session }) => session);
  return { entries, counts, ...sumOf(coming) };
}

/** Number of messages, null when it is not known for each session; first and last sign of life. */
function sumOf(sessions: readonly ForeignSession[]): Pick<Preview, 'messages' | 'from' | 'to'> {
  const counts = sessions.flatMap(({ messageCount }) => messageCount ?? []);
  const { startedAt, endedAt } = timeSpan(sessions.flatMap((session) => [session.startedAt, session.endedAt]));
  const messages = counts.length < sessions.length ? null : counts.reduce((sum, count) => sum + count, 0);
  return { messages, from: startedAt, to: endedAt };
}

function sentence(error: unknown): string {
  return t('It couldn’t be read: {reason}', { reason: errorMessage(error) });
}

/** Sessions by source and folder, the group with the newest session first. */
async function scanGroups(
  sessions: readonly ForeignSession[],
  files: Pick<HistoryFiles, 'stat'>,
): Promise<readonly ScanGroup[]> {
  const groups = groupedBy(sessions, ({ source, folder }) => JSON.stringify([source, folder]));
  const sizes = new Map<string, number>();
  for (const path of new Set(sessions.map(({ location }) => location.path)))
    sizes.set(path, (await files.stat(path).catch(() => null))?.size ?? 0);
  return [...groups.values()]
    .flatMap((members): readonly ScanGroup[] => {
      const [first] = members;
      if (first === undefined) return [];
      const paths = new Set(members.map(({ location }) => location.path));
      const bytes = [...paths].reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0);
      return [{ source: first.source, folder: first.folder, sessions: members.length, bytes, ...sumOf(members) }];
    })
    .sort((a, b) => (b.to ?? 0) - (a.to ?? 0));
}

/** Works on items in order, two at a time, so that one is read and converted while the store writes the other. An item
 *  waits for those before it with one of its keys. Once `isStopped`, no further item is begun. Rejects with the first
 *  failure, after everything that was begun has ended. */
export async function runConcurrently<T>(
  items: readonly T[],
  keysOf: (item: T) => { readonly own: string; readonly others: readonly string[] },
  work: (item: T, index: number) => Promise<void>,
  isStopped: () => boolean,
): Promise<void> {
  const begun = new Map<string, Promise<void>>();
  let next = 0;
  const begin = (item: T, index: number): Promise<void> => {
    const { own, others } = keysOf(item);
    const earlier = [own, ...others].map((key) => begun.get(key));
    const done = Promise.all(earlier).then(() => work(item, index));
    begun.set(own, done);
    return done;
  };
  const lane = async (): Promise<void> => {
    for (let item = items[next]; item !== undefined && !isStopped(); item = items[next]) {
      await begin(item, next++);
    }
  };
  for (const ended of await Promise.allSettled([lane(), lane()])) if (ended.status === 'rejected') throw ended.reason;
}

/** Sessions newest first, except that a session follows the one it came from: lineage names only stored sessions. A
 *  family is as new as its newest member. */
function importOrder(found: readonly ForeignSession[]): readonly ForeignSession[] {
  const byKey = new Map(found.map((session) => [keyOf(session, session.id), session]));
  const rootOf = (session: ForeignSession): ForeignSession => {
    const seen = new Set<ForeignSession>();
    let root = session;
    for (
      let parent = parentIn(byKey, root);
      parent !== undefined && !seen.has(parent);
      parent = parentIn(byKey, root)
    ) {
      seen.add(parent);
      root = parent;
    }
    return root;
  };
  return [...groupedBy(new Set(found), rootOf).values()]
    .map((members) => ({ members, newest: Math.max(...members.map(timeOf)) }))
    .sort((a, b) => b.newest - a.newest)
    .flatMap(({ members }) => parentsFirst(members, byKey));
}

/** Seconds since the epoch: the last sign of life; 0 when the source does not say. */
function timeOf({ endedAt, startedAt }: ForeignSession): number {
  return endedAt ?? startedAt ?? 0;
}

function parentsFirst(
  members: readonly ForeignSession[],
  byKey: ReadonlyMap<string, ForeignSession>,
): readonly ForeignSession[] {
  const ordered = new Set<ForeignSession>();
  const begun = new Set<ForeignSession>();
  const visit = (session: ForeignSession): void => {
    if (begun.has(session)) return;
    begun.add(session);
    const parent = parentIn(byKey, session);
    if (parent !== undefined && members.includes(parent)) visit(parent);
    ordered.add(session);
  };
  for (const session of [...members].sort((a, b) => timeOf(b) - timeOf(a))) visit(session);
  return [...ordered];
}

function parentIn(byKey: ReadonlyMap<string, ForeignSession>, session: ForeignSession): ForeignSession | undefined {
  return session.lineage === null ? undefined : byKey.get(keyOf(session, session.lineage.parentId));
}

function keyOf({ source }: ForeignSession, id: string): string {
  return JSON.stringify([source, id]);
}

import type { SessionStore } from '../../../../store/session/sessionStore';
import type { ForeignPlace, ForeignSession, Skipped } from '../sources/foreign';
import type { HistoryPlaces } from '../sources/historyPlaces';
import type { SourceName } from '../../../../transcript/sourceTitles';

/** Import of other agents' sessions into one store. Nothing here throws for damaged content; a place that cannot be
 *  read is listed in `problems`. */
export interface ImportService {
  /** Lists the sessions in these places, or only in chosen ones. Reads only as much of each as its list entry needs. */
  scan(places: SearchedPlaces, options?: ScanOptions): Promise<Scan>;
  /** Compares found sessions with the store. Writes nothing. */
  preview(found: readonly ForeignSession[]): Promise<Preview>;
  /** Imports sessions, newest first, two at a time. Each is readable in the store as soon as it is whole. When the
   *  signal aborts, sessions in progress are taken back, and those before them stay. */
  run(found: readonly ForeignSession[], options?: ImportOptions): Promise<ImportResult>;
}

/** A file with sessions, read into a private store. */
export interface OpenedFile {
  /** Folder of the private store. The caller removes it. */
  readonly folder: string;
  /** own: the file holds rows of our store, a `state.db` or an export. foreign: another program wrote it. */
  readonly kind: 'own' | 'foreign';
  /** Newest first. */
  readonly conversations: readonly ExportedConversation[];
}

/** Sessions that belong together: segments, branches and sub-agents. */
export interface ExportedConversation {
  /** Parents before their children. */
  readonly sessionIds: readonly string[];
  /** The session to open: the newest one that is not of a sub-agent. */
  readonly newestId: string;
  readonly title: string | null;
  /** Seconds since the epoch. */
  readonly lastActiveAt: number;
  readonly messages: number;
}

export type SearchedPlaces = HistoryPlaces | Pick<HistoryPlaces, 'chosen'>;

export interface ScanOptions {
  readonly signal?: AbortSignal;
  /** Number of sessions found so far. */
  readonly onProgress?: (found: number) => void;
  /** Files to look at, instead of places. Default: none, all places. */
  readonly files?: readonly SessionFile[];
}

/** A file that holds sessions of a known agent. */
export interface SessionFile {
  readonly source: SourceName;
  readonly path: string;
}

export interface Scan {
  readonly sessions: readonly ForeignSession[];
  /** The sessions by source and folder, newest first. */
  readonly groups: readonly ScanGroup[];
  /** Files and rows that hold no session that can be read. */
  readonly skipped: readonly Skipped[];
  /** Sources of which a place could not be read. `openai` stands for chosen files. */
  readonly problems: readonly ScanProblem[];
}

export interface ScanGroup {
  readonly source: SourceName;
  /** Folder in which the agent worked; null where the source does not say. */
  readonly folder: string | null;
  readonly sessions: number;
  /** Null when the number is not known for each session. */
  readonly messages: number | null;
  /** Size of the files that hold the sessions. A file with sessions of several folders counts in each. */
  readonly bytes: number;
  /** Seconds since the epoch: first and last sign of life. Null where no session says. */
  readonly from: number | null;
  readonly to: number | null;
}

export interface ScanProblem {
  readonly source: SourceName;
  /** A sentence. */
  readonly reason: string;
}

/** State of a found session in the store.
 *  new: not here. grown: here, and it changed since it was imported. here: here, and unchanged. forgotten: it was
 *  imported and then erased here; imported again only with `includeForgotten`. */
export type ImportState = 'new' | 'grown' | 'here' | 'forgotten';

export interface PreviewEntry {
  readonly session: ForeignSession;
  readonly state: ImportState;
  /** Id that the session has, or gets, in the store. */
  readonly sessionId: string;
}

export interface Preview {
  /** Newest first. */
  readonly entries: readonly PreviewEntry[];
  readonly counts: { readonly [S in ImportState]: number };
  /** Messages of the new and the grown sessions; null when the number is not known for each. */
  readonly messages: number | null;
  /** Seconds since the epoch: first and last sign of life of the new and the grown sessions. */
  readonly from: number | null;
  readonly to: number | null;
}

export interface ImportOptions {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** True for sessions that the user chose by hand: imports them also when they were erased here. Default: false. */
  readonly includeForgotten?: boolean;
}

interface ImportProgress {
  readonly sessionsDone: number;
  readonly sessionsTotal: number;
  /** Messages written so far. */
  readonly messages: number;
  /** The session that became readable last; null before the first. */
  readonly lastSessionId: string | null;
}

/** imported: new here. extended: got its new messages. branched: it changed there and here, or its beginning changed
 *  there, so its present content is a branch beside the session. unchanged: nothing to do. forgotten: erased here
 *  earlier. empty: it has no message that can be shown. failed: reading or writing failed; nothing of it was kept. */
export type ImportOutcome = 'imported' | 'extended' | 'branched' | 'unchanged' | 'forgotten' | 'empty' | 'failed';

export interface ImportedEntry {
  readonly source: SourceName;
  readonly id: string;
  readonly title: string | null;
  readonly outcome: ImportOutcome;
  /** The session in the store; null where there is none. */
  readonly sessionId: string | null;
  /** Messages that were written. */
  readonly messages: number;
  readonly records: RecordCounts;
  /** A sentence for `failed`; null otherwise. */
  readonly reason: string | null;
}

/** Counts of the records that were read: in = imported + skipped. */
interface RecordCounts {
  readonly in: number;
  readonly imported: number;
  readonly skipped: number;
}

/** A record that was left out, or content of a message that could not be carried over. */
export interface LeftOut {
  readonly source: SourceName;
  readonly sessionId: string;
  readonly place: ForeignPlace;
  readonly kind: Skipped['kind'] | 'omitted';
  /** A sentence. */
  readonly reason: string;
  /** Records that this stands for: those of a kind that a reader does not know are told once. */
  readonly count: number;
}

export interface ImportResult {
  /** Newest first, parents before their children. */
  readonly entries: readonly ImportedEntry[];
  readonly counts: { readonly [O in ImportOutcome]: number };
  readonly messages: number;
  readonly records: RecordCounts;
  /** Records that were left out, without the programs' own bookkeeping. At most `maxLeftOut`. */
  readonly leftOut: readonly LeftOut[];
  /** Number of records that `leftOut` would hold without its limit. */
  readonly leftOutTotal: number;
  /** True when the signal aborted it. */
  readonly isStopped: boolean;
}

export const maxLeftOut = 1000;

/** The store as an import sees it. `SessionStore` fits. */
export type ImportTarget = Pick<
  SessionStore,
  'importStates' | 'beginImport' | 'importWhole' | 'addImported' | 'finishImport' | 'discardImport' | 'extendImport'
>;

export type StoredVersion =
  /** Never imported. */
  | { readonly kind: 'absent' }
  /** Erased here, and no other version of it is stored. */
  | { readonly kind: 'erased' }
  | {
      readonly kind: 'stored';
      readonly version: number;
      readonly mark: StoredMark;
      readonly isChanged: boolean;
    };

type States = Awaited<ReturnType<ImportTarget['importStates']>>;
export type StoredMark = Extract<States[number], { state: 'stored' }>['mark'];

/** Versions that one session can have here. Later changes of its beginning are left where they are. */
export const mostVersions = 64;

/** The newest version of a session in the store. `states`: of all its versions, oldest first. */
export function newestVersion(states: States): StoredVersion {
  const index = states.findLastIndex(({ state }) => state === 'stored');
  const newest = states[index];
  if (newest?.state === 'stored')
    return { kind: 'stored', version: index + 1, mark: newest.mark, isChanged: newest.isChanged };
  return states.some(({ state }) => state === 'erased') ? { kind: 'erased' } : { kind: 'absent' };
}

import { Emitter } from '../../../base/disposable';
import type { EditJournal, EditingCall, FileState, OpenedEdit } from '../editJournal';
import type { CommandCheckpoint, ChangedPath, CheckedRun } from './commandCheckpoint';
import type { GitSnapshots } from './gitSnapshots';
import { ScanSnapshots, generatedFolders } from './scanSnapshots';

import { contains } from '../../workspacePaths';
import { lstat, readdir } from 'node:fs/promises';
import * as path from 'node:path';
import type { Clock } from '../../../base/clock';
import type { Log } from '../../../base/log';
import type { ToolCallContext } from '../../tool';
import { largestKept, hashOf, keptContents } from './contentHash';
import { type DiscardedFiles, NotWatched, type FileDifference, type Snapshot, type SnapshotTaker } from './snapshot';
import { someOf } from './unseen';
import type { Ids } from '../../../base/ids';
import type { FileChange } from '../../../store/fileChanges';
import type { SessionStore } from '../../../store/session/sessionStore';

export interface StoreEditJournalDeps {
  readonly store: Pick<SessionStore, 'recordFileChanges' | 'completeFileChanges'>;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uid'>;
  readonly log: Log;
  /** Setting: without checkpoints nothing is stored, and nothing can be reverted. */
  readonly isOn: () => boolean;
  /** Called when files of this turn have changed. */
  readonly onChange: (changed: { readonly sessionId: string; readonly turnUid: string }) => void;
  /** Largest file in bytes; a larger one is recorded without its content. Default: `largestKept`. */
  readonly largest?: number;
}

/** Journal in the store. `begin` rejects when the store cannot record it: then do not change the file, because the
 *  change could not be reverted. When `end` rejects, the file is already changed: it is shown as changed, and its
 *  earlier content is still stored. */
export class StoreEditJournal implements EditJournal {
  constructor(private readonly deps: StoreEditJournalDeps) {}

  async begin(call: EditingCall, before: readonly FileState[]): Promise<OpenedEdit> {
    if (!this.deps.isOn() || before.length === 0) return { end: () => Promise.resolve() };
    const changes = before.map((file) => this.change(call, file, undefined));
    await this.deps.store.recordFileChanges(changes, this.kept(before));
    return { end: (after) => this.end(changes, after) };
  }

  /** Records changes that are known only afterwards, such as those of a command. Rejects when the store cannot
   *  record them. */
  async record(call: EditingCall, changed: readonly FileDifference[]): Promise<void> {
    if (!this.deps.isOn() || changed.length === 0) return;
    await this.deps.store.recordFileChanges(
      changed.map(({ before, after }) => this.change(call, before, hashOf(after.bytes))),
      this.kept(changed.flatMap(({ before, after }) => [before, after])),
    );
    this.changed(call);
  }

  private change(
    { sessionId, turnUid, callId }: EditingCall,
    { path, bytes }: FileState,
    after: FileChange['after'],
  ): FileChange {
    const { clock, ids } = this.deps;
    const call = { uid: ids.uid(), sessionId, turnUid, callId };
    return { ...call, path, before: hashOf(bytes), after, changedAt: clock.now(), reviewed: null };
  }

  private async end(changes: readonly FileChange[], after: readonly FileState[]): Promise<void> {
    const left = new Map(after.map((file) => [file.path, file]));
    const results = changes.flatMap(({ uid, path }) => {
      const file = left.get(path);
      return file === undefined ? [] : [{ uid, after: hashOf(file.bytes) }];
    });
    try {
      await this.deps.store.completeFileChanges(results, this.kept(after));
    } catch (error) {
      this.deps.log.error('What a call left behind in files could not be stored', error);
      throw error;
    } finally {
      if (changes[0] !== undefined) this.changed(changes[0]);
    }
  }

  private changed({ sessionId, turnUid }: Pick<FileChange, 'sessionId' | 'turnUid'>): void {
    this.deps.onChange({ sessionId, turnUid });
  }

  private kept(files: readonly FileState[]): ReturnType<typeof keptContents> {
    return keptContents(
      files.map(({ bytes }) => bytes),
      this.deps.largest ?? largestKept,
    );
  }
}

/** Longest time for the snapshot before a command, in milliseconds. The comparison after it may take longer, because
 *  then there is something to lose. */
const beforeMs = 2000;
const afterMs = 10_000;
/** Milliseconds without another attempt after a snapshot of a folder failed. Otherwise every command in it would
 *  wait in vain. */
const pauseMs = 5 * 60_000;
/** Files that the words of a command may discard with a checkpoint instead of a question. */
const mostNamed = 2000;

interface WorkspaceCheckpointDeps {
  readonly journal: Pick<StoreEditJournal, 'record'>;
  readonly git: GitSnapshots;
  readonly scan: ScanSnapshots;
  readonly isOn: () => boolean;
  /** Open folders, absolute. */
  readonly roots: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Finds what a command changed by comparing its folder before and after: its Git work tree, or else the open
 *  folder. */
export class WorkspaceCheckpoint implements CommandCheckpoint {
  private readonly paused = new Map<string, { readonly until: number; readonly why: string }>();

  constructor(private readonly deps: WorkspaceCheckpointDeps) {}

  async around<T>(
    call: ToolCallContext,
    folder: string,
    run: () => Promise<T>,
    isNeeded = false,
  ): Promise<CheckedRun<T>> {
    if (!this.deps.isOn()) {
      if (isNeeded) throw new NotWatched('checkpoints are switched off');
      return { value: await run(), changed: [], note: null };
    }
    const before = await this.takeSnapshot(folder);
    if (isNeeded && typeof before === 'string') throw new NotWatched(before);
    let changed: readonly ChangedPath[] = [];
    let note: string | null = null;
    const settle = async (): Promise<void> => void ({ changed, note } = await this.compare(call, before));
    // Changes of a failed or stopped command can be reverted too.
    const value = await run().finally(settle);
    return { value, changed, note };
  }

  async restores(folder: string, { paths, tree }: DiscardedFiles): Promise<boolean> {
    const { isOn, clock } = this.deps;
    if (!isOn() || (this.paused.get(folder)?.until ?? 0) > clock.monotonicMs()) return false;
    try {
      const [taker, root] = await this.takerFor(folder);
      const files = await filesBelow(paths);
      if (files === null || (files.length === 0 && tree === null)) return files !== null;
      return await taker.holds(root, { paths: files, tree }, beforeMs);
    } catch {
      return false;
    }
  }

  private async takeSnapshot(folder: string): Promise<Snapshot | string> {
    const pause = this.paused.get(folder);
    const now = this.deps.clock.monotonicMs();
    if (pause !== undefined && pause.until > now) return pause.why;
    try {
      const [taker, root] = await this.takerFor(folder);
      return await taker.take(root, beforeMs);
    } catch (error) {
      const why = this.why(error);
      this.paused.set(folder, { until: now + pauseMs, why });
      return why;
    }
  }

  private async takerFor(folder: string): Promise<readonly [SnapshotTaker, string]> {
    const { git, scan, roots } = this.deps;
    if (await git.isWorkTree(folder)) return [git, folder];
    const root = roots().find((candidate) => contains(path, candidate, folder));
    if (root === undefined) throw new NotWatched('it ran outside the open folders');
    return [scan, root];
  }

  /** Never rejects. */
  private async compare(
    call: ToolCallContext,
    before: Snapshot | string,
  ): Promise<Pick<CheckedRun<never>, 'changed' | 'note'>> {
    if (typeof before === 'string') return { changed: [], note: noteOf(before) };
    try {
      const { files, unknown } = await before.differences(afterMs);
      await this.deps.journal.record(call, files);
      const note =
        unknown.length === 0
          ? null
          : noteOf(
              `what was there before is not known or not kept for ${someOf(unknown)}`,
              'Some of what this command changed in files',
            );
      return { changed: files.map(changedPath), note };
    } catch (error) {
      return { changed: [], note: noteOf(this.why(error)) };
    }
  }

  private why(error: unknown): string {
    if (error instanceof NotWatched) return error.message;
    this.deps.log.error('What a command changes could not be looked at', error);
    return 'it could not be stored';
  }
}

/** Files at and below these paths, without folders that tools fill again. Null when there is something that no
 *  snapshot holds: a link, another repository, a large file, too many files. */
async function filesBelow(paths: readonly string[]): Promise<readonly string[] | null> {
  const files: string[] = [];
  for (const waiting = [...paths]; ;) {
    const next = waiting.pop();
    if (next === undefined) return files;
    if (next.split(path.sep).some((name) => generatedFolders.has(name) && name !== '.git')) continue;
    const stat = await lstat(next).catch(() => null);
    if (stat === null) continue;
    if (stat.isDirectory()) {
      const names = await readdir(next);
      if (names.includes('.git')) return null;
      waiting.push(...names.map((name) => path.join(next, name)));
    } else {
      if (!stat.isFile() || stat.size > largestKept) return null;
      files.push(next);
    }
    if (files.length > mostNamed) return null;
  }
}

function noteOf(why: string, what = 'What this command changed in files'): string {
  return `${what} cannot be reverted: ${why}.`;
}

function changedPath({ before, after }: FileDifference): ChangedPath {
  return { path: before.path, kind: before.bytes === null ? 'created' : after.bytes === null ? 'deleted' : 'edited' };
}
interface ChangeRecorderDeps extends Omit<StoreEditJournalDeps, 'onChange' | 'largest'> {
  readonly git: GitSnapshots;
  /** Paths of the open folders. */
  readonly roots: () => readonly string[];
}

/** Records what agents change in files: the journal that tools write to, and the snapshots around commands. */
export class ChangeRecorder {
  private readonly changes = new Emitter<{ readonly sessionId: string; readonly turnUid: string }>();
  private readonly scan: ScanSnapshots;
  readonly journal: EditJournal;
  readonly checkpoint: CommandCheckpoint;
  /** Fires when a call of this turn has changed files. */
  readonly onDidRecord = this.changes.event;

  constructor(private readonly deps: ChangeRecorderDeps) {
    const journal = new StoreEditJournal({ ...deps, onChange: (turn) => this.changes.fire(turn) });
    this.scan = new ScanSnapshots(deps.clock);
    this.journal = journal;
    this.checkpoint = new WorkspaceCheckpoint({ ...deps, journal, scan: this.scan });
  }

  /** Removes snapshots of files. Called when a session is erased: they may hold what an agent wrote in it. */
  async forget(): Promise<void> {
    this.scan.clear();
    await this.deps.git.clear();
  }
}

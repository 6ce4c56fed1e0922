import type { Clock } from '../../../base/clock';
import type { Ids } from '../../../base/ids';
import type { Log } from '../../../base/log';
import type { FileChange } from '../../../store/fileChanges';
import type { SessionStore } from '../../../store/session/sessionStore';
import type { EditingCall, EditJournal, FileState, OpenedEdit } from '../editJournal';
import type { FileDifference } from './snapshot';
import { hashOf, keptContents, largestKept } from './contentHash';

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

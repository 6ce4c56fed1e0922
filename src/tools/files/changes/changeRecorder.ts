import { Emitter } from '../../../base/disposable';
import type { EditJournal } from '../editJournal';
import type { CommandCheckpoint } from './commandCheckpoint';
import type { GitSnapshots } from './gitSnapshots';
import { ScanSnapshots } from './scanSnapshots';
import { StoreEditJournal, type StoreEditJournalDeps } from './storeEditJournal';
import { WorkspaceCheckpoint } from './workspaceCheckpoint';

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

import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Ids } from '../../base/ids';
import type { Log } from '../../base/log';
import type { SessionStore } from '../../store/sessionStore';
import { ChangedFiles } from '../../tools/files/changes/changedFiles';
import type { CommandCheckpoint } from '../../tools/files/changes/commandCheckpoint';
import { runGit } from '../../tools/files/changes/gitProgram';
import { GitSnapshots } from '../../tools/files/changes/gitSnapshots';
import { ScanSnapshots } from '../../tools/files/changes/scanSnapshots';
import { StoreEditJournal } from '../../tools/files/changes/storeEditJournal';
import { WorkspaceCheckpoint } from '../../tools/files/changes/workspaceCheckpoint';
import type { EditJournal } from '../../tools/files/editJournal';
import type { FileEditor } from '../../tools/files/fileEditor';
import type { WorkspaceFiles } from '../../tools/workspaceFiles';
import { WorkspacePaths } from '../../tools/workspacePaths';
import type { CommandTable } from '../common/commands';
import { uriOfPath } from '../workspace/editorPaths';
import { describeError } from '../common/describeError';
import { BeforeFiles, beforeScheme, beforeUri } from './beforeFiles';
import type { ChatFiles } from './chatFiles';
import { FileWatch } from './fileWatch';
import { ProposedChanges } from './proposedChanges';
import { reviewTexts } from './reviewSentences';

/** Number of latest transcript rows that are searched for the newest turn with changed files. */
const newestRows = 200;

export interface ChangedFilesFeatureNeeds {
  readonly store: SessionStore;
  readonly editor: FileEditor;
  readonly files: WorkspaceFiles;
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'uid'>;
  readonly log: Log;
  /** Value of the setting `hermes.checkpoints`. */
  readonly isOn: () => boolean;
  /** Folder of this window's history. */
  readonly storageFolder: () => string;
  readonly openOutput: (file: string) => Promise<void>;
}

/** Changed files of agents in this window: the journal that tools write to, the snapshots before and after commands,
 *  and the requests of views and commands. */
export class ChangedFilesFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changed: ChangedFiles;
  private readonly watch: FileWatch;
  private readonly git: GitSnapshots;
  private readonly scan: ScanSnapshots;
  readonly journal: EditJournal;
  readonly checkpoint: CommandCheckpoint;
  readonly chat: ChatFiles;

  constructor(private readonly needs: ChangedFilesFeatureNeeds) {
    const { store, editor, files, clock, ids, log, isOn } = needs;
    const paths = new WorkspacePaths(files);
    this.changed = new ChangedFiles({
      store,
      editor,
      clock,
      ids,
      log,
      raw: { write: writeRaw },
      shown: (path) => paths.display(uriOfPath(path).fsPath),
      words: reviewTexts,
    });
    this.watch = this.lifetime.register(new FileWatch(clock, (turn) => this.tell(turn)));
    this.lifetime.register(
      this.changed.onDidChange(({ sessionId, turnUid, files: list }) =>
        this.watch.watch(
          { sessionId, turnUid },
          list.map(({ path }) => path),
        ),
      ),
    );
    const journal = new StoreEditJournal({ store, clock, ids, log, isOn, onChange: (turn) => this.tell(turn) });
    this.git = new GitSnapshots(runGit, clock, () => join(needs.storageFolder(), 'checkpoints'));
    this.scan = new ScanSnapshots(clock);
    this.journal = journal;
    this.checkpoint = new WorkspaceCheckpoint({
      journal,
      git: this.git,
      scan: this.scan,
      isOn,
      clock,
      log,
      roots: () => files.roots().map(({ path }) => path),
    });
    const before = this.lifetime.register(new BeforeFiles((turnUid, path) => this.changed.before(turnUid, path)));
    this.lifetime.register(
      vscode.workspace.registerFileSystemProvider(beforeScheme, before, { isReadonly: true, isCaseSensitive: true }),
    );
    const proposed = this.lifetime.register(new ProposedChanges(store));
    this.chat = {
      ofTurns: (turnUids) => this.ofTurns(turnUids),
      hunks: (turnUid, path) => this.changed.hunks(turnUid, path),
      review: (turnUid, named, action, overwrite) => this.changed.reviewFiles(turnUid, named, action, overwrite),
      reviewHunk: (turnUid, path, hunk, action) => this.changed.reviewHunk(turnUid, path, hunk, action),
      from: (turnUid) => this.changed.from(turnUid),
      takeBack: (turnUid) => this.takeBack(turnUid),
      openDiff: (turnUid, path) => this.openDiff(turnUid, path),
      openProposal: (approvalId) => proposed.open(approvalId),
      openProposals: (approvalId) => proposed.openAll(approvalId),
      openOutput: (file) => needs.openOutput(file),
      onDidChange: (listener) => this.changed.onDidChange(listener),
    };
  }

  commands(shown: () => string | null): CommandTable {
    return { reviewChanges: () => this.reviewChanges(shown()) };
  }

  /** Removes file snapshots when a session is erased: they may hold what an agent wrote in it. */
  careFor(onDidChangeSessions: (listener: (sessionIds: readonly string[]) => void) => Disposable): void {
    const { store, log } = this.needs;
    this.lifetime.register(
      onDidChangeSessions((sessionIds) => {
        Promise.all(sessionIds.map((id) => store.getSession(id))).then(
          (found) => (found.includes(null) ? this.forget() : undefined),
          (error: unknown) =>
            log.trace(`Whether a session was erased could not be read: ${describeError(error).sentence}`),
        );
      }),
    );
  }

  private async forget(): Promise<void> {
    this.scan.clear();
    await this.git
      .clear()
      .catch((error: unknown) =>
        this.needs.log.warn(`Snapshots of files could not be removed: ${describeError(error).sentence}`),
      );
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private async ofTurns(turnUids: readonly string[]): ReturnType<ChatFiles['ofTurns']> {
    const all = await this.changed.ofTurns(turnUids);
    for (const [turnUid, list] of Object.entries(all)) {
      const turn = await this.needs.store.getTurn(turnUid);
      if (turn !== null)
        this.watch.watch(
          { sessionId: turn.sessionId, turnUid },
          list.map(({ path }) => path),
        );
    }
    return all;
  }

  private async takeBack(turnUid: string): Promise<string | null> {
    return this.changed.revertFrom(turnUid).then(
      ({ sentence }) => sentence,
      (error: unknown) =>
        vscode.l10n.t('Couldn’t revert the files: {reason}', { reason: describeError(error).sentence }),
    );
  }

  private async openDiff(turnUid: string, path: string): Promise<void> {
    const file = (await this.changed.ofTurns([turnUid]))[turnUid]?.find((candidate) => candidate.path === path);
    if (file === undefined) return;
    const title = vscode.l10n.t('{file} (before the turn ↔ now)', { file: file.shown });
    const now = (await this.needs.editor.bytesOnDisk(path)) === null ? beforeUri(path, null) : uriOfPath(path);
    await vscode.commands.executeCommand('vscode.diff', beforeUri(path, turnUid), now, title, { preview: true });
  }

  /** Opens all files of the session's newest turn that changed files, in the editor's multi-file diff. */
  private async reviewChanges(sessionId: string | null): Promise<void> {
    const turns =
      sessionId === null ? [] : (await this.needs.store.readTranscript({ sessionId, limit: newestRows })).turns;
    const all = await this.changed.ofTurns(turns.map(({ uid }) => uid));
    const newest = turns.toReversed().find(({ uid }) => all[uid] !== undefined);
    if (newest === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t('No turn in this session changed a file.'));
      return;
    }
    const resources = (all[newest.uid] ?? []).map(({ path, kind }) => [
      uriOfPath(path),
      kind === 'created' ? undefined : beforeUri(path, newest.uid),
      kind === 'deleted' ? undefined : uriOfPath(path),
    ]);
    await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Changes of the Last Turn'), resources);
  }

  private tell(turn: { readonly sessionId: string; readonly turnUid: string }): void {
    this.changed
      .tell(turn)
      .catch((error: unknown) =>
        this.needs.log.warn(`Changed files could not be told: ${describeError(error).sentence}`),
      );
  }
}

async function writeRaw(path: string, bytes: Uint8Array | null): Promise<void> {
  const uri = uriOfPath(path);
  await (bytes === null ? vscode.workspace.fs.delete(uri) : vscode.workspace.fs.writeFile(uri, bytes));
}

import * as vscode from 'vscode';
import { Owner } from '../../../base/disposable';
import { t } from '../../../base/translate';
import type { CommandTable } from '../../../host/common/commands';
import { describeError } from '../../../host/common/describeError';
import { onErased } from '../../../host/common/onErased';
import type { ChatFiles } from '../../../host/webviews/chatFiles';
import type { WindowContext } from '../../../host/window/windowContext';
import { uriOfPath } from '../../../host/workspace/editorPaths';
import type { SessionStore } from '../../../store/session/sessionStore';
import { AccessPaths } from '../../../tools/accessPaths';
import { changeReasons, judgedName } from '../../../tools/pathTreatment';
import { WorkspacePaths } from '../../../tools/workspacePaths';
import type { AskReason } from '../../../transcript/approval';
import type { ChangedFile } from '../../../transcript/changedFile';
import { showInvisible, showMisleading } from '../../../transcript/text/invisibleCharacters';
import { ChangedFiles } from '../core/changedFiles';
import type { RevertedFile } from '../core/revertRecords';
import { textOf } from '../core/undoing';
import { BeforeFiles, beforeScheme } from './beforeFiles';
import { EditorChanges } from './editorChanges';
import { FileWatch } from './fileWatch';
import { OpenChanges } from './openChanges';
import { ProposedChanges } from './proposedChanges';
import { ReviewEditors, turnsOf } from './reviewEditors';
import { ReviewInEditor } from './reviewInEditor';
import { ReviewLenses } from './reviewLenses';
import { ReviewMarks } from './reviewMarks';

/** Undoing the newest revert: offered by a notification where no chat row can offer it, and by a command. */
class RevertNotices {
  constructor(
    private readonly store: Pick<SessionStore, 'readTranscript'>,
    private readonly changed: ChangedFiles,
  ) {}

  /** Runs a revert that names this session. Offers to undo it if it changed files. */
  async watched<T>(sessionId: string, revert: () => Promise<T>): Promise<T> {
    const earlier = (await this.changed.newestRevert([sessionId]))[0]?.revert;
    const result = await revert();
    const newest = await this.changed.newestRevert([sessionId]);
    if (newest[0] !== undefined && newest[0].revert !== earlier) void this.offer(newest);
    return result;
  }

  /** Undoes the newest revert of a session. */
  async undoNewest(sessionId: string | null): Promise<void> {
    const turns = sessionId === null ? [] : await turnsOf(this.store, sessionId);
    const sessions = new Set([...(sessionId === null ? [] : [sessionId]), ...turns.map((turn) => turn.sessionId)]);
    const newest = await this.changed.newestRevert([...sessions]);
    if (newest.length === 0) {
      void vscode.window.showInformationMessage(t('There is no revert to undo in this session.'));
      return;
    }
    await this.undo(newest);
  }

  private async offer(files: readonly RevertedFile[]): Promise<void> {
    const undo = t('Undo Revert');
    const chosen = await vscode.window.showInformationMessage(revertedWords(files.length), undo);
    if (chosen !== undo) return;
    await this.undo(files).catch((error: unknown) =>
      vscode.window.showErrorMessage(
        t('Couldn’t undo the revert: {reason}', { reason: describeError(error).sentence }),
      ),
    );
  }

  private async undo(files: readonly RevertedFile[]): Promise<void> {
    const { sentence } = await this.changed.undoRevert(files);
    if (sentence !== null) void vscode.window.showWarningMessage(sentence);
    else vscode.window.setStatusBarMessage(t('The revert was undone.'), 5000);
  }
}

function revertedWords(files: number): string {
  return files === 1 ? t('Reverted 1 file.') : t('Reverted {count} files.', { count: String(files) });
}

/** Marks files in the explorer and in tabs that an agent changed and the user has not kept yet. */
class ChangedDecorations extends Owner implements vscode.FileDecorationProvider {
  private readonly changes = new vscode.EventEmitter<vscode.Uri[]>();
  readonly onDidChangeFileDecorations = this.changes.event;

  constructor(private readonly files: EditorChanges) {
    super();
    this.lifetime.register(this.changes);
    this.lifetime.register(files.onDidChangeFiles((uris) => this.changes.fire([...uris])));
    this.lifetime.register(vscode.window.registerFileDecorationProvider(this));
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (this.files.pathOf(uri) === null) return undefined;
    const mark = new vscode.FileDecoration(
      'H',
      t('Changed by Hermes, not kept yet'),
      new vscode.ThemeColor('chat.editedFileForeground'),
    );
    // A closed folder shows that something in it was changed.
    mark.propagate = true;
    return mark;
  }
}

/** Characters of a file's content that the question shows. */
const shownCharacters = 1500;

/** Asks before a revert writes a file outside the open folders, or one that an edit is asked for in every mode: the
 *  record of the change may have come with a session that somebody else wrote. `bytes` null: deletes the file. */
export async function mayWrite(paths: AccessPaths, path: string, bytes: Uint8Array | null): Promise<boolean> {
  const place = await paths.locate(path);
  const reasons: readonly AskReason[] = [
    ...(place.isInside ? [] : (['outside'] as const)),
    ...changeReasons(judgedName(place)),
  ];
  if (reasons.length === 0) return true;
  const file = showInvisible(place.isInside ? place.shown : place.path);
  const question = bytes === null ? t('Delete {file}?', { file }) : t('Write this content to {file}?', { file });
  const detail = [reasons.map(sentenceOf).join(' '), ...(bytes === null ? [] : [contentOf(path, bytes)])].join('\n\n');
  const revert = t('Revert');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, revert)) === revert;
}

function contentOf(path: string, bytes: Uint8Array): string {
  const text = textOf(path, bytes)?.text ?? Buffer.from(bytes).toString('latin1');
  return showMisleading(text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text);
}

function sentenceOf(reason: AskReason): string {
  switch (reason) {
    case 'outside':
      return t('Outside the open folders.');
    case 'sensitive':
      return t('Files like this often contain secrets.');
    case 'repositoryInternals':
      return t('This file is part of .git.');
    default:
      return t('Configures tools that run on your machine.');
  }
}

/** Changed files of agents in this window: the requests of views and commands, and the review in editors. */
export class ReviewFeature extends Owner {
  private readonly changed: ChangedFiles;
  private readonly watch: FileWatch;
  private readonly open: OpenChanges;
  private readonly review: ReviewInEditor;
  private readonly editors: ReviewEditors;
  private readonly notices: RevertNotices;
  readonly chat: ChatFiles;

  constructor(private readonly window: WindowContext) {
    super();
    const { files, clock, ids, log, activeChat, history } = window;
    const { store } = history;
    const editor = window.fileEditor;
    const paths = new WorkspacePaths(files);
    this.changed = new ChangedFiles({
      store,
      editor,
      clock,
      ids,
      log,
      writeRaw,
      shown: (path) => paths.display(uriOfPath(path).fsPath),
      mayWrite: (path, bytes) => mayWrite(new AccessPaths(files), path, bytes),
    });
    this.watch = this.lifetime.register(new FileWatch(clock, (turn) => this.emitChanges(turn)));
    this.lifetime.register(window.recorder.onDidRecord((turn) => this.emitChanges(turn)));
    this.lifetime.register(
      this.changed.onDidChange((change) => {
        activeChat.all.forEach((chat) => chat.filesChanged(change));
        this.noticed(change.sessionId, change.turnUid, change.files);
      }),
    );
    const before = this.lifetime.register(
      new BeforeFiles(
        (turnUid, path) => this.changed.before(turnUid, path),
        (path) => this.changed.accepted(path),
      ),
    );
    this.lifetime.register(
      vscode.workspace.registerFileSystemProvider(beforeScheme, before, { isReadonly: true, isCaseSensitive: true }),
    );
    this.open = this.lifetime.register(new OpenChanges());
    this.review = this.reviewed(before);
    this.editors = new ReviewEditors(store, editor, this.changed);
    this.notices = new RevertNotices(store, this.changed);
    this.lifetime.register(onErased(window, (erased) => erased.forEach((id) => this.open.forget(id))));
    this.lifetime.register(
      history.connection.onDidChangeState(({ kind }) => (kind === 'open' ? void this.findReviews() : undefined)),
    );
    this.chat = {
      ofTurns: (turnUids) => this.ofTurns(turnUids),
      from: (turnUid) => this.changed.from(turnUid),
      takeBack: (turnUid) => this.takeBack(turnUid),
      handlers: this.handlers(),
    };
  }

  get commands(): CommandTable {
    const { gateway, activeChat } = this.window;
    const shown = (): string | null => gateway.surfaces.shownSession(activeChat.surfaceId);
    return {
      reviewChanges: () => this.editors.openLastTurn(shown()),
      reviewSessionChanges: () => this.editors.openSession(shown()),
      reviewChangesOfTurns: () => this.editors.pickTurns(shown()),
      undoRevert: () => this.notices.undoNewest(shown()),
      ...this.review.commands(),
    };
  }

  private handlers(): ChatFiles['handlers'] {
    const { changed, editors } = this;
    const proposed = this.lifetime.register(new ProposedChanges(this.window.history.store));
    return {
      commands: {
        openDiff: ({ turnUid, path }) => editors.openFile(turnUid, path),
        openReview: ({ turnUid, session }) => (session ? editors.openSessionOf(turnUid) : editors.openTurn(turnUid)),
        openProposal: ({ approvalId }) => proposed.open(approvalId),
        openProposals: ({ approvalId }) => proposed.openAll(approvalId),
      },
      requests: {
        fileHunks: ({ turnUid, path }) => changed.hunks(turnUid, path),
        reviewFiles: ({ turnUid, paths, action, overwrite }) => changed.reviewFiles(turnUid, paths, action, overwrite),
        reviewHunk: ({ turnUid, path, hunk, action }) => changed.reviewHunk(turnUid, path, hunk, action),
        undoRevert: ({ turnUid, paths }) => changed.undoReverts(turnUid, paths),
      },
    };
  }

  private async ofTurns(turnUids: readonly string[]): ReturnType<ChatFiles['ofTurns']> {
    const all = await this.changed.ofTurns(turnUids);
    for (const [turnUid, list] of Object.entries(all)) {
      const turn = await this.window.history.store.getTurn(turnUid);
      if (turn !== null) this.noticed(turn.sessionId, turnUid, list);
    }
    return all;
  }

  private async takeBack(turnUid: string): Promise<string | null> {
    try {
      const sessionId = (await this.window.history.store.getTurn(turnUid))?.sessionId;
      if (sessionId === undefined) return null;
      return await this.notices.watched(sessionId, async () => (await this.changed.revertFrom(turnUid)).sentence);
    } catch (error) {
      return t('Couldn’t revert the files: {reason}', { reason: describeError(error).sentence });
    }
  }

  private reviewed(before: BeforeFiles): ReviewInEditor {
    const report = (error: unknown): void =>
      this.window.log.warn(`Changes to review could not be read: ${describeError(error).sentence}`);
    const changes = this.lifetime.register(new EditorChanges(this.open, this.changed, this.window.clock));
    this.lifetime.register(new ChangedDecorations(changes));
    this.lifetime.register(this.open.onDidChange((paths) => paths.forEach((path) => before.acceptedChanged(path))));
    this.lifetime.register(new ReviewLenses(changes));
    this.lifetime.register(new ReviewMarks(changes, report));
    return this.lifetime.register(new ReviewInEditor(changes, report));
  }

  /** Finds what is left to review of the last days, also of sessions that no view shows. */
  private async findReviews(): Promise<void> {
    try {
      const isHere = (path: string): boolean => vscode.workspace.getWorkspaceFolder(uriOfPath(path)) !== undefined;
      const turns = await this.changed.toReview(isHere);
      this.open.clear();
      await this.ofTurns(turns);
    } catch (error) {
      this.window.log.warn(`Changes to review could not be read: ${describeError(error).sentence}`);
    }
  }

  private noticed(sessionId: string, turnUid: string, files: readonly ChangedFile[]): void {
    this.watch.watch(
      { sessionId, turnUid },
      files.map(({ path }) => path),
    );
    this.open.update(turnUid, sessionId, files);
  }

  private emitChanges(turn: { readonly sessionId: string; readonly turnUid: string }): void {
    this.changed
      .emitChanges(turn)
      .catch((error: unknown) =>
        this.window.log.warn(`Changed files could not be told: ${describeError(error).sentence}`),
      );
  }
}

async function writeRaw(path: string, bytes: Uint8Array | null): Promise<void> {
  const uri = uriOfPath(path);
  await (bytes === null ? vscode.workspace.fs.delete(uri) : vscode.workspace.fs.writeFile(uri, bytes));
}

import type { Clock } from '../../../base/clock';
import * as v from 'valibot';
import * as vscode from 'vscode';
import { t } from '../../../base/translate';
import type { CommandTable } from '../../../host/common/commands';
import { factsOf, titleText, sessionCount, folderName, folderPath } from '../../../host/library/sessionLabels';
import { folderFacts } from './otherFolderRows';
import type { BringingProgress, OtherFolder, OtherFolders } from './otherFolders';
import type { OtherSession, OtherTranscripts } from './otherTranscripts';

const sessionLimit = 500;

/** Arguments that rows of the view pass. */
const namedFolder = v.object({
  folder: v.object({ folder: v.string() }),
  session: v.optional(v.object({ id: v.string() })),
});

/** Commands for sessions of other folders. */
export class OtherFolderCommands {
  constructor(
    private readonly others: OtherFolders,
    private readonly transcripts: OtherTranscripts,
    private readonly clock: Pick<Clock, 'now'>,
  ) {}

  get table(): CommandTable {
    const withSession =
      (act: (session: OtherSession) => Promise<void>) =>
      async (row: unknown): Promise<void> => {
        const session = await this.sessionOf(row);
        if (session !== null) await act(session);
      };
    return {
      otherFolders: () => this.show(),
      openOtherSession: withSession((session) => this.transcripts.open(session)),
      exportOtherSession: withSession((session) => this.transcripts.export(session)),
      bringOverSession: withSession((session) => this.transcripts.copyHere(session)),
      bringOverFolder: async (row) => {
        const folder = await this.folderOf(row);
        if (folder !== null) await this.bringAll(folder);
      },
    };
  }

  /** Lets the user choose a session of another folder, and opens it. */
  async show(): Promise<void> {
    const session = await this.pickSession();
    if (session !== null) await this.transcripts.open(session);
  }

  /** Resolves to true when everything was imported, false when the user stopped it halfway. */
  async bringAll(folder: OtherFolder): Promise<boolean> {
    const path = folderPath(folder);
    const title = t('Copying sessions from {folder}…', { folder: path });
    const stopping = new AbortController();
    const brought = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title, cancellable: true },
      (progress, cancelled) => {
        cancelled.onCancellationRequested(() => stopping.abort());
        return this.others.bringAll(folder, (now) => progress.report({ message: progressText(now) }), stopping.signal);
      },
    );
    if (stopping.signal.aborted) {
      void vscode.window.showInformationMessage(
        t('Copying was canceled. Sessions copied so far are here. The originals are unchanged.'),
      );
      return false;
    }
    const left =
      brought.skipped === 0
        ? ''
        : ` ${t('{count} rows couldn’t be read and remain in the original.', { count: brought.skipped })}`;
    void vscode.window.showInformationMessage(
      t('{count} copied from {folder}. The original file is unchanged.', {
        count: sessionCount(folder.sessions),
        folder: path,
      }) + left,
    );
    return true;
  }

  /** Session of a row, of the active tab, or one that the user chooses. */
  private async sessionOf(row: unknown): Promise<OtherSession | null> {
    const named = v.safeParse(namedFolder, row);
    if (!named.success || named.output.session === undefined) return this.transcripts.active ?? this.pickSession();
    const store = await this.others.named(named.output.folder.folder);
    return store === null ? null : { store, sessionId: named.output.session.id };
  }

  private async folderOf(row: unknown): Promise<OtherFolder | null> {
    const named = v.safeParse(namedFolder, row);
    return named.success ? this.others.named(named.output.folder.folder) : this.pickFolder();
  }

  private async pickFolder(): Promise<OtherFolder | null> {
    const folders = this.others.list().then((found) =>
      found.map((folder) => ({
        label: folderName(folder),
        description: folderFacts(folder, this.clock.now()),
        detail: folder.problem ?? folderPath(folder),
        iconPath: new vscode.ThemeIcon(folder.problem === null ? 'folder' : 'warning'),
        folder,
      })),
    );
    if ((await folders).length === 0) {
      void vscode.window.showInformationMessage(t('No sessions from other folders were found on this machine.'));
      return null;
    }
    const chosen = await vscode.window.showQuickPick(folders, {
      title: t('Sessions of Other Folders'),
      placeHolder: t('Choose a folder'),
      matchOnDetail: true,
    });
    return chosen?.folder.problem === null ? chosen.folder : null;
  }

  private async pickSession(): Promise<OtherSession | null> {
    const store = await this.pickFolder();
    if (store === null) return null;
    const everything = {
      label: t('Copy All Sessions to This Folder'),
      iconPath: new vscode.ThemeIcon('move'),
      sessionId: null,
    };
    const sessions = this.others.sessionsOf(store.folder, sessionLimit).then((found) => [
      ...found.map((session) => ({
        label: titleText(session),
        description: factsOf(session, this.clock.now()).join(' · '),
        ...(session.preview === null || session.preview === session.title ? {} : { detail: session.preview }),
        iconPath: new vscode.ThemeIcon('comment'),
        sessionId: session.id,
      })),
      { label: '', kind: vscode.QuickPickItemKind.Separator, sessionId: null },
      everything,
    ]);
    const chosen = await vscode.window.showQuickPick(sessions, {
      title: t('Sessions in {folder}', { folder: folderPath(store) }),
      placeHolder: t('Choose a session to read'),
      matchOnDetail: true,
    });
    if (chosen === undefined) return null;
    if (chosen.sessionId !== null) return { store, sessionId: chosen.sessionId };
    await this.bringAll(store);
    return null;
  }
}

function progressText({ done, total }: BringingProgress): string {
  return t('{done} of {total}', { done, total });
}

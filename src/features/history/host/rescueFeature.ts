import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../../base/disposable';
import { errorMessage } from '../../../base/errorMessage';
import { t } from '../../../base/translate';
import { ownFolders, Rescue } from '../core/rescue/rescue';
import {
  NodeRescueRecord,
  type RescueRecord,
  type RescuedFile,
  type RescuedSession,
} from '../core/rescue/rescueRecord';
import { NodeHistoryFiles } from '../core/sources/reading/nodeHistoryFiles';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import type { CommandTable } from '../../../host/common/commands';
import { sessionCount, ageLabels } from '../../../host/library/sessionLabels';
import { importingChoice, type KeptChoice } from '../../../host/settings/keptChoice';
import { openReadOnly } from '../../../host/terminal/terminalFeature';
import type { WindowContext } from '../../../host/window/windowContext';
import type { HistoryServices } from './historyServices';
import { plain } from './reports';
import { sourceTitle } from '../../../transcript/sourceTitles';

/** Describes what is kept, in one to three sentences. `record`: null when sessions are imported only by command. */
export function rescueStatus(record: RescueRecord | null, now: number): string {
  if (record === null) return t('Sessions of other agents are imported only when you ask for it.');
  const files = Object.values(record.files);
  const count = (of: readonly RescuedFile[]): number => of.reduce((sum, { sessions }) => sum + sessions.length, 0);
  const gone = count(files.filter(({ isGone }) => isGone));
  return [
    t('Kept up to date in this folder: {sessions} of other agents.', {
      sessions: sessionCount(count(files)),
    }),
    ...(gone === 0 ? [] : [t('Deleted there and kept here: {sessions}.', { sessions: sessionCount(gone) })]),
    ...(record.importedAt === null ? [] : [t('Last import: {time}.', { time: ageLabels(record.importedAt, now) })]),
  ].join(' ');
}

/** The sessions that are kept, as Markdown. */
export function rescueReport(record: RescueRecord, status: string): string {
  const files = Object.entries(record.files).filter(([, { sessions }]) => sessions.length > 0);
  const list = (isGone: boolean): readonly string[] =>
    files
      .filter(([, file]) => file.isGone === isGone)
      .flatMap(([path, { sessions }]) => sessions.map((session) => line(session, path)));
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
  return [
    `# ${t('Rescued Sessions')}`,
    '',
    status,
    ...section(t('Deleted by Their Agents'), list(true)),
    ...section(t('Sessions'), list(false)),
    '',
  ].join('\n');
}

function line({ source, title, id }: RescuedSession, path: string): string {
  const name = title === null || title === '' ? id || t('Untitled Session') : title;
  return `- ${plain(name)} (${sourceTitle(source)}, ${path})`;
}

/** Keeps importing what other agents write, while the user wants it, the folder is trusted, and this window has the
 *  store open for writing. */
export class RescueFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private running: { readonly rescue: Rescue; readonly scope: string } | null = null;

  private readonly choice: KeptChoice<boolean>;
  /** Folder for the records of what was imported. */
  private readonly records: string;
  private readonly connection: StoreConnection;

  constructor(
    { context, history }: Pick<WindowContext, 'context' | 'history'>,
    private readonly services: HistoryServices,
  ) {
    this.choice = importingChoice(context.globalState);
    this.records = join(context.globalStorageUri.fsPath, 'rescue');
    this.connection = history.connection;
    const follow = (): void => this.follow();
    // The choice may have been made in another window.
    this.lifetime.register(vscode.window.onDidChangeWindowState(follow));
    this.lifetime.register(this.connection.onDidChangeState(follow));
    this.lifetime.register(vscode.workspace.onDidGrantWorkspaceTrust(follow));
    this.lifetime.register(vscode.workspace.onDidChangeWorkspaceFolders(follow));
    follow();
  }

  get commands(): CommandTable {
    return {
      keepImporting: () => this.keepImporting(),
      stopImporting: () => this.stopImporting(),
      showRescuedSessions: () => this.show(),
    };
  }

  get isOn(): boolean {
    return this.choice.current;
  }

  /** Says what will happen, and switches it on when the user agrees. */
  async keepImporting(): Promise<void> {
    const start = t('Keep Importing');
    const detail = t(
      'Hermes copies what other agents on this machine write about the open folders, as they write it. Their files stay as they are, and nothing is sent.',
    );
    const agreed = await vscode.window.showInformationMessage(start, { modal: true, detail }, start);
    if (agreed !== start) return;
    await this.choose(true);
    const [show, stop] = [t('Show Rescued Sessions'), t('Turn Off')];
    const sentence = t('From now on, Hermes imports what other agents write about the folders that are open.');
    // Nobody waits for the answer.
    vscode.window
      .showInformationMessage(sentence, show, stop)
      .then(
        (chosen) => (chosen === show ? this.show() : chosen === stop ? this.stopImporting() : undefined),
        this.services.failed('showRescuedSessions'),
      );
  }

  private async choose(isOn: boolean): Promise<void> {
    await this.choice.set(isOn);
    this.follow();
  }

  private async stopImporting(): Promise<void> {
    await this.choose(false);
    void vscode.window.showInformationMessage(
      t('Hermes no longer imports what other agents write. Imported sessions stay.'),
    );
  }

  /** One sentence for reports. */
  async status(): Promise<string> {
    return rescueStatus(this.isOn ? await this.record() : null, this.services.clock.now());
  }

  dispose(): void {
    this.stop();
    this.lifetime.dispose();
  }

  private async show(): Promise<void> {
    const content = rescueReport(await this.record(), await this.status());
    // A file, so that nobody is asked to save it.
    const file = join(this.records, 'report.md');
    await mkdir(this.records, { recursive: true });
    await writeFile(file, content);
    await openReadOnly(file);
  }

  private async record(): Promise<RescueRecord> {
    return this.running?.rescue.record ?? this.file().load();
  }

  private file(): NodeRescueRecord {
    return new NodeRescueRecord(this.records, this.services.storeFolder());
  }

  private follow(): void {
    const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath).sort();
    const scope = JSON.stringify([folders, this.services.storeFolder()]);
    const isWanted = this.isOn && vscode.workspace.isTrusted && this.connection.state.kind === 'open';
    if (this.running !== null && (!isWanted || this.running.scope !== scope)) this.stop();
    if (isWanted && this.running === null) this.start(folders, scope);
  }

  private start(folders: readonly string[], scope: string): void {
    const { clock, places, openImporter, refresh } = this.services;
    const rescue = new Rescue({
      clock,
      files: new NodeHistoryFiles(),
      places,
      isWanted: () => this.isOn,
      isOurs: ownFolders(folders, process.platform),
      scope,
      openImporter,
      record: this.file(),
      onImported: refresh,
      report: (failure) => this.report(failure),
    });
    this.running = { rescue, scope };
    void rescue.run();
  }

  private stop(): void {
    this.running?.rescue.dispose();
    this.running = null;
  }

  private report(failure: unknown): void {
    this.services.log.warn(`Sessions of other agents could not be imported: ${errorMessage(failure)}`);
    const sentence = t('Sessions of other agents can’t be imported at the moment. Hermes keeps trying. {reason}', {
      reason: errorMessage(failure),
    });
    void vscode.window.showWarningMessage(sentence);
  }
}

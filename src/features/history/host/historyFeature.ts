import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import type { Clock } from '../../../base/clock';
import { DisposableStore, Emitter, type Disposable } from '../../../base/disposable';
import type { Log } from '../../../base/log';
import { t, type Translate } from '../../../base/translate';
import { checkInThread } from '../core/check/checkClient';
import { ImportClient } from '../core/import/importClient';
import { usualPlaces, type HistoryPlaces } from '../core/sources/historyPlaces';
import type { StoreConnection } from '../../../store/ownership/storeConnection';
import type { SessionStore } from '../../../store/sessionStore';
import { reportFailure, type CommandTable } from '../../../host/common/commands';
import { editorWorkNotice } from '../../../host/notifications/editorWorkNotice';
import type { StoreStatus } from '../../../host/storage/storeStatus';
import type { CopiedTranscriptDeps } from '../../../host/library/transcript/copiedTranscript';
import type { WebviewPrograms } from '../../../host/webviews/webviewPrograms';
import { SessionChecks } from './checkSessions';
import type { HistoryFileDeps } from './historyFile';
import { HistoryFileEditor, historyFileViewType } from './historyFileEditor';
import type { PickContext } from './importPicks';
import { SessionImports } from './importSessions';
import { RescueFeature, rescueRecords, type RescueFeatureDeps } from './rescueFeature';
import { ShownFileSessions } from './shownFileSessions';

interface HistoryFeatureDeps extends CopiedTranscriptDeps {
  readonly context: vscode.ExtensionContext;
  /** Folder of the bundles. */
  readonly distFolder: string;
  readonly sessions: SessionStore;
  readonly store: Pick<StoreStatus, 'begin' | 'settled'>;
  readonly settings: RescueFeatureDeps['settings'];
  readonly connection: RescueFeatureDeps['connection'] & Pick<StoreConnection, 'during'>;
  /** Folder of the store. */
  readonly storeFolder: () => string;
  readonly programs: Pick<WebviewPrograms, 'load'>;
  readonly startWorker: HistoryFileDeps['startWorker'];
  readonly clock: Clock;
  readonly log: Log;
  readonly t: Translate;
  /** Folder of this window's store. */
  readonly ownFolder: () => string;
  readonly openInChat: (sessionId: string) => Promise<void>;
  readonly openTranscript: (sessionId: string, messageUid: string | null) => Promise<void>;
}

/** Sessions that come from other programs, in this window. */
export class HistoryFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly changes = this.lifetime.register(new Emitter<void>());
  /** Emitted when sessions were imported or repaired. */
  readonly onDidImport = this.changes.event;
  private readonly imports: SessionImports;
  private readonly rescue: RescueFeature;
  private readonly checks: SessionChecks;
  private readonly files: HistoryFileEditor;

  constructor({
    context,
    distFolder,
    sessions,
    store,
    openInChat,
    openTranscript,
    ownFolder,
    ...deps
  }: HistoryFeatureDeps) {
    const home = homedir();
    const storage = context.globalStorageUri.fsPath;
    const copies = join(storage, 'reading');
    const places = (): HistoryPlaces => usualPlaces({ home, platform: process.platform, environment: process.env });
    const openImporter = (): ImportClient =>
      new ImportClient(join(distFolder, 'importWorker.js'), { copies }, sessions);
    const onImported = (): void => this.changes.fire();
    const ready = async (): Promise<void> => {
      store.begin();
      await store.settled();
    };
    this.rescue = this.lifetime.register(
      new RescueFeature({
        ...deps,
        records: rescueRecords(storage),
        places,
        openImporter,
        labels: () => pickContext(home, deps).labels,
        onImported,
      }),
    );
    this.imports = new SessionImports({
      openImporter,
      places,
      context: () => pickContext(home, deps),
      ready,
      store: sessions,
      during: (work) => deps.connection.during(work),
      openInChat,
      onFailure: (error) => reportFailure('importSessions', error, deps.log),
      rescue: this.rescue,
      onImported,
    });
    this.checks = new SessionChecks({
      check: (what, course) => checkInThread(join(distFolder, 'checkWorker.js'), { ...what, copies }, course),
      store: sessions,
      ownFolder,
      hermesDatabase: () => join(places().hermes, 'state.db'),
      ready,
      openTranscript,
      importFile: (path) => this.imports.run([path]),
      importSession: (path, id) => this.imports.importOne(path, id),
      onFailure: (error) => reportFailure('checkSessions', error, deps.log),
      onRepaired: () => this.changes.fire(),
      newId: randomUUID,
      clock: deps.clock,
      notice: editorWorkNotice,
    });
    this.files = this.lifetime.register(
      new HistoryFileEditor(deps.programs, {
        ...deps,
        openReader: openImporter,
        notice: editorWorkNotice,
        memory: new ShownFileSessions(context.workspaceState),
        labels: () => pickContext(home, deps).labels,
        importFile: (uri) =>
          this.imports.run([uri.fsPath]).catch((error: unknown) => reportFailure('importSessions', error, deps.log)),
      }),
    );
    this.lifetime.register(vscode.window.registerCustomEditorProvider(historyFileViewType, this.files));
  }

  get commands(): CommandTable {
    return { ...this.imports.commands, ...this.rescue.commands, ...this.checks.commands, ...this.files.commands };
  }

  /** Imports from files that the user dropped or chose. */
  importFiles(files: readonly vscode.Uri[]): Promise<void> {
    return this.imports.run(files.map(({ fsPath }) => fsPath));
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

function pickContext(home: string, { clock, t: translate }: Pick<HistoryFeatureDeps, 'clock' | 't'>): PickContext {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return {
    labels: { t: translate, language: vscode.env.language, now: clock.now() },
    home,
    folders: folders.map(({ uri }) => uri.fsPath),
    into: vscode.workspace.name ?? t('this window'),
  };
}

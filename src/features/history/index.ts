import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { registerCommands, reportFailure } from '../../host/common/commands';
import { importingChoice } from '../../host/settings/keptChoice';
import { editorWorkNotice } from '../../host/notifications/editorWorkNotice';
import type { WindowContext } from '../../host/window/windowContext';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';
import { checkInThread } from './core/check/checkClient';
import { ImportClient } from './core/import/importClient';
import { usualPlaces, type HistoryPlaces } from './core/sources/historyPlaces';
import { SessionChecks } from './host/checkSessions';
import { ExportedFiles } from './host/exportedFiles';
import { exportAllSessions, exportSessions, windowExports } from './host/exportSession';
import { HistoryFileEditor, historyFileViewType } from './host/historyFileEditor';
import type { PickContext } from './host/importPicks';
import { SessionImports } from './host/importSessions';
import { RescueFeature, rescueRecords } from './host/rescueFeature';
import { ShownFileSessions } from './host/shownFileSessions';

/** Sessions on their way into the history of a window and out of it: importing, checking and exporting. */
export function register(window: WindowContext): void {
  registerExports(window);
  const { own, context, distFolder, history, sessions, editor, opener, clock, log } = window;
  const { store, status, connection } = history;
  const storage = context.globalStorageUri.fsPath;
  const copies = join(storage, 'reading');
  const places = (): HistoryPlaces =>
    usualPlaces({ home: homedir(), platform: process.platform, environment: process.env });
  const openImporter = (): ImportClient =>
    new ImportClient(join(distFolder, 'importWorker.js'), copies, () => connection.openPort());
  const pickContext = (): PickContext => ({
    now: clock.now(),
    home: homedir(),
    folders: (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath),
    into: vscode.workspace.name ?? t('this window'),
  });
  const onImported = (): void => sessions.refresh();
  const ready = async (): Promise<void> => {
    status.begin();
    await status.settled();
  };
  const failed =
    (command: string) =>
    (error: unknown): void =>
      reportFailure(command, error, log);
  const rescue = own(
    new RescueFeature({
      choice: importingChoice(context.globalState),
      connection,
      storeFolder: () => history.folder,
      records: rescueRecords(storage),
      places,
      openImporter,
      onImported,
      clock,
      log,
    }),
  );
  const imports = new SessionImports({
    openImporter,
    places,
    context: pickContext,
    ready,
    store,
    during: (work) => connection.during(work),
    openInChat: (sessionId) => opener.open(sessionId, null, 'chat'),
    onFailure: failed('importSessions'),
    rescue,
    onImported,
  });
  const checks = new SessionChecks({
    check: (what, options) => checkInThread(join(distFolder, 'checkWorker.js'), { ...what, copies }, options),
    store,
    ownFolder: () => history.folder,
    hermesDatabase: () => join(places().hermes, 'state.db'),
    ready,
    openTranscript: (sessionId, messageUid) => editor.openTranscript(sessionId, messageUid),
    importFile: (path) => imports.run([path]),
    importSession: (path, id) => imports.importOne(path, id),
    onFailure: failed('checkSessions'),
    onRepaired: onImported,
    newId: randomUUID,
    clock,
    notice: editorWorkNotice,
  });
  const files = own(
    new HistoryFileEditor({
      transcripts: window.transcripts,
      startWorker: history.startWorker,
      openReader: openImporter,
      notice: editorWorkNotice,
      memory: new ShownFileSessions(context.workspaceState),
      importFile: (uri) => imports.run([uri.fsPath]).catch(failed('importSessions')),
      clock,
    }),
  );
  own(vscode.window.registerCustomEditorProvider(historyFileViewType, files));
  own(window.importer.fill((dropped) => imports.run(dropped.map(({ fsPath }) => fsPath))));
  own(registerCommands({ ...imports.commands, ...rescue.commands, ...checks.commands, ...files.commands }, log));
}

function registerExports({
  own,
  context,
  distFolder,
  history,
  sessions,
  exporter,
  forgetCopies,
  clock,
  log,
}: WindowContext) {
  const exported = new ExportedFiles(new NodeFileSystem(), () => clock.now(), log);
  own(forgetCopies.add(async (sessionIds) => exported.forget(history.folder, sessionIds)));
  const exportsOf = (store: string) => ({
    ...windowExports(distFolder, context),
    store: () => store,
    // Beside this window's store: the files of another folder are only read.
    noteExport: (path: string, sessionIds: readonly string[]) => exported.note(history.folder, path, sessionIds),
  });
  own(exporter.fill((chosen, store) => exportSessions(chosen, exportsOf(store))));
  own(
    registerCommands(
      {
        exportSession: async (...args) =>
          exportSessions(await sessions.chosen.all(args, t('Export Session')), exportsOf(history.folder)),
        exportAllSessions: async () => {
          await history.status.settled();
          await exportAllSessions(exportsOf(history.folder));
        },
      },
      log,
    ),
  );
}

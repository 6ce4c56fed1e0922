import * as vscode from 'vscode';
import { t } from '../../base/translate';
import { type CommandTable, registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { SessionChecks } from './host/checkSessions';
import { ExportedFiles } from './host/exportedFiles';
import { exportAllSessions, exportSessions, threadExport } from './host/exportSession';
import { HistoryFileEditor, historyFileViewType } from './host/historyFileEditor';
import { historyServices } from './host/historyServices';
import { SessionImports } from './host/importSessions';
import { RescueFeature } from './host/rescueFeature';
import { NodeFileSystem } from '../../store/engine/nodeFileSystem';

/** Sessions on their way into the history of a window and out of it: importing, checking and exporting. */
export function register(window: WindowContext): void {
  registerExports(window);
  const { own, context, log } = window;
  const services = historyServices(window);
  const rescue = own(new RescueFeature(window, services));
  const imports = new SessionImports(services, rescue);
  const checks = new SessionChecks(services, imports);
  const files = own(new HistoryFileEditor(services, imports, context.workspaceState));
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
  clock,
  log,
  ...points
}: WindowContext) {
  const exported = new ExportedFiles(new NodeFileSystem(), () => clock.now(), log);
  own(points.forgetCopies.add(async (sessionIds) => exported.forget(history.folder, sessionIds)));
  const exportsOf = (store: string) => ({
    ...threadExport(distFolder, context, store),
    // Beside this window's store: the files of another folder are only read.
    noteExport: (path: string, sessionIds: readonly string[]) => exported.note(history.folder, path, sessionIds),
  });
  own(exporter.fill((chosen, store) => exportSessions(chosen, exportsOf(store))));
  const commands: CommandTable = {
    exportSession: async (...args) =>
      exportSessions(await sessions.chosen.all(args, t('Export Session')), exportsOf(history.folder)),
    exportAllSessions: async () => {
      await history.status.settled();
      await exportAllSessions(exportsOf(history.folder));
    },
  };
  own(registerCommands(commands, log));
}

import { join, basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/disposable';
import { registerCommands } from '../../host/common/commands';
import type { WindowContext } from '../../host/window/windowContext';
import { isThere, placeOf, describeFolder, type OpenFolder } from './core/describeFolder';
import { LibraryClient } from './core/libraryClient';
import { describeError } from '../../host/common/describeError';
import { MovedFolderOffer } from './host/movedFolderOffer';
import { OpenCopies } from './host/openCopies';
import { OtherFolderCommands } from './host/otherFolderCommands';
import { OtherFolderRows } from './host/otherFolderRows';
import { OtherFolders } from './host/otherFolders';
import { OtherTranscripts, otherTranscriptViewType } from './host/otherTranscripts';
import type { StoreLocations } from '../../store/library/otherStore';
import { emptyWindowsFolder } from '../../host/storage/windowStorage';

const storagePathsKey = 'storagePaths';
const mostStoragePaths = 5;

/** The folder or workspace of this window, so that its store can record which folder it belongs to. */
function openFolder(): OpenFolder {
  const { workspaceFile, workspaceFolders, name = '' } = vscode.workspace;
  const roots = (workspaceFolders ?? []).flatMap(({ uri }) => pathOf(uri) ?? []);
  if (workspaceFile !== undefined) return { kind: 'workspace', path: pathOf(workspaceFile), name, roots };
  return workspaceFolders === undefined
    ? { kind: 'window', path: null, name, roots }
    : { kind: 'folder', path: roots[0] ?? null, name: workspaceFolders[0]?.name ?? name, roots };
}

/** Path on this machine. Null: only the editor can reach it. */
function pathOf(uri: vscode.Uri | undefined): string | null {
  return uri !== undefined && (uri.scheme === 'file' || uri.scheme === 'vscode-remote') ? uri.fsPath : null;
}

/** Values of `hermes.storage.path` until now, this window's first: they may hold sessions. Remembers the given one. */
function rememberedStoragePaths(state: vscode.Memento, current: string | null): readonly string[] {
  const known = state.get<readonly unknown[]>(storagePathsKey, []).filter((path) => typeof path === 'string');
  const paths = [...new Set([...(current === null ? [] : [current]), ...known])].slice(0, mostStoragePaths);
  if (paths.join('\n') !== known.join('\n')) void state.update(storagePathsKey, paths);
  return paths;
}

/** Places where the editor keeps stores of this extension, and those that the settings name or named. */
function storeLocations(
  context: vscode.ExtensionContext,
  storagePaths: readonly string[],
  own: string,
): StoreLocations {
  const global = context.globalStorageUri.fsPath;
  const extension = basename(global);
  // Profiles too: each has its own global storage, but they share the workspace storage.
  const user = dirname(dirname(global));
  const guesses = [join(user, 'workspaceStorage'), join(dirname(dirname(user)), 'workspaceStorage')];
  const known = context.storageUri === undefined ? [] : [dirname(dirname(context.storageUri.fsPath))];
  const roots = [...new Set([...known, ...guesses])].filter((root) => basename(root) === 'workspaceStorage');
  return {
    workspaces: roots.map((root) => ({ root, extension })),
    shelves: [emptyWindowsFolder(global), ...storagePaths],
    own,
  };
}

/** Milliseconds before leftovers of earlier windows are removed, so that this window starts first. */
const sweepAfterMs = 2000;

/** Sessions of other folders in this window: find, read and import them, and offer those of this folder from under
 *  an earlier name. */
export function register(window: WindowContext): void {
  const { context, history, sessions, settings, clock, log } = window;
  const { connection } = history;
  const lifetime = new DisposableStore();
  const own = <T extends Disposable>(part: T): T => lifetime.register(part);
  const library = new LibraryClient(
    join(window.distFolder, 'libraryWorker.js'),
    join(context.globalStorageUri.fsPath, 'reading'),
    clock,
  );
  const sweep = (): void =>
    void library
      .sweep()
      .catch((error: unknown) =>
        log.warn(`Copies of other folders’ sessions could not be removed: ${describeError(error).sentence}`),
      );
  own({ dispose: clock.after(sweepAfterMs, sweep) });
  const storagePaths = rememberedStoragePaths(context.globalState, settings.current.storagePath);
  const others = own(new OtherFolders(library, window, () => storeLocations(context, storagePaths, history.folder)));
  const copies = own(new OpenCopies(library, history.startWorker));
  const transcripts = own(new OtherTranscripts(window, others, copies));
  own(vscode.window.registerWebviewPanelSerializer(otherTranscriptViewType, transcripts));
  const named = new OtherFolderCommands(others, transcripts, clock);
  own(registerCommands(named.table, log));
  own(sessions.add(own(new OtherFolderRows(others, clock, () => named.show(), log))));
  const movedFolder = new MovedFolderOffer(window, others, {
    describe: () => describeFolder(openFolder()),
    oldPlace: async (path) => ({ isThere: await isThere(path), place: await placeOf(path) }),
    copyToThisFolder: (folder) => named.bringAll(folder),
    idle: () => new Promise((resolve) => void own({ dispose: clock.after(sweepAfterMs, resolve) })),
  });
  own(connection.onDidChangeState(({ kind }) => (kind === 'open' ? void movedFolder.opened() : undefined)));
  own(
    vscode.workspace.onDidChangeWorkspaceFolders(() => {
      if (connection.state.kind === 'open') void movedFolder.opened();
      else if (!history.holdsHistory) void movedFolder.neverOpened();
    }),
  );
  own(
    window.moved.add(() => {
      movedFolder.left();
      if (!history.holdsHistory) void movedFolder.neverOpened();
    }),
  );
  // After activation: it reads the disk, in its own thread.
  own({ dispose: clock.after(0, () => (history.holdsHistory ? undefined : void movedFolder.neverOpened())) });
  // Private copies are removed while the store closes.
  const close = (): void => {
    lifetime.dispose();
    void library.close();
  };
  window.own(window.closing.add(close));
  window.own(toDisposable(close));
}

import { join, basename, dirname } from 'node:path';
import type { Gateway } from '../../gateway/conversationGateway';
import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import type { Translate } from '../../base/translate';
import { isThere, placeOf, describeFolder, type OpenFolder } from '../../store/library/describeFolder';
import { LibraryClient } from '../../store/library/libraryClient';
import type { SessionStore } from '../../store/session/sessionStore';
import type { Thread } from '../../base/threads/channel';
import type { CommandTable } from '../common/commands';
import { describeError } from '../common/describeError';
import type { LabelContext } from './sessionLabels';
import type { StoreConnection } from '../../store/ownership/storeConnection';
import type { StoreStatus } from '../storage/storeStatus';
import type { WebviewPrograms } from '../webviews/webviewPrograms';
import { MovedFolderOffer } from './movedFolderOffer';
import { OpenCopies } from './openCopies';
import { OtherFolderCommands } from './otherFolderCommands';
import { OtherFolderRows } from './otherFolderRows';
import { OtherFolders } from './otherFolders';
import { OtherTabMemory } from './otherTabMemory';
import { OtherTranscripts, otherTranscriptViewType, type OtherTranscriptDeps } from './otherTranscripts';
import type { FolderLabel } from '../../store/library/folderLabel';
import type { StoreLocations } from '../../store/library/otherStore';
import { emptyWindowsFolder } from '../storage/windowStorage';

const storagePathsKey = 'storagePaths';
const mostStoragePaths = 5;

/** Describes the folder or workspace of this window, so that its store can record which folder it belongs to. */
function describeOwnFolder(): Promise<FolderLabel> {
  return describeFolder(openFolder());
}

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

interface OtherFoldersFeatureDeps {
  readonly context: vscode.ExtensionContext;
  readonly programs: WebviewPrograms;
  readonly gateway: Gateway;
  readonly sessions: SessionStore;
  readonly store: StoreStatus;
  /** Folder of the bundles. */
  readonly distFolder: string;
  /** Value of `hermes.storage.path`. Null: the editor's own storage. */
  readonly storagePath: () => string | null;
  /** Folder of this window's store. */
  readonly connection: Pick<StoreConnection, 'during'>;
  readonly ownFolder: () => string;
  readonly startWorker: () => Thread;
  readonly openInChat: (sessionId: string) => Promise<void>;
  readonly transcripts: OtherTranscriptDeps['transcripts'];
  readonly exporter: OtherTranscriptDeps['exporter'];
  readonly clock: Clock;
  readonly log: Log;
  readonly t: Translate;
}

/** Milliseconds before leftovers of earlier windows are removed, so that this window starts first. */
const sweepAfterMs = 2000;

/** Sessions of other folders in this window: find, read and import them, and offer those of this folder from under
 *  an earlier name. */
export class OtherFoldersFeature implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly library: LibraryClient;
  private readonly named: OtherFolderCommands;
  /** Tracks the folder whose history this window uses. */
  readonly movedFolder: MovedFolderOffer;
  /** Their group in the sessions view. */
  readonly rows: OtherFolderRows;

  constructor(deps: OtherFoldersFeatureDeps) {
    const { context, gateway, sessions, store, clock, log, t, distFolder, openInChat } = deps;
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    const labelContext = (): LabelContext => ({ t, language: vscode.env.language, now: clock.now() });
    const library = (this.library = new LibraryClient(
      join(distFolder, 'libraryWorker.js'),
      join(context.globalStorageUri.fsPath, 'reading'),
      clock,
    ));
    const sweep = (): void =>
      void library
        .sweep()
        .catch((error: unknown) =>
          log.warn(`Copies of other folders’ sessions could not be removed: ${describeError(error).sentence}`),
        );
    own({ dispose: clock.after(sweepAfterMs, sweep) });
    const storagePaths = rememberedStoragePaths(context.globalState, deps.storagePath());
    const others = own(
      new OtherFolders({
        library,
        gateway,
        sessions,
        store,
        connection: deps.connection,
        locations: () => storeLocations(context, storagePaths, deps.ownFolder()),
      }),
    );
    const transcripts: OtherTranscripts = own(
      new OtherTranscripts(deps.programs, {
        copies: own(new OpenCopies(library, deps.startWorker)),
        memory: new OtherTabMemory(context.workspaceState),
        storeIn: async (folder) => (await others.list()).find((store) => store.folder === folder) ?? null,
        transcripts: deps.transcripts,
        copyToThisFolder: (session) => this.named.bringSession(session),
        exporter: deps.exporter,
        log,
      }),
    );
    own(vscode.window.registerWebviewPanelSerializer(otherTranscriptViewType, transcripts));
    this.named = new OtherFolderCommands({ others, labelContext, openInChat, transcripts });
    this.rows = own(new OtherFolderRows(others, labelContext, log));
    this.movedFolder = new MovedFolderOffer({
      others,
      sessions,
      labelContext,
      openInChat,
      idle: () => new Promise((resolve) => void own({ dispose: clock.after(sweepAfterMs, resolve) })),
      log,
      storeStatus: store,
      describe: describeOwnFolder,
      oldPlace: async (path) => ({ isThere: await isThere(path), place: await placeOf(path) }),
      copyToThisFolder: (folder) => this.named.bringAll(folder),
    });
  }

  get commands(): CommandTable {
    return this.named.table;
  }

  /** Lets the user choose a session of another folder, and opens it. */
  show(): Promise<void> {
    return this.named.show();
  }

  /** Removes the private copies. */
  async close(): Promise<void> {
    this.lifetime.dispose();
    await this.library.close();
  }

  dispose(): void {
    void this.close();
  }
}

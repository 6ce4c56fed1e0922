import * as vscode from 'vscode';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { MemoryProviders } from '../../memory/memoryProviders';
import { MemoryFiles } from '../memory/memoryFiles';
import { reportFailure } from '../common/commands';
import { Slot } from '../common/slot';
import { type MemoryChoice, MemorySetup } from '../memory/memorySetup';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import type { WindowStore } from './windowStore';

interface WindowMemoryDeps {
  readonly context: vscode.ExtensionContext;
  readonly store: WindowStore;
  readonly settings: SettingsWatcher;
  readonly clock: Clock;
  readonly log: Log;
}

/** Memory of one window: the the built-in provider, those of features and other extensions, and their setup. */
export class WindowMemory implements Disposable {
  private readonly lifetime = new DisposableStore();
  readonly providers: MemoryProviders;
  /** Memory on a server, which a feature offers. */
  readonly server = new Slot<MemoryChoice>();
  readonly setup: MemorySetup;

  constructor({ context, store, settings, clock, log }: WindowMemoryDeps) {
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    this.providers = new MemoryProviders(() => settings.current.memoryProvider, log);
    const builtin = own(
      new MemoryFiles({
        store: store.store,
        clock,
        log,
        globalFolder: () => settings.current.storagePath ?? context.globalStorageUri.fsPath,
        workspaceFolder: () => (isFolderOpen() ? store.folder : null),
        isUsed: () => settings.current.memoryProvider !== 'none',
      }),
    );
    this.setup = new MemorySetup({
      current: () => settings.current.memoryProvider,
      save: (provider) => settings.saveMemoryProvider(provider),
      server: this.server,
    });
    own(this.providers.register(builtin.factory));
    own(
      vscode.commands.registerCommand('hermes.openMemory', () =>
        builtin.open().catch((error: unknown) => reportFailure('openMemory', error, log)),
      ),
    );
  }

  dispose(): void {
    this.lifetime.dispose();
  }
}

function isFolderOpen(): boolean {
  return vscode.workspace.workspaceFile !== undefined || (vscode.workspace.workspaceFolders ?? []).length > 0;
}

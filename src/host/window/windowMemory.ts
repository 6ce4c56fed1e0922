import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { t } from '../../base/translate';
import type { Clock } from '../../base/clock';
import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Log } from '../../base/log';
import { MemoryProviders } from '../../memory/memoryProviders';
import type * as hindsight from '../../memory/hindsight/client/index';
import { lazyBundle } from '../common/lazyBundle';
import { MemoryFiles } from '../memory/memoryFiles';
import { reportFailure } from '../common/commands';
import { HindsightHost } from '../memory/hindsightHost';
import { MemorySetup } from '../memory/memorySetup';
import type { ProviderKeys } from '../models/providerKeys';
import type { SettingsWatcher } from '../settings/settingsWatcher';
import type { WindowStore } from './windowStore';

interface WindowMemoryDeps {
  readonly context: vscode.ExtensionContext;
  readonly distFolder: string;
  readonly store: WindowStore;
  readonly settings: SettingsWatcher;
  readonly keys: ProviderKeys;
  readonly clock: Clock;
  readonly log: Log;
}

/** Memory of one window: the providers of other extensions, the built-in one and Hindsight, and their setup. */
export class WindowMemory implements Disposable {
  private readonly lifetime = new DisposableStore();
  readonly providers: MemoryProviders;
  readonly hindsight: HindsightHost;
  readonly setup: MemorySetup;

  constructor({ context, distFolder, store, settings, keys, clock, log }: WindowMemoryDeps) {
    const own = <T extends Disposable>(part: T): T => this.lifetime.register(part);
    this.providers = new MemoryProviders(() => settings.current.memoryProvider, log);
    this.hindsight = own(
      new HindsightHost({
        store: store.store,
        keys,
        clock,
        log,
        settings: () => settings.current,
        loadClient: lazyBundle<typeof hindsight, 'createHindsightApi'>(
          distFolder,
          { file: 'hindsight.js', name: 'Hindsight' },
          'createHindsightApi',
        ),
        uid: randomUUID,
        t,
        setNotices: (notices) => store.status.setNotices('memory', notices),
      }),
    );
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
      hindsight: this.hindsight,
      current: () => ({
        provider: settings.current.memoryProvider,
        url: settings.current.hindsightUrl,
        bank: settings.current.hindsightBank,
      }),
      choose: (provider) => settings.saveMemoryProvider(provider),
      save: (url, bank) => settings.saveHindsight(url, bank),
    });
    own(this.providers.register(builtin.factory));
    own(this.providers.register(this.hindsight.factory));
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

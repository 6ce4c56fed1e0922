import { type Disposable, Owner } from '../../base/disposable';
import type { Clock } from '../../base/clock';
import { t } from '../../base/translate';
import type { StoreNotice } from '../../protocol/chatProtocol';

interface StorageMoveDeps {
  /** Folder of this window's history according to the current settings. */
  readonly wantedFolder: () => string;
  readonly onDidChangeSettings: (listener: () => void) => Disposable;
  /** True when the currently open folder already holds data of the user. */
  readonly isUsed: () => boolean;
  /** Closes the history and opens it in the other folder. */
  readonly move: (folder: string) => void;
  readonly setNotices: (notices: readonly StoreNotice[]) => void;
  readonly clock: Clock;
}

/** Milliseconds after the start in which a changed folder counts as the one the settings always had: a remote window
 *  starts with the settings of last time and gets those of the machine a moment later. After that, the user is
 *  probably typing a path. */
export const lateSettingsMs = 20_000;

export const reloadWindowAction = 'reloadWindow';

/** Prevents a window from silently continuing in a folder that the settings no longer name. A new window that was
 *  not used yet moves automatically. Any other shows where its sessions are until it is reloaded. */
export class StorageMove extends Owner {
  private readonly startedAt: number;

  constructor(
    private folder: string,
    private readonly deps: StorageMoveDeps,
  ) {
    super();
    this.startedAt = deps.clock.monotonicMs();
    this.lifetime.register(deps.onDidChangeSettings(() => this.follow()));
  }

  private follow(): void {
    const wanted = this.deps.wantedFolder();
    const isEarly = this.deps.clock.monotonicMs() - this.startedAt <= lateSettingsMs;
    if (wanted !== this.folder && isEarly && !this.deps.isUsed()) {
      this.folder = wanted;
      this.deps.move(wanted);
    }
    this.deps.setNotices(wanted === this.folder ? [] : [this.notice()]);
  }

  private notice(): StoreNotice {
    return {
      sentence: t(
        'hermes.storage.path was changed. This window still saves sessions in {folder}. Reload the window to use the new folder.',
        { folder: this.folder },
      ),
      actions: [{ action: reloadWindowAction, label: t('Reload Window') }],
    };
  }
}

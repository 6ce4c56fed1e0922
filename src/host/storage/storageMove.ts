import { DisposableStore, type Disposable } from '../../base/disposable';
import type { Clock } from '../../base/clock';
import type { StoreNotice } from '../../protocol/chatProtocol';

export interface StorageMoveNeeds {
  /** The folder in which this window's history lies by the settings as they are now. */
  readonly wantedFolder: () => string;
  readonly onDidChangeSettings: (listener: () => void) => Disposable;
  /** Whether anything of a person is in the folder already that the window has open. */
  readonly isUsed: () => boolean;
  /** Closes the history, and opens it in the other folder. */
  readonly move: (folder: string) => void;
  readonly tell: (notices: readonly StoreNotice[]) => void;
  readonly clock: Clock;
  readonly t: (message: string, args?: Record<string, string>) => string;
}

/** How long after a window came up a changed folder is one that the settings had all along: a remote window starts with the settings of last
 *  time and is told those of the machine a moment later. Later, somebody is typing a path. */
export const lateSettingsMs = 20_000;

export const reloadWindowAction = 'reloadWindow';

/** Keeps a window from going on, without a word, in a folder that the settings no longer name. One that has just come up and in which nothing
 *  was asked moves by itself; another says where its sessions are until it is reloaded. */
export class StorageMove implements Disposable {
  private readonly lifetime = new DisposableStore();
  private readonly startedAt: number;

  constructor(
    private folder: string,
    private readonly needs: StorageMoveNeeds,
  ) {
    this.startedAt = needs.clock.monotonicMs();
    this.lifetime.register(needs.onDidChangeSettings(() => this.follow()));
  }

  dispose(): void {
    this.lifetime.dispose();
  }

  private follow(): void {
    const wanted = this.needs.wantedFolder();
    const isEarly = this.needs.clock.monotonicMs() - this.startedAt <= lateSettingsMs;
    if (wanted !== this.folder && isEarly && !this.needs.isUsed()) {
      this.folder = wanted;
      this.needs.move(wanted);
    }
    this.needs.tell(wanted === this.folder ? [] : [this.notice()]);
  }

  private notice(): StoreNotice {
    const { t } = this.needs;
    return {
      sentence: t(
        'hermes.storage.path was changed. This window still saves sessions in {folder}. Reload the window to use the new folder.',
        { folder: this.folder },
      ),
      actions: [{ action: reloadWindowAction, label: t('Reload Window') }],
    };
  }
}

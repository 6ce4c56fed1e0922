import type { Translate } from '../../base/translate';
import { diesWithContainer, type MachineFacts } from './containerPlace';
import type { StoreStatus } from './storeStatus';

const topic = 'container';
const dismissedKey = 'containerNoticeRead';

interface ContainerNoticeDeps {
  /** Current folder of this window's history. */
  readonly folder: () => string;
  readonly facts: MachineFacts;
  /** True when the chat shows no session. */
  readonly isEmptyState: () => boolean;
  readonly storeStatus: Pick<StoreStatus, 'offer'>;
  /** Remembers that the user dismissed the notice. */
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): Thenable<void> };
  readonly chooseFolder: () => Promise<void>;
  /** True when a server has the sessions, too. */
  readonly isSynced: () => boolean;
  readonly setUpSync: () => Promise<void>;
  readonly t: Translate;
}

/** Shows a notice in the empty state when sessions are stored inside a container and are deleted with it, and how to
 *  keep them: in a mounted folder, or also on a server. */
export class ContainerNotice {
  private judged: { readonly folder: string; readonly dies: boolean } | null = null;

  constructor(private readonly deps: ContainerNoticeDeps) {}

  /** Called when the chat may show another state, or the history has another folder. */
  update(): void {
    const { storeStatus, chooseFolder, isSynced, setUpSync, memory, isEmptyState, t } = this.deps;
    if (!isEmptyState() || isSynced() || memory.get(dismissedKey) === true || !this.dies())
      return storeStatus.offer(topic, []);
    storeStatus.offer(topic, [
      {
        sentence: t(
          'Your sessions are stored in this container and are deleted with it. To keep them, mount a folder in the container and choose it.',
        ),
        choices: [
          { label: t('Choose Folder…'), run: chooseFolder },
          { label: t('Set Up Sync'), run: setUpSync },
          {
            label: t('Don’t Show Again'),
            run: async () => {
              await memory.update(dismissedKey, true);
              this.update();
            },
          },
        ],
      },
    ]);
  }

  private dies(): boolean {
    const folder = this.deps.folder();
    if (this.judged?.folder !== folder) this.judged = { folder, dies: diesWithContainer(folder, this.deps.facts) };
    return this.judged.dies;
  }
}

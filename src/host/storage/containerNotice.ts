import type { Translate } from '../../base/translate';
import { diesWithContainer, type MachineFacts } from './containerPlace';
import type { StoreStatus } from './storeStatus';

const topic = 'container';
const dismissedKey = 'containerNoticeRead';

export interface ContainerNoticeNeeds {
  /** Current folder of this window's history. */
  readonly folder: () => string;
  readonly facts: MachineFacts;
  /** True when the chat shows no session. */
  readonly isEmptyState: () => boolean;
  readonly desk: Pick<StoreStatus, 'offer'>;
  /** Remembers that the user dismissed the notice. */
  readonly memory: { get(key: string): unknown; update(key: string, value: unknown): Thenable<void> };
  readonly chooseFolder: () => Promise<void>;
  readonly t: Translate;
}

/** Shows a notice in the empty state when sessions are stored inside a container and are deleted with it, and how to
 *  keep them. */
export class ContainerNotice {
  private judged: { readonly folder: string; readonly dies: boolean } | null = null;

  constructor(private readonly needs: ContainerNoticeNeeds) {}

  /** Called when the chat may show another state, or the history has another folder. */
  update(): void {
    const { desk, chooseFolder, memory, isEmptyState, t } = this.needs;
    if (!isEmptyState() || memory.get(dismissedKey) === true || !this.dies()) return desk.offer(topic, []);
    desk.offer(topic, [
      {
        sentence: t(
          'Your sessions are stored in this container and are deleted with it. To keep them, mount a folder in the container and choose it.',
        ),
        choices: [
          { label: t('Choose Folder…'), run: chooseFolder },
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
    const folder = this.needs.folder();
    if (this.judged?.folder !== folder) this.judged = { folder, dies: diesWithContainer(folder, this.needs.facts) };
    return this.judged.dies;
  }
}

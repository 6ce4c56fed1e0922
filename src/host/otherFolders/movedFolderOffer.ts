import type { Log } from '../../base/log';
import { encodeLabel, type FolderLabel, folderLabelKey } from '../../store/library/folderLabel';
import { type OldPlace, storesOfThisFolder } from '../../store/library/storesOfFolder';
import type { SessionStore } from '../../store/sessionStore';
import type { StoreStatus } from '../storage/storeStatus';
import { describeError } from '../common/describeError';
import type { LabelContext } from '../sessions/sessionLabels';
import { ageLabels } from '../sessions/ageLabels';
import type { OtherFolder, OtherFolders } from './otherFolders';
import { countText, folderPath } from './otherFolderLabels';

const topic = 'moved folder';

interface MovedFolderDeps {
  readonly others: Pick<OtherFolders, 'list' | 'onDidChange'>;
  readonly sessions: Pick<SessionStore, 'getMeta' | 'setMeta' | 'listSessions'>;
  readonly storeStatus: Pick<StoreStatus, 'offer'>;
  readonly describe: () => Promise<FolderLabel>;
  readonly oldPlace: (path: string) => Promise<OldPlace>;
  /** Imports the folder's sessions and reports it to the user. Resolves to false when that was not completed. */
  readonly bringOver: (folder: OtherFolder) => Promise<boolean>;
  readonly labelContext: () => LabelContext;
  readonly log: Log;
}

/** Offers to import the sessions of a renamed or moved folder, which gets a new, empty history from the editor. If
 *  another history seems to belong to this folder, the empty state offers it. Imports nothing without asking. */
export class MovedFolderOffer {
  private declined = false;

  constructor(private readonly deps: MovedFolderDeps) {}

  /** Called when the store is open: records the folder it belongs to, and offers an old history if it is empty. */
  async opened(): Promise<void> {
    await this.quietly(async () => {
      const { sessions, describe } = this.deps;
      const text = encodeLabel(await describe());
      if ((await sessions.getMeta(folderLabelKey)) !== text) await sessions.setMeta(folderLabelKey, text);
      if (await this.isEmpty()) await this.offer();
    });
  }

  /** Called when no history exists for this folder under its current name. */
  async neverOpened(): Promise<void> {
    await this.quietly(() => this.offer());
  }

  /** Called when the window switches to another folder: withdraws the offer, which was for the old one. */
  left(): void {
    this.declined = false;
    this.withdraw();
  }

  private async offer(): Promise<void> {
    if (this.declined) return;
    const { others, describe, oldPlace, storeStatus, bringOver, labelContext } = this.deps;
    const candidates = (await others.list()).filter(({ isBroughtOver }) => !isBroughtOver);
    const [found] = await storesOfThisFolder(await describe(), candidates, oldPlace);
    const folder = candidates.find((candidate) => candidate.folder === found?.folder);
    if (folder === undefined) return;
    const { t, now, language } = labelContext();
    const sentence = t('Copy sessions from {path} to this folder? ({count}, last used {age})', {
      path: folderPath(folder, { t }),
      count: countText(folder.sessions, { t }),
      age: ageLabels(folder.lastActiveAt, now, language),
    });
    storeStatus.offer(topic, [
      {
        sentence,
        choices: [
          { label: t('Copy Sessions'), run: async () => void ((await bringOver(folder)) && this.withdraw()) },
          { label: t('Not Now'), run: async () => ((this.declined = true), this.withdraw()) },
        ],
      },
    ]);
  }

  /** Does not count sessions: that would read the whole file. */
  private async isEmpty(): Promise<boolean> {
    for (const state of ['active', 'archived', 'trash'] as const) {
      if ((await this.deps.sessions.listSessions({ state, limit: 1, includeEmpty: true })).length > 0) return false;
    }
    return true;
  }

  private withdraw(): void {
    this.deps.storeStatus.offer(topic, []);
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.deps.log.warn(
        `Whether this folder has sessions under another name could not be found out: ${describeError(error).sentence}`,
      ),
    );
  }
}

import { t } from '../../../base/translate';
import { decodeLabel, encodeLabel, type FolderLabel, folderLabelKey } from '../../../store/library/folderLabel';
import { type Belonging, type OldPlace, storesOfThisFolder } from '../core/storesOfFolder';
import type { SessionSummary } from '../../../transcript/session';
import type { WindowContext } from '../../../host/window/windowContext';
import { describeError } from '../../../host/common/describeError';
import { ageLabels, sessionCount, folderName, folderPath } from '../../../host/library/sessionLabels';
import type { OtherFolder, OtherFolders } from './otherFolders';

const topic = 'moved folder';
/** Key in `state_meta`: until then (seconds since the epoch) the user has decided on the sessions of other stores, or
 *  there were none to offer. */
const decidedKey = 'others_decided';
const states = ['active', 'archived', 'trash'] as const;
/** Sessions of another store that are compared with this one's. */
const mostCompared = 500;

/** This window's own history. Absent: it has no store yet. */
type OwnHistory = 'absent' | 'empty' | 'used';

interface MovedFolder {
  readonly describe: () => Promise<FolderLabel>;
  readonly oldPlace: (path: string) => Promise<OldPlace>;
  /** Imports the folder's sessions and reports it to the user. Resolves to false when that was not completed. */
  readonly copyToThisFolder: (folder: OtherFolder) => Promise<boolean>;
  /** Resolves when a started window has time for work that nobody waits for. */
  readonly idle: () => Promise<void>;
}

/** Offers to import the sessions that this folder or workspace had under another name, in other storage, as a folder
 *  or as a workspace: the editor gives it a new, empty history then. Offers again what was added there since. Imports
 *  nothing without asking. */
export class MovedFolderOffer {
  /** When the user declined in this window, in seconds since the epoch. */
  private declinedAt: number | null = null;
  private first: FolderLabel | null = null;

  constructor(
    private readonly window: Pick<WindowContext, 'history' | 'opener' | 'clock' | 'log'>,
    private readonly others: Pick<OtherFolders, 'list' | 'sessionsOf'>,
    private readonly folder: MovedFolder,
  ) {}

  /** Called when the store is open: records the folder it belongs to, and offers what another store has of it. */
  async opened(): Promise<void> {
    await this.quietly(async () => {
      await this.record(await this.describe());
      if (this.declinedAt !== null) return this.decided(this.declinedAt);
      const isEmpty = await this.isEmpty();
      if (!isEmpty) await this.folder.idle();
      await this.offerWhatIsNew(isEmpty ? 'empty' : 'used');
    });
  }

  /** Called when no history exists for this folder under its current name. */
  async neverOpened(): Promise<void> {
    if (this.declinedAt === null) await this.quietly(async () => void (await this.offer(0, 'absent')));
  }

  /** Called when the window switches to another folder: withdraws the offer, which was for the old one. */
  left(): void {
    this.declinedAt = null;
    this.withdraw();
  }

  private async offerWhatIsNew(own: OwnHistory): Promise<void> {
    const startedAt = this.window.clock.now();
    const decidedUntil = Number((await this.window.history.store.getMeta(decidedKey)) ?? 0);
    if ((await this.offer(decidedUntil, own)) || foldersAreUnknown(await this.describe())) return;
    await this.decided(startedAt);
  }

  /** Resolves to false when no store that was written since then has anything to offer. */
  private async offer(since: number, own: OwnHistory): Promise<boolean> {
    const { others } = this;
    const label = await this.describe();
    for (const { store, why } of await storesOfThisFolder(label, await others.list(since), this.folder.oldPlace)) {
      if (why === 'folder' && own === 'used') continue;
      const missing = await this.missing(store, Math.max(since, store.broughtAt ?? 0), own === 'absent');
      if (missing.length === 0) continue;
      this.show(label, store, why, missing, own);
      return true;
    }
    return false;
  }

  /** Sessions used since then that are not here, or were continued there. */
  private async missing(store: OtherFolder, since: number, hasNone: boolean): Promise<readonly SessionSummary[]> {
    const theirs = (await this.others.sessionsOf(store.folder, mostCompared)).filter(
      ({ lastActiveAt }) => lastActiveAt > since,
    );
    if (hasNone) return theirs;
    const here = new Map<string, number>();
    const query = { sessionIds: theirs.map(({ id }) => id), limit: mostCompared, includeEmpty: true };
    for (const state of states)
      for (const { conversationId, lastActiveAt } of await this.window.history.store.listSessions({ ...query, state }))
        here.set(conversationId, lastActiveAt);
    return theirs.filter(({ conversationId, lastActiveAt }) => (here.get(conversationId) ?? 0) < lastActiveAt);
  }

  private show(
    own: FolderLabel,
    store: OtherFolder,
    why: Belonging,
    missing: readonly SessionSummary[],
    history: OwnHistory,
  ): void {
    const now = this.window.clock.now();
    const words = {
      // A shared folder is known by its name.
      path: why === 'firstFolder' || why === 'folder' ? folderName(store) : folderPath(store),
      count: sessionCount(missing.length),
      age: ageLabels(missing[0]?.lastActiveAt ?? store.lastActiveAt, now),
    };
    const sentence =
      why === 'path'
        ? t('Copy the sessions that {path} has in another storage location? ({count}, last used {age})', words)
        : own.kind === 'workspace'
          ? t('Copy sessions from {path} to this workspace? ({count}, last used {age})', words)
          : t('Copy sessions from {path} to this folder? ({count}, last used {age})', words);
    const copy = async (): Promise<void> => {
      if (!(await this.folder.copyToThisFolder(store))) return;
      this.withdraw();
      const [newest] = missing;
      if (history !== 'used' && newest !== undefined) await this.window.opener.open(newest.id, null, 'chat');
      // Another store may have more: a folder and its workspace, used by turns.
      await this.quietly(() => this.offerWhatIsNew('used'));
    };
    const decline = async (): Promise<void> => {
      this.declinedAt = this.window.clock.now();
      this.withdraw();
      if (history !== 'absent') await this.quietly(() => this.decided(this.declinedAt ?? now));
    };
    this.window.history.status.offer(topic, [
      {
        sentence,
        choices: [
          { label: t('Copy Sessions'), run: copy },
          { label: t('Not Now'), run: decline },
        ],
      },
    ]);
  }

  /** The folder of this window as it began. Before the editor ends the window to open it as a workspace, it already
   *  names that workspace, whose store is another one. */
  private async describe(): Promise<FolderLabel> {
    const label = await this.folder.describe();
    const first = (this.first ??= label);
    return label.kind === first.kind && label.path === first.path ? label : first;
  }

  /** Other folders of a workspace may make other stores relevant, so decisions made before do not count then. */
  private async record(label: FolderLabel): Promise<void> {
    if (foldersAreUnknown(label)) return;
    const sessions = this.window.history.store;
    const [before, text] = [await sessions.getMeta(folderLabelKey), encodeLabel(label)];
    if (before === text) return;
    const paths = (known: FolderLabel | null): string => JSON.stringify(known?.roots.map(({ path }) => path) ?? []);
    if (paths(decodeLabel(before)) !== paths(label)) await this.decided(0);
    await sessions.setMeta(folderLabelKey, text);
  }

  /** Does not count sessions: that would read the whole file. */
  private async isEmpty(): Promise<boolean> {
    for (const state of states) {
      if ((await this.window.history.store.listSessions({ state, limit: 1, includeEmpty: true })).length > 0)
        return false;
    }
    return true;
  }

  private decided(until: number): Promise<void> {
    return this.window.history.store.setMeta(decidedKey, String(until));
  }

  private withdraw(): void {
    this.window.history.status.offer(topic, []);
  }

  private async quietly(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) =>
      this.window.log.warn(
        `Whether this folder has sessions under another name could not be found out: ${describeError(error).sentence}`,
      ),
    );
  }
}

/** The editor may open a workspace before it has read the folders in it. */
function foldersAreUnknown({ kind, roots }: FolderLabel): boolean {
  return kind === 'workspace' && roots.length === 0;
}
